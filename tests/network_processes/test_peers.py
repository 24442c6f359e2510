"""Peers at real super-peers, each a process of its own: migration during publishing, and row A12."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import urllib.request
from collections.abc import Callable, Iterator
from threading import Thread

import pytest
from tests.node.access_point.peerage import QUERY, QUICK, events, gets, here, until
from tests.node.processes import Process, free_port

from triplewire.client.peer import Folder, PeerProgram
from triplewire.errors import NodeUnreachable
from triplewire.network.sessions.identity import key_of_text, new_secret
from triplewire.network.sessions.peer.saved_state import AccessPointInfo, PeerKeys
from triplewire.node.transport.keys import NetworkKey

COUNT = 200
pytestmark = pytest.mark.xdist_group("peers of real super-peers")


def place_of(process: Process) -> AccessPointInfo:
    with urllib.request.urlopen(f"{process.url}/health", timeout=60) as answer:
        told = json.loads(answer.read())
    return AccessPointInfo(key_of_text(told["key"]), told["peers"])


@pytest.fixture(scope="module")
def stations(tmp_path_factory) -> Iterator[list[Process]]:
    """Three super-peers of one network, ended by their process ids."""
    folder = tmp_path_factory.mktemp("stations")
    key = folder / "network.key"
    NetworkKey.new().write(key)
    backbone = f"tcp://127.0.0.1:{free_port()}"
    started: list[Process] = []
    try:
        for name in ("AP", "AP2", "AP3"):
            where = ("--join", backbone) if started else ("--network-address", backbone)
            peers = f"tcp://127.0.0.1:{free_port()}"
            process = Process(folder / name, "--open", "--key", str(key), *where, "--peers", peers)
            process.start()
            started.append(process)
        yield started
    finally:
        for process in started:
            process.stop()


async def moves_under_load(folder, stations: list[Process], on_the_way: Callable[[int], None]) -> None:
    """Alice goes round the access points while Bob publishes; she has everything that was acknowledged, once."""
    places = [place_of(process) for process in stations]
    alice_home, bob_home = Folder.make(folder / "a", places[0]), Folder.make(folder / "b", places[1])
    prefix = f"urn:{folder.name}"
    acknowledged: list[str] = []

    async def publish(bob: PeerProgram) -> None:
        for number in range(COUNT):
            name = f"{prefix}:{number}"
            await bob.publish(f'<urn:s> <{prefix}> "{number}" <{name}> .\n'.encode())
            acknowledged.append(name)

    async with here(bob_home) as [bob]:
        async with here(alice_home) as [alice]:
            await alice.subscribe("all", "sparql", f"SELECT ?o WHERE {{ ?s <{prefix}> ?o }}")
        publishing = asyncio.create_task(publish(bob))
        async with PeerProgram(alice_home, timings=QUICK, seconds=60) as alice:
            for step, place in enumerate([places[2], places[1], places[0]]):
                await until(lambda step=step: len(acknowledged) > 40 * (step + 1))
                on_the_way(step)
                await alice.move(place)
            await publishing
            await gets(alice, *acknowledged)
            assert alice.saved_state.previous == ()


async def test_a_peer_migrates_during_publishing_and_gets_everything(stations, tmp_path):
    await moves_under_load(tmp_path, stations, lambda step: None)


async def test_a_peer_migrates_while_an_access_point_is_killed_and_comes_back(stations, tmp_path):
    """The one that Alice comes from, kill -9, in the middle of it: she gets what it had when it is back."""
    last = stations[2]
    restarts: list[Thread] = []

    def kill(step: int) -> None:
        if step == 1:
            os.kill(last.process.pid, signal.SIGKILL)
            # Alice does not wait for that: she is on her way.
            restarts.append(Thread(target=again))
            restarts[0].start()

    def again() -> None:
        last.process.wait(60)
        last.output.close()
        last.start()

    try:
        await moves_under_load(tmp_path, stations, kill)
    finally:
        for restart in restarts:
            await asyncio.to_thread(restart.join, 120)


async def test_a12_forged_replayed_and_stolen_over_the_wire(stations, tmp_path):
    place = place_of(stations[0])
    alice_home, mallory_home = Folder.make(tmp_path / "a", place), Folder.make(tmp_path / "m", place)
    async with here(alice_home, mallory_home) as [alice, mallory]:
        await alice.subscribe("all", "sparql", QUERY)
        await replayed(alice, mallory)
    secret = alice_home.keys().secret
    # A forged identity: the key without the secret, the secret without the key.
    await refused(alice_home, PeerKeys(alice_home.keys().private_key, new_secret()), "secret")
    await refused(mallory_home, PeerKeys(mallory_home.keys().private_key, secret), "secret")
    # A stolen public identifier, even with all that belongs to it, over a connection under another key.
    await refused(Folder.make(tmp_path / "t", place), alice_home.keys(), "key")
    async with here(alice_home) as [alice]:
        assert await alice.publish(events("urn:a12:still:here"))


async def replayed(alice: PeerProgram, mallory: PeerProgram) -> None:
    recorded: list[bytes] = []
    send = alice._sockets.send
    alice._sockets.send = lambda line, data: (recorded.append(data), send(line, data))
    await alice.publish(events("urn:a12:1"))
    [line], [other] = alice._sockets._sockets, mallory._sockets._sockets
    send(line, recorded[0])
    mallory._sockets.send(other, recorded[0])
    await until(lambda: alice.refusal is not None and mallory.refusal is not None)
    assert (alice.refusal.reason, mallory.refusal.reason) == ("replay", "session")
    assert alice.is_online


async def refused(folder: Folder, keys: PeerKeys, reason: str) -> None:
    """A program under a folder's own connection says with other keys who it is."""
    program = PeerProgram(folder, seconds=3.0)
    program._peer._connections._keys = keys
    async with program:
        with pytest.raises(NodeUnreachable):
            await program.connected()
    assert program.refusal.reason == reason
