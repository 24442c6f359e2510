from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire.errors import LimitExceeded
from triplewire.rdf.documents import Document
from triplewire.rdf.formats import JSONLD, NQUADS, TRIG, TURTLE, Format
from triplewire.rdf.limits import Limits
from triplewire.rdf.parsing.nesting_depth import check_nesting

LIMITS = Limits(depth=3)
S_P = "<urn:s> <urn:p> "

DEEP = [
    (TURTLE, S_P + "((((1)))) ."),
    (TURTLE, S_P + "[ <urn:p> [ <urn:p> [ <urn:p> [] ] ] ] ."),
    (
        TURTLE,
        S_P + "<<( <urn:s> <urn:p> <<( <urn:s> <urn:p> <<( <urn:s> <urn:p> <<( <urn:s> <urn:p> 1 )>> )>> )>> )>> .",
    ),
    (TURTLE, "<< << << <<"),
    (TURTLE, S_P + "'(' , \"\"\"a\"b\"\"\" , '''it's''' , ((((1)))) ."),
    (TURTLE, "# a comment (\r" + S_P + "((((1)))) ."),
    (TRIG, "<urn:g> { " + S_P + "(((1))) }"),
    (NQUADS, S_P + "<<( <urn:s> <urn:p> " * 4 + "<urn:o>" + " )>>" * 4 + " ."),
    (JSONLD, '{"a":[{"b":[1]}]}'),
    (JSONLD, '{"a\\"]":[{"b":[1]}]}'),
]

SHALLOW = [
    (TURTLE, S_P + "(((1))) , (((2))) ."),
    (TURTLE, S_P + "'((((' , \"[[[[\" , '''((((\n''' , \"\"\"[[[[\"\"\" ."),
    (TURTLE, S_P + "<urn:((((> . # (((("),
    (TURTLE, S_P + r"ex:a\(\(\(\( , '\'((((' ."),
    (JSONLD, '{"a":"[[[[","b":"\\"[[[["}'),
    (NQUADS, S_P + '"<<<<<<<<" .'),
]


def check(form: Format, text: str) -> None:
    check_nesting(Document(text.encode(), "message"), form, LIMITS)


def is_too_deep(form: Format, text: str, limits: Limits = LIMITS) -> bool:
    try:
        check_nesting(Document(text.encode(), "message"), form, limits)
    except LimitExceeded:
        return True
    return False


@pytest.mark.parametrize(("form", "text"), DEEP)
def test_a3_deep_nesting_is_refused(form: Format, text: str) -> None:
    with pytest.raises(LimitExceeded) as caught:
        check(form, text)
    assert (caught.value.limit, caught.value.allowed, caught.value.source) == ("depth", 3, "message")


@pytest.mark.parametrize(("form", "text"), SHALLOW)
def test_brackets_in_strings_iris_names_and_comments_do_not_count(form: Format, text: str) -> None:
    assert not is_too_deep(form, text)


def test_the_error_names_the_line() -> None:
    with pytest.raises(LimitExceeded, match=r"^message:3:4: nested too deep"):
        check(TURTLE, "\n\n((((")


@given(st.lists(st.sampled_from(["'", '"', "'''", '"""', "\\", "<", ">", "#", "\n", ")", "a"]), max_size=60))
def test_the_scan_takes_any_text_without_opening_brackets(parts: list[str]) -> None:
    text = "".join(parts).replace("<<", "<")
    assert not is_too_deep(TURTLE, "()" * 4 + text)


@pytest.mark.parametrize("piece", ["'''\\", '"', "'a", "< ", '"""a""', "\\", "'''"])
def test_the_scan_is_linear_in_unterminated_text(piece: str) -> None:
    # A scan that starts anew at each quote would take hours for these two megabytes.
    text = "(" * 70 + ")" * 70 + piece * (2_000_000 // len(piece))
    assert not is_too_deep(TURTLE, text, Limits(depth=70))
    assert is_too_deep(TURTLE, text, Limits(depth=69))


_NESTED = st.recursive(
    st.sampled_from(["1", "'('", '"""[ \\""""', "<urn:o>", "[]", "()"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"( {' '.join(items)} )"),
        inner.map(lambda item: f"[ <urn:p> {item} ]"),
    ),
    max_leaves=8,
)


def _depth(text: str) -> int:
    for literal in ("'('", '"""[ \\""""'):
        text = text.replace(literal, "1")
    depth = deepest = 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        deepest = max(deepest, depth)
    return deepest


@given(_NESTED)
def test_the_scan_counts_as_one_counts_by_hand(object_: str) -> None:
    text = f"{S_P}{object_} ."
    document = Document(text.encode())
    check_nesting(document, TURTLE, Limits(depth=_depth(text)))
    if _depth(text):
        with pytest.raises(LimitExceeded):
            check_nesting(document, TURTLE, Limits(depth=_depth(text) - 1))
