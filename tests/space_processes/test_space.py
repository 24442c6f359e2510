"""Three nodes of a space: publish at one, subscribe at another, ask the third; strangers; and all of them again."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import zmq
import zmq.asyncio
from tests.node.processes import free_port
from tests.space_processes.crowd import document, http, notified, publish, stored, subscribe, wait_for

from triplewire.cli.network.key import make_key
from triplewire.cli.space.processes import SpaceNodeProcess, settle, space
from triplewire.node.transport.join_diagnosis import diagnose
from triplewire.node.transport.keys import KeyPair, NetworkKey

# One story over one space: each test goes on with what the ones before it have stored.
pytestmark = pytest.mark.xdist_group("three nodes of a space")

EVENTS = [f"urn:e:{number}" for number in range(30)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("space")


@pytest.fixture(scope="module")
def nodes(folder: Path) -> Iterator[list[SpaceNodeProcess]]:
    with space(folder, 3, print) as processes:
        yield processes


def test_publish_at_one_subscribe_at_another_ask_the_third(nodes: list[SpaceNodeProcess]):
    first, second, third = nodes
    assert subscribe(second) == "live"
    for number, event in enumerate(EVENTS):
        assert publish(first, event, document("a", number)).status_code == 201
    # What is acknowledged is stored, so the next query finds it.
    assert stored(third) == set(EVENTS)
    wait_for(second, set(EVENTS), notified)
    assert sorted(notified(second)) == sorted(EVENTS)


def test_the_same_event_again_changes_nothing_and_another_content_is_a_conflict(nodes: list[SpaceNodeProcess]):
    first, _, third = nodes
    assert publish(first, "urn:e:same", document("same", 1)).status_code == 201
    assert publish(first, "urn:e:same", document("same", 1)).status_code == 201
    refused = publish(third, "urn:e:same", document("same", 2))
    assert refused.status_code == 409, refused.text
    assert publish(third, "urn:e:same", document("same", 2)).status_code == 409
    assert publish(first, "urn:e:same", document("same", 1)).status_code == 201


def test_every_node_tells_of_all_nodes(nodes: list[SpaceNodeProcess]):
    views = settle(nodes)
    assert len({view.id for view in views}) == 3
    for view in views:
        assert {node.id for node in view.nodes} == {other.id for other in views}
        assert sum(node.quads for node in view.nodes) >= 3 * len(EVENTS)
        assert all(node.holder not in (None, node.id) for node in view.nodes)
    with http(nodes[0]) as client:
        metrics = client.get("/metrics").text
    assert "triplewire_space_quads" in metrics
    assert "triplewire_repository_position" not in metrics


def test_a_subscription_that_has_ended_is_notified_no_more(nodes: list[SpaceNodeProcess]):
    first, _, third = nodes
    assert subscribe(third) == "live"
    assert publish(first, "urn:e:before", document("before", 1)).status_code == 201
    wait_for(third, {"urn:e:before"}, notified)
    with http(third) as client:
        client.delete("/subscriptions/all").raise_for_status()
    assert publish(first, "urn:e:after", document("after", 1)).status_code == 201
    with http(third) as client:
        assert client.get("/events/urn:e:before").status_code == 200
        assert client.get("/events/urn:e:after").status_code == 404


def test_a12_a_newcomer_with_another_key_is_not_let_in(nodes: list[SpaceNodeProcess], folder: Path, tmp_path: Path):
    make_key(tmp_path / "other.key")
    [address] = {view.address for view in [nodes[0].wait()]}
    command = [sys.executable, "-m", "triplewire", "serve", "--data", str(tmp_path / "data"), "--open", "--space"]
    command += ["--port", str(free_port()), "--key", str(tmp_path / "other.key"), "--join", address]
    ended = subprocess.run([*command, "--join-seconds", "2"], capture_output=True, text=True, timeout=400, check=False)
    assert ended.returncode == 1
    assert "is no node of this network" in " ".join(ended.stderr.split())
    assert len(settle(nodes)) == 3


def test_a12_a_super_peer_with_the_key_of_the_space_is_a_stranger(nodes: list[SpaceNodeProcess], folder: Path):
    key = NetworkKey.read(folder / "space.key")
    address = nodes[0].wait().address
    found = asyncio.run(diagnose(key.server.public, KeyPair.new(), address, "super-peer", seconds=5))
    assert found.startswith("somebody listens, but is no super-peer")
    welcome = asyncio.run(diagnose(key.space_server.public, KeyPair.new(), address, "node", seconds=5))
    assert welcome.startswith("a node of this network answers")


def test_a12_what_is_no_message_is_refused_and_counted(nodes: list[SpaceNodeProcess], folder: Path):
    key = NetworkKey.read(folder / "space.key")
    address = nodes[0].wait().address

    async def rubbish() -> None:
        from triplewire.node.transport.connections import dealer
        from triplewire.system.curve_sockets import connect

        context = zmq.asyncio.Context()
        socket = dealer(context, KeyPair.new(), key.space_server.public)
        socket.set(zmq.IMMEDIATE, 0)
        connect(socket, address)
        await asyncio.to_thread(socket.send, b"\xff rubbish")
        socket.close(5_000)
        await asyncio.to_thread(context.term)

    asyncio.run(rubbish())
    view = nodes[0].wait()
    while "version" not in view.refused:
        view = nodes[0].wait()
    assert view.refused["version"] >= 1


def test_f1_all_nodes_end_and_come_back_with_everything(nodes: list[SpaceNodeProcess]):
    before = stored(nodes[1])
    assert set(EVENTS) <= before
    for process in nodes:
        process.ask_to_end()
    for process in nodes:
        process.end()
    for process in nodes:
        process.start(())
    for process in nodes:
        process.wait()
    settle(nodes)
    for process in nodes:
        wait_for(process, before, stored)
    assert publish(nodes[0], "urn:e:later", document("later", 1)).status_code == 201
    wait_for(nodes[1], {"urn:e:later"}, notified)
    wait_for(nodes[2], {*before, "urn:e:later"}, stored)
