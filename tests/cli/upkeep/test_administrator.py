"""`triplewire clients reset-admin`."""

from __future__ import annotations

from pathlib import Path

from triplewire.store import Database


def test_the_secret_is_printed_and_nothing_else(run, workspace: Path):
    Database(workspace / "node").close()
    done = run("clients", "reset-admin", "--data", "node")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("tws_")
    assert len(done.stdout.splitlines()) == 1


def test_a_folder_that_is_none_is_told(run, workspace: Path):
    refused = run("clients", "reset-admin", "--data", "nowhere")
    assert refused.exit_code == 1
    assert "wanted the data folder of a node" in " ".join(refused.stderr.split())


def test_clients_alone_still_asks_the_node(run):
    refused = run("clients", "--node", "http://127.0.0.1:1")
    assert refused.exit_code == 1
    assert "--node or $TRIPLEWIRE_NODE names another" in " ".join(refused.stderr.split())
