"""`triplewire peer` against real processes: access points on loopback, also killed, also two of one network."""

from __future__ import annotations

import asyncio
import json
import signal
import time
import urllib.request
from pathlib import Path

import pytest
from tests.node.processes import Process, free_port

from triplewire.client import Client
from triplewire.client.peer import Folder, PeerProgram
from triplewire.network.sessions.peer.connections import ConnectionTimings
from triplewire.node.transport.keys import NetworkKey

QUERY = "SELECT ?o WHERE { ?s <urn:p> ?o }"
QUICK = ConnectionTimings(keep_alive=0.5, retry_after=1.0, timeout=3.0)


def lines(result) -> list[dict]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def at(process: Process) -> list[str]:
    """The options that lead to an access point, as its health tells."""
    with urllib.request.urlopen(f"{process.url}/health", timeout=60) as answer:
        told = json.loads(answer.read())
    return ["--at", told["peers"], "--key", told["key"]]


def write_events(folder: Path, *names: str) -> str:
    file = folder / f"{names[0].replace(':', '-')}.nq"
    file.write_text("".join(f'<urn:s> <urn:p> "{name}" <{name}> .\n' for name in names))
    return str(file)


@pytest.fixture
def serving(tmp_path):
    """Starts access points, and ends them by their process ids."""
    started: list[Process] = []

    def serve(name: str, *flags: str) -> Process:
        peers = f"tcp://127.0.0.1:{free_port()}"
        process = Process(tmp_path / name, "--open", "--peers", peers, *flags)
        process.start()
        started.append(process)
        return process

    yield serve
    for process in started:
        if process.process.poll() is None:
            process.stop()


def test_a_peer_subscribes_goes_and_comes_back_over_a_kill(run, serving, tmp_path):
    node = serving("AP")
    alice, bob = ["peer", "--home", str(tmp_path / "alice")], ["peer", "--home", str(tmp_path / "bob")]
    [made] = lines(run(*alice, *at(node), "init"))
    assert made["peer"].startswith("tw-")
    lines(run(*alice, "subscribe", QUERY, "--name", "all"))
    # Bob's home is made by the way.
    [receipt] = lines(run(*bob, *at(node), "publish", write_events(tmp_path, "urn:e:1")))
    assert receipt == {"event": "urn:e:1", "position": 1}
    # What was acknowledged is on the disk, and so is what waits for Alice.
    node.stop(signal.SIGKILL)
    node.start()
    lines(run(*bob, "publish", write_events(tmp_path, "urn:e:2")))
    found = lines(run(*alice, "listen", "--count", "2"))
    assert [one["event"] for one in found] == ["urn:e:1", "urn:e:2"]
    assert found[0]["subscription"] == "all"
    assert [one["event"] for one in lines(run(*alice, "notifications"))] == ["urn:e:1", "urn:e:2"]
    [status] = lines(run(*alice, "status"))
    assert (status["peer"], status["notifications"], status["previous"]) == (made["peer"], 2, [])
    lines(run(*alice, "unsubscribe", "all"))
    [status] = lines(run(*alice, "status"))
    assert status["subscriptions"] == {}


def test_what_retention_removed_is_said_on_standard_error(run, serving, tmp_path):
    node = serving("AP", "--retention-bytes", "200", "--housekeeping-seconds", "0.1")
    alice, bob = ["peer", "--home", str(tmp_path / "alice")], ["peer", "--home", str(tmp_path / "bob")]
    lines(run(*alice, *at(node), "subscribe", QUERY, "--name", "all"))
    names = [f"urn:e:{number}" for number in range(10, 30)]
    lines(run(*bob, *at(node), "publish", write_events(tmp_path, *names)))
    with Client(node.url) as client:
        while (page := client.read_log(0)).gap is None:
            time.sleep(0.05)
    left = page.nquads.count(b"\n")
    heard = run(*alice, "listen", "--count", str(left))
    assert [one["event"] for one in lines(heard)] == names[-left:]
    sentence = f"notifications of 'all' after position 0, up to {20 - left}, are lost"
    assert sentence in heard.stderr
    assert sentence in run(*alice, "notifications").stderr
    [status] = lines(run(*alice, "status"))
    assert [(gap["subscription"], gap["after"], gap["until"]) for gap in status["lost"]] == [("all", 0, 20 - left)]


