"""`--why`, and `triplewire why` of a node's events, views and living graph, against a real process."""

from __future__ import annotations

import json

import pytest
from tests.node.processes import running


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    with running(tmp_path_factory.mktemp("node") / "data", "--open") as process:
        yield process


def test_a_view_that_was_put_with_why_says_it(run, node):
    assert run("views", "put", "titles", "SELECT ?t { ?b <urn:title> ?t }", "--why", "--node", node.url).exit_code == 0
    run("update", 'INSERT DATA { <urn:b> <urn:title> "Faust" }', "--node", node.url)
    _, change = [json.loads(line) for line in run("views", "read", "titles", "--node", node.url).stdout.splitlines()]
    [reason] = change["why"]["added"]
    assert reason["quads"][0]["quad"] == '<urn:b> <urn:title> "Faust"'
    assert reason["quads"][0]["origin"]["author"] == "anonymous"


def test_a_subscription_with_why_says_it(run, node, tmp_path):
    event = tmp_path / "e.nq"
    event.write_text('<urn:b> <urn:name> "Faust" <urn:event:1> .\n')
    assert run("publish", str(event), "--node", node.url).exit_code == 0
    args = ("SELECT ?t { ?b <urn:name> ?t }", "--from", "beginning", "--count", "1", "--why")
    told = json.loads(run("subscribe", *args, "--node", node.url).stdout.splitlines()[0])
    assert [one["quad"] for reason in told["why"] for one in reason["quads"]] == [
        '<urn:b> <urn:name> "Faust" <urn:event:1>'
    ]
    shown = run("why", "urn:event:1", "SELECT ?t { ?b <urn:name> ?t }", "--node", node.url)
    assert shown.stdout.splitlines()[1:] == ['     ?t = "Faust"', '       asserted  <urn:b> <urn:name> "Faust"']


def test_the_living_graph_is_explained_for_people_and_for_programs(run, node):
    run("update", 'CLEAR ALL ; INSERT DATA { <urn:b> <urn:title> "Faust" }', "--node", node.url)
    query = "SELECT ?t { ?b <urn:title> ?t }"
    shown = run("why", "--graph", query, "--node", node.url)
    assert shown.exit_code == 0, shown.output
    lines = shown.stdout.splitlines()
    assert lines[0].startswith("yes: as of change ")
    assert lines[1:3] == ['     ?t = "Faust"', '       asserted  <urn:b> <urn:title> "Faust"']
    assert lines[3].strip().startswith("by the update update of anonymous, change ")
    run("views", "put", "shown", query, "--node", node.url)
    assert run("why", "--view", "shown", "--node", node.url).stdout == shown.stdout
    found = json.loads(run("why", "--graph", query, "--json", "--node", node.url).stdout)
    assert found["why"]["answer"][0]["quads"][0]["kind"] == "asserted"
    none = run("why", "--graph", "ASK { ?b <urn:never> ?t }", "--node", node.url)
    assert (none.exit_code, none.stdout) == (1, "no: nothing matches ?b <urn:never> ?t\n")


def test_what_does_not_go_together_is_refused(run, node):
    for args in (["--graph", "ASK {}", "--view", "x"], ["urn:e", "--view", "x"], ["urn:e"], []):
        result = run("why", *args, "--node", node.url)
        assert (result.exit_code, result.stdout) == (2, ""), args
        assert "error: " in result.stderr
