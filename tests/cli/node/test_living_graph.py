"""The commands that change and read the living graph, against a real process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.node.processes import running


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    with running(tmp_path_factory.mktemp("node") / "data", "--open") as process:
        yield process


@pytest.fixture
def call(run, node):
    def called(*args: str, stdin: str | bytes | None = None):
        return run(*args, "--node", node.url, stdin=stdin)

    return called


def receipt(result) -> dict:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_update_query_graph_and_changes(call, workspace):
    done = receipt(call("update", 'INSERT DATA { <urn:a> <urn:p> "1" }', "--key", "k"))
    assert receipt(call("update", 'INSERT DATA { <urn:a> <urn:p> "1" }', "--key", "k")) == done
    Path("more.ru").write_text("INSERT { ?s <urn:q> ?o } WHERE { ?s <urn:p> ?o }")
    assert receipt(call("update", "more.ru"))["added"] == 1
    assert receipt(call("update", "-", stdin='DELETE DATA { <urn:a> <urn:q> "1" }'))["removed"] == 1
    assert call("query", "SELECT ?o { <urn:a> <urn:p> ?o }", "--format", "csv").stdout.split() == ["o", "1"]
    assert call("query", "-", stdin="ASK {}").stdout == '{"head":{},"boolean":true}\n'
    Path("g.ttl").write_text('<urn:b> <urn:p> "2" .')
    assert receipt(call("graph", "put", "g.ttl", "--graph", "urn:g"))["created"] is True
    more = receipt(
        call("graph", "post", "-", "--graph", "urn:g", "--format", "ntriples", stdin='<urn:c> <urn:p> "3" .')
    )
    assert more["added"] == 1
    shown = call("graph", "get", "--graph", "urn:g", "--format", "ntriples").stdout
    assert sorted(shown.splitlines()) == ['<urn:b> <urn:p> "2" .', '<urn:c> <urn:p> "3" .']
    text = call("changes", "--after", str(done["position"])).stdout
    assert text.count("TX .") == 4
    Path("undo.rdfp").write_text('TX .\nD <urn:b> <urn:p> "2" <urn:g> .\nTC .\n')
    assert receipt(call("graph", "patch", "undo.rdfp"))["removed"] == 1
    assert receipt(call("graph", "delete", "--graph", "urn:g"))["removed"] == 1
    told = [json.loads(line) for line in call("changes", "--json").stdout.splitlines()]
    assert [change["position"] for change in told] == list(range(1, len(told) + 1))
    assert told[-1]["removed"] == ['<urn:c> <urn:p> "3" <urn:g>']


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (("update", "INSERT"), "1:7"),
        (("update", "missing.ru"), "missing.ru"),
        (("graph", "get", "--graph", "urn:nowhere"), "urn:nowhere"),
        (("graph", "put", "missing.ttl"), "missing.ttl"),
        (("graph", "patch", "missing.rdfp"), "missing.rdfp"),
        (("graph", "get", "--format", "nonsense"), "nonsense"),
        (("graph", "put", "bad.ttl"), "1:1: wanted UTF-8, found the byte 0xFF"),
        (("graph", "get", "--format", "nquads"), "406 Not Acceptable: wanted one of"),
        (("query", "bad.rq"), "bad.rq: wanted UTF-8, found the byte 0xFF"),
        (("query", "missing.rq"), "missing.rq"),
        (("update", "bad.ru"), "bad.ru: wanted UTF-8"),
        (("views", "put", "v", "bad.rq"), "bad.rq: wanted UTF-8"),
        (("views", "read", "nowhere"), "nowhere"),
        (("views", "put", "a/b", "ASK {}"), "wanted a name without /"),
        (("views", "delete", ""), "wanted a name without /"),
        (("query", "SELECT", "--node", "http://127.0.0.1:1"), "--node"),
    ],
)
def test_what_is_wrong_is_one_message(run, call, workspace, command: tuple[str, ...], problem: str):
    for name in ("bad.ttl", "bad.rq", "bad.ru"):
        Path(name).write_bytes(b"\xff\xfe")
    result = call(*command) if "--node" not in command else run(*command)
    assert result.exit_code != 0
    assert problem in result.stderr
    assert "a bug" not in result.stderr
    assert "Traceback" not in result.output
