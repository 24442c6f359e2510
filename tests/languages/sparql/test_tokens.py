from __future__ import annotations

import pytest

from triplewire.errors import SyntaxProblem
from triplewire.languages.sparql.syntax.tokens import resolve_code_points, string_value, tokenize


def tokens(text: str) -> list[str]:
    return [token for token in tokenize(text) if token]


@pytest.mark.parametrize(
    "string",
    ['"a"', "'it\\'s'", '""', '"""a"b""c"""', '"""\\""""', "'''it's''\\''''", '"\\\\"', '"""\n\r"""'],
)
def test_a_string_is_one_token(string: str):
    assert tokens(f"?x {string} .")[:2] == ["?x", string]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ex:a.b.c.", ["ex:a.b.c", "."]),
        ("a.b:c", ["a.b:c"]),
        ("a.:c", ["a", ".", ":c"]),
        (":a..b", [":a..b"]),
        ("# one\n  # two\n?x", ["?x"]),
        ("<urn:a><urn:b", ["<urn:a>", "<", "urn:b"]),
        ('"a\nb', ['"a', "b"]),
        ('"""a"" ', ['"""a"" ']),
        ("@en-GB-x", ["@en-GB-x"]),
    ],
)
def test_what_the_tokens_are(text: str, found: list[str]):
    assert tokens(text) == found


def test_an_unclosed_string_is_refused():
    def reject(wanted: str, found: str) -> None:
        raise SyntaxProblem.at('"a\\"', 0, wanted=wanted, found=found)

    with pytest.raises(SyntaxProblem, match="found no end"):
        string_value('"a\\"', reject)  # type: ignore[arg-type]


@pytest.mark.parametrize("piece", ['\\"""', '"""\\', "'''\\", '"a\\"', "''' ''", "a.", "#\n", "<a"])
def test_a2_reading_takes_linear_time_in_unterminated_text(piece: str):
    # Beginning anew at every quote would take minutes for this half megabyte.
    text = "\\u0041" + piece * (500_000 // len(piece))
    assert tokenize(resolve_code_points(text))


def test_code_points_are_resolved_after_an_escaped_apostrophe():
    assert resolve_code_points(r"ex:o\'brien ex:caf\u00E9") == r"ex:o\'brien ex:café"
