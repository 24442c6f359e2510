"""`triplewire mcp`: what it refuses before an agent talks to it. tests/client/mcp has what it does."""

from __future__ import annotations


def test_an_address_that_is_none_is_told(run):
    refused = run("mcp", "--node", "localhost:8080")
    assert refused.exit_code == 1
    assert "wanted a node's address" in " ".join(refused.stderr.split())


def test_an_agent_that_may_only_read_cannot_publish(run):
    refused = run("mcp", "--read-only", "--publish")
    assert refused.exit_code == 2
    assert "may only read cannot publish" in " ".join(refused.stderr.split())


def test_it_ends_when_the_agent_goes(run):
    ended = run("mcp", "--node", "http://127.0.0.1:1", stdin="")
    assert (ended.exit_code, ended.stdout) == (0, "")
