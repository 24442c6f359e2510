"""`triplewire views`, against a real process."""

from __future__ import annotations

import json

import pytest
from tests.node.processes import running

TITLES = "SELECT ?title { ?book <urn:title> ?title OPTIONAL { ?book <urn:lent> ?to } FILTER(!BOUND(?to)) }"


@pytest.fixture
def node(tmp_path):
    with running(tmp_path / "data", "--open") as process:
        yield process


def test_a_view_from_its_beginning_to_its_end(run, node, tmp_path):
    def call(*args: str) -> list[dict]:
        result = run("views", *args, "--node", node.url)
        assert result.exit_code == 0, result.output
        return [json.loads(line) for line in result.stdout.splitlines()]

    file = tmp_path / "books.rq"
    file.write_text(TITLES)
    assert call("put", "books", str(file), "--retention", "60")[0]["state"] == "live"
    run("update", 'INSERT DATA { <urn:1> <urn:title> "Faust" }', "--node", node.url)
    first, second = call("read", "books")
    assert (first["answer"], second["removed"]) == ([], [])
    assert call("read", "books", "--count", "1") == [first]
    assert call("read", "books") == [second]
    assert call("read", "books", "--from", str(second["position"])) == []
    assert call("list", "--json")[0]["retention"] == 60
    assert call("show", "books", "--json")[0]["acknowledged"] == first["position"]
    assert call("explain", "books", "--json")[0]["views"] == 1
    assert "kept up to date" in run("views", "explain", "books", "--node", node.url).stdout
    assert "books" in run("views", "list", "--node", node.url).stdout
    assert "live" in run("views", "show", "books", "--node", node.url).stdout
    call("reset", "books")
    assert len(call("read", "books")) == 1
    call("delete", "books")
    assert call("list", "--json") == []
