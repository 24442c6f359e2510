"""Rules of the network from the command line: put, get, list, delete, and whom they concern."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.node.http.federations import ME, OTHER

RULES = """
RULE one ON INSERT resource() AS INSTANCE OF LO IF True DO INSERT ($delta, seen, 'yes');;
RULE two ON DELETE (_, seen, _) IF True DO INSERT ($delta, lost, 'yes');;
"""


@pytest.fixture(autouse=True)
def files(workspace: Path) -> None:
    (workspace / "rules.rdftl").write_text(RULES)
    (workspace / "slash.rdftl").write_text(RULES.split(";;")[0].replace("one", "'a/b'") + ";;")


def fine(result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def words(text: str) -> str:
    return " ".join(text.split())


def test_rules_of_a_file_are_put_got_listed_and_deleted(call, federation):
    put = fine(call("rules", "put", "rules.rdftl", "--scope", "network", "--abort", "mutual"))
    assert [line.split() for line in put.splitlines()] == [["one", f"{ME}.1"], ["two", f"{ME}.2"]]
    assert {rule.abort for rule in federation.known.values()} == {"MUTUAL"}
    assert fine(call("rules", "get", "one", "--scope", "network")).startswith("RULE one")
    assert json.loads(fine(call("rules", "get", f"{ME}.2", "--scope", "network", "--json")))["name"] == "two"
    federation.add_replica()
    listed = fine(call("rules", "list", "--scope", "network"))
    [theirs] = [line for line in listed.splitlines() if OTHER in line]
    assert "asleep" in theirs
    assert [
        json.loads(line)["id"] for line in fine(call("rules", "list", "--scope", "network", "--json")).splitlines()
    ] == [
        f"{ME}.1",
        f"{ME}.2",
        f"{OTHER}.1",
    ]
    fine(call("rules", "delete", "one", "--scope", "network"))
    assert "one" not in {rule.name for rule in federation.known.values()}
    assert "one" not in fine(call("rules", "list")), "none was the node's"


def test_a_rule_is_put_as_json(call):
    made = json.loads(fine(call("rules", "put", "rules.rdftl", "--scope", "network", "--json")).splitlines()[0])
    assert (made["id"], made["abort"]) == (f"{ME}.1", "INDEPENDENT")


def test_a_table_says_whom_a_rule_concerns_and_why(call, federation):
    shown = fine(asked := call("rules", "relevant", "rules.rdftl", "--rule", "one", "--wait", "1"))
    [(_, _, text, seconds)] = federation.asked
    assert text.startswith("RULE one")
    assert seconds == 1.0
    lines = [words(line.replace("│", " ")) for line in shown.splitlines()]
    assert f"{ME} event yes it has data of <urn:LO>" in lines
    assert f"{OTHER} tw-ann actions no nobody there has <urn:seen>" in lines
    assert "sp-away has not answered in time" in asked.stderr


def test_of_a_registered_rule_too_and_as_json(call, federation):
    fine(call("rules", "put", "rules.rdftl", "--scope", "network"))
    found = json.loads(fine(call("rules", "relevant", "two", "--json")))
    assert found["unanswered"] == ["sp-away"]
    assert [(one["super_peer"], one["is_concerned"]) for one in found["concerns"]] == [(ME, True), (OTHER, False)]
    assert federation.asked[-1][2].startswith("RULE two")
    fine(call("rules", "relevant", "-", stdin=RULES.split(";;")[0] + ";;"))
    assert "RULE one" in federation.asked[-1][2]


@pytest.mark.parametrize(
    ("command", "code", "problem"),
    [
        (("rules", "put", "rules.rdftl", "--scope", "network", "--listen"), 2, "--listen wants --scope node"),
        (("rules", "put", "rules.rdftl", "--abort", "MUTUAL"), 2, "--abort wants --scope network"),
        (("rules", "put", "rules.rdftl", "--scope", "world"), 2, "'world'"),
        (("rules", "put", "rules.rdftl", "--scope", "network", "--abort", "never"), 2, "'never'"),
        (("rules", "put", "slash.rdftl", "--scope", "network"), 1, "the name of a rule without /, found 'a/b'"),
        (("rules", "put", "slash.rdftl"), 1, "the name of a rule without /, found 'a/b'"),
        (("rules", "get", "nobody", "--scope", "network"), 1, "the rule 'nobody'"),
        (("rules", "delete", f"{OTHER}.1", "--scope", "network"), 1, f"one of {OTHER}, where it can be deleted"),
        (("rules", "relevant", "rules.rdftl"), 1, "rules.rdftl: wanted one rule in the file, or its name in --rule"),
        (("rules", "relevant", "rules.rdftl", "--rule", "three"), 1, "one rule named 'three', found one, two"),
        (("rules", "relevant", "missing.rdftl"), 1, "missing.rdftl"),
        (("rules", "relevant", "nobody"), 1, "the rule 'nobody'"),
        (("rules", "relevant", "nobody", "--rule", "one"), 2, "--rule names a rule of a file"),
        (("rules", "relevant", "nobody", "--wait", "61"), 2, "--wait"),
    ],
)
def test_bad_calls(call, federation, command, code, problem):
    federation.add_replica()
    result = call(*command)
    assert result.exit_code == code, result.output
    # A terminal's box has its edges between the words.
    assert problem in words(result.stderr.replace("│", " "))
    assert "Traceback" not in result.stderr
