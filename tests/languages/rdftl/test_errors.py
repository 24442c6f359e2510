"""Bad rules and updates: where, what was wanted, what was found."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.languages.text_pairs import text_pairs

from triplewire.errors import InputError, SyntaxProblem
from triplewire.languages.rdftl import parse_rule, parse_rules, parse_updates, read_rules, read_updates

GOOD = "ON INSERT resource() IF True DO DELETE $delta"


@pytest.mark.parametrize(("text", "error"), text_pairs("rdftl/errors.txt"))
def test_rules(text: str, error: str) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        parse_rules(text)
    assert str(caught.value).splitlines()[0] == error


@pytest.mark.parametrize(("text", "error"), text_pairs("rdftl/update_errors.txt"))
def test_updates(text: str, error: str) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        parse_updates(text)
    assert str(caught.value).splitlines()[0] == error


def test_the_source_is_named() -> None:
    with pytest.raises(SyntaxProblem, match=r"^mine\.rdftl:1:49: wanted a clause"):
        parse_rules(f"{GOOD};; oops", source="mine.rdftl")
    with pytest.raises(SyntaxProblem, match=r"^queue:1:1: wanted INSERT"):
        parse_updates("oops", source="queue")


def test_one_rule_has_the_name_that_was_asked_for() -> None:
    assert parse_rule(GOOD, id="mine").id == "mine"
    assert parse_rule(f"RULE mine {GOOD};;").id == "mine"
    assert parse_rule(f"RULE mine {GOOD};;", id="mine").id == "mine"
    assert parse_rule(GOOD).id == "r1"
    with pytest.raises(SyntaxProblem, match="1:1: wanted the rule 'mine', found RULE 'yours'"):
        parse_rule(f"RULE yours {GOOD}", id="mine")
    with pytest.raises(SyntaxProblem, match="1:49: wanted the end of the rule, found ON"):
        parse_rule(f"{GOOD};; {GOOD};;")


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "some.rdftl"
    file.write_bytes(b"\xef\xbb\xbf# rules\n" + f"{GOOD};;".encode())
    assert [rule.id for rule in read_rules(file)] == ["r1"]
    file.write_text("DELETE resource();;")
    assert [update.transaction for update in read_updates(str(file))] == ["t1"]
    file.write_bytes(b"DELETE \xff;;")
    with pytest.raises(SyntaxProblem, match=r"some\.rdftl:1:8: wanted UTF-8, found the byte 0xFF"):
        read_updates(file)
    with pytest.raises(InputError, match=r"none\.rdftl: cannot be read: No such file"):
        read_rules(tmp_path / "none.rdftl")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_rules(tmp_path)
