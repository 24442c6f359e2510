"""Transactions, privileges and the schema of the network from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace
from tests.node.http.federations import ME, OTHER

UNIT = f"{ME}/1"
UPDATE = "INSERT resource(<urn:a>) AS INSTANCE OF LO;;"


@pytest.fixture(autouse=True)
def files(workspace: Path) -> None:
    (workspace / "new.rdftl").write_text(UPDATE)


def fine(result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout


def words(text: str) -> str:
    return " ".join(text.replace("│", " ").split())


def test_updates_are_submitted_as_one_transaction(call, federation):
    made = json.loads(fine(call("update", "new.rdftl", "--scope", "network", "--wait", "0.5")))
    assert (made["transaction"], made["status"]) == (UNIT, "committed")
    assert federation.asked == [("submit", "anonymous", UPDATE, 0.5)]


def test_one_that_was_undone_is_a_failure_with_the_reason(call, federation):
    federation.submitted = replace(federation.submitted, status="aborted", reason="the rule guard said no")
    result = call("update", "new.rdftl", "--scope", "network")
    assert result.exit_code == 1
    assert f"transaction {UNIT} was undone: the rule guard said no" in words(result.stderr)
    assert json.loads(result.stdout)["status"] == "aborted"


def test_one_that_goes_on_says_where_to_look(call, federation):
    federation.submitted = replace(federation.submitted, status="active")
    result = call("update", "-", "--language", "rdftl", "--scope", "network", stdin=UPDATE)
    assert result.exit_code == 0
    assert f"has not ended within 10 s; triplewire rules trace {UNIT} tells" in words(result.stderr)


def test_a_trace_is_a_tree_and_below_it_the_abort_graph(call):
    assert fine(call("rules", "trace", UNIT)).splitlines() == [
        f"transaction {UNIT} at {ME}: committed",
        f"  rule {ME}.1, CHILDPARENT for <urn:a>, as {OTHER}/4 at tw-ann of {OTHER}: undone: no",
        "abort graph: if the first aborts, so does the second",
        f"  {OTHER}/4 (undone) -> {UNIT} (committed)",
    ]


def test_a_trace_is_drawn_and_told_to_programs(call, federation):
    shown = json.loads(fine(call("rules", "trace", UNIT, "--json", "--graph", "tree.svg", "--wait", "0")))
    assert federation.asked == [("trace", "anonymous", UNIT, 0.0)]
    assert [unit["id"] for unit in shown["units"]] == [UNIT, f"{OTHER}/4"]
    assert ElementTree.parse("tree.svg").getroot().tag.endswith("svg")
    assert json.loads(fine(call("rules", "trace", UNIT, "--format", "json"))) == shown
    fine(call("rules", "trace", UNIT, "--graph", "tree.dot"))
    assert '1 -> 2 [label="CHILDPARENT" dir=both arrowhead=none arrowtail=normal];' in Path("tree.dot").read_text()


def test_a_transaction_is_withdrawn(call):
    assert json.loads(fine(call("withdraw", UNIT)))["status"] == "aborted"


def test_privileges_go_there_and_back(call):
    wanted = '{"otherwise": "read-only", "nodes": {"urn:LO": "private"}}'
    fine(call("privileges", "put", "-", stdin=wanted))
    shown = fine(call("privileges", "get"))
    assert json.loads(shown)["nodes"] == {"urn:LO": "private"}
    assert '\n  "otherwise": "read-only"' in shown
    Path("privileges.json").write_text(shown)
    fine(call("privileges", "put", "privileges.json"))
    assert fine(call("privileges", "get")) == shown


def test_the_schema_of_the_network_begins_with_who_has_data_of_what(call):
    assert fine(call("schema", "get", "--scope", "network")).splitlines() == [
        f"# <urn:LO>: here {ME}; elsewhere {OTHER}",
        "<urn:LO> <urn:type> <urn:Class> .",
    ]
    assert json.loads(fine(call("schema", "get", "--scope", "network", "--json")))["nodes"][0]["iri"] == "urn:LO"


@pytest.mark.parametrize(
    ("command", "code", "problem"),
    [
        (("update", "INSERT DATA {}", "--scope", "network"), 2, "--scope network wants RDFTL"),
        (("update", "new.rdftl", "--wait", "1"), 2, "--wait wants --scope network"),
        (("schema", "get", "--json"), 2, "--json wants --scope network"),
        (("privileges", "put", "new.rdftl"), 1, "new.rdftl: wanted privileges as JSON"),
        (("privileges", "put", "open.json"), 1, "$.otherwise"),
        (("privileges", "put", "missing.json"), 1, "missing.json"),
        (("rules", "trace", UNIT, "--graph", "tree.png"), 1, ".svg or .dot"),
        (("rules", "trace", "day/1"), 1, "'day/1'"),
        (("withdraw", "sp-1"), 1, "the key 'sp-1'"),
    ],
)
def test_bad_calls(call, command, code, problem):
    Path("open.json").write_text('{"otherwise": "open"}')
    result = call(*command)
    assert result.exit_code == code, result.output
    assert problem in words(result.stderr)
    assert "Traceback" not in result.stderr
