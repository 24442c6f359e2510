"""`triplewire backup` and `triplewire restore`, beside a node that runs."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from tests.node.processes import running

from triplewire.client import Client
from triplewire.store import Database

EVENT = "<urn:s> <urn:p> <urn:o{n}> <urn:event:{n}> .\n"
QUERY = "SELECT ?o { ?s <urn:p> ?o }"


def test_a_copy_and_the_way_back_are_told(run, workspace: Path):
    Database(workspace / "node").close()
    saved = run("backup", "--data", "node", "monday")
    assert saved.exit_code == 0, saved.output
    assert saved.stdout.startswith("backed up node to monday: ")
    assert "checking the log" in saved.stderr
    back = run("restore", "monday", "--data", "again")
    assert back.exit_code == 0, back.output
    assert back.stdout.startswith("restored again from monday: ")


def test_a_folder_with_something_in_it_is_left_alone(run, workspace: Path):
    Database(workspace / "node").close()
    run("backup", "--data", "node", "monday")
    refused = run("restore", "monday", "--data", "node")
    assert refused.exit_code == 1
    assert "wanted a folder that is empty, or not there" in " ".join(refused.stderr.split())


@pytest.mark.system
def test_a_restored_node_is_as_it_was_when_it_was_backed_up(run, workspace: Path):
    with running(workspace / "node", "--open") as node:
        with Client(node.url) as client:
            client.put_subscription(QUERY, name="all")
            client.publish("".join(EVENT.format(n=n) for n in range(1, 11)))
            client.update("INSERT DATA { <urn:a> <urn:b> <urn:c> }")
            before, head = client.node_id(), client.read_log(limit=1_000).position
            saved = run("backup", "--data", "node", "monday")
            assert saved.exit_code == 0, saved.output
            client.publish(EVENT.format(n=11))
        node.stop(signal.SIGKILL)
    assert run("restore", "monday", "--data", "again").exit_code == 0
    with running(workspace / "again", "--open") as node, Client(node.url) as client:
        assert client.node_id() == before
        told = client.follow("all")
        events = [next(told).event for _ in range(10)]
        assert events == [f"urn:event:{n}" for n in range(1, 11)]
        assert client.query("ASK { <urn:a> <urn:b> <urn:c> }")
        # What came after the backup is not there: its name and its position are free.
        [receipt] = client.publish(EVENT.format(n=11))
        assert (next(told).event, receipt.position) == ("urn:event:11", head + 1)