def test_an_access_point_may_want_an_invitation(run, serving, tmp_path):
    (tmp_path / "invitations").write_text("an invitation that nobody guesses\n".replace(" ", "-"))
    node = serving("AP", "--peers-invitations", str(tmp_path / "invitations"))
    alice = ["peer", "--home", str(tmp_path / "alice")]
    refused = run(*alice, *at(node), "subscribe", QUERY, "--seconds", "2")
    assert refused.exit_code == 1
    assert "wanted an invitation to this access point, found none" in refused.output
    invited = [*alice, *at(node), "--invitation", str(tmp_path / "invitations")]
    lines(run(*invited, "subscribe", QUERY, "--name", "all"))
    lines(run(*alice, "unsubscribe", "all"))
    (tmp_path / "two").write_text("one two")
    assert (
        "wanted one invitation, found 2"
        in run(*alice, *at(node), "--invitation", str(tmp_path / "two"), "status").output
    )


def test_what_is_wrong_is_said(run, serving, tmp_path):
    node = serving("AP")
    nowhere = run("peer", "--home", str(tmp_path / "nobody"), "listen")
    assert nowhere.exit_code == 1
    assert "peer init" in nowhere.output
    home = ["peer", "--home", str(tmp_path / "alice")]
    lines(run(*home, *at(node), "init"))
    for wrong, words in (
        ([*home, *at(node), "init"], "found one that has one"),
        ([*home, "subscribe", "SELECT nonsense"], "wanted"),
        ([*home, "unsubscribe", "nothing"], "found 'nothing'"),
        ([*home, "request", "urn:e:9", "r"], "found none of <urn:e:9>"),
        ([*home, "advertise"], "--schema IRI"),
        ([*home, "--at", "ipc:///x", "--key", at(node)[3], "status"], "tcp://HOST:PORT"),
        ([*home, "--at", at(node)[1], "--key", "short", "status"], "public key of 32 bytes"),
    ):
        found = run(*wrong)
        assert found.exit_code == 1, found.output
        assert words in found.output
    assert lines(run(*home, "status"))[0]["subscriptions"] == {}


def test_a_node_that_is_away_is_said_to_be(run, tmp_path):
    home = ["peer", "--home", str(tmp_path / "alice")]
    key = "A" * 42 + "I"
    lines(run(*home, "--at", f"tcp://127.0.0.1:{free_port()}", "--key", key, "init"))
    found = run(*home, "listen", "--seconds", "1")
    assert found.exit_code == 1
    assert "found none" in found.output


def test_two_access_points_advertise_request_and_move(run, serving, tmp_path):
    """A network of two real super-peers: what is published at one is notified at the other, and Alice moves there."""
    key = tmp_path / "network.key"
    NetworkKey.new().write(key)
    backbone = f"tcp://127.0.0.1:{free_port()}"
    one = serving("AP", "--key", str(key), "--network-address", backbone)
    other = serving("AP2", "--key", str(key), "--join", backbone)
    alice, bob = ["peer", "--home", str(tmp_path / "alice")], ["peer", "--home", str(tmp_path / "bob")]
    lines(run(*alice, *at(one), "init"))
    lines(run(*bob, *at(other), "init"))
    lines(run(*alice, "subscribe", QUERY, "--name", "all"))
    assert run(*bob, "advertise", "--schema", "urn:").exit_code == 0
    lines(run(*bob, "publish", write_events(tmp_path, "urn:e:1")))
    assert [found["event"] for found in lines(run(*alice, "listen", "--count", "1"))] == ["urn:e:1"]
    (tmp_path / "bob" / "resources" / "r").write_bytes(b"the resource")
    [asked] = lines(run(*alice, "request", "urn:e:1", "r"))
    assert not asked["online"]
    lines(run(*bob, "publish", write_events(tmp_path, "urn:e:2", "urn:e:3")))
    moved = lines(run(*alice, *at(other), "move"))
    assert moved[0]["at"] == at(other)[1]
    lines(run(*bob, "publish", write_events(tmp_path, "urn:e:4")))
    asyncio.run(_has_all(Folder(tmp_path / "alice"), 4, b"the resource"))
    assert lines(run(*alice, "status"))[0]["previous"] == []


async def _has_all(folder: Folder, count: int, content: bytes) -> None:
    def is_there() -> bool:
        files = [file.read_bytes() for file in (folder.path / "rendezvous").iterdir()]
        return len(folder.notifications()) == count and content in files

    async with asyncio.timeout(60), PeerProgram(folder, timings=QUICK) as peer:
        await peer.connected()
        while not is_there():
            await asyncio.sleep(0.05)
