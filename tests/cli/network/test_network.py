"""`triplewire network`: keys, a network of real processes, and what is told when something is wrong."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.node.processes import free_port, running

from triplewire.cli.network.processes import SuperPeerProcess
from triplewire.cli.network.traffic import path, sent_so_far
from triplewire.node.transport.keys import NetworkKey
from triplewire.wire.networks import IndexView, NetworkView

PROGRAM = [sys.executable, "-m", "triplewire"]


def test_a_key_is_made_once(run, workspace):
    made = run("network", "key", "network.key")
    assert made.exit_code == 0, made.output
    assert made.stdout == ""
    assert stat.S_IMODE(Path("network.key").stat().st_mode) == 0o600
    key = NetworkKey.read(Path("network.key"))
    again = run("network", "key", "network.key")
    assert again.exit_code == 1
    assert "network.key: File exists" in again.stderr
    assert NetworkKey.read(Path("network.key")) == key
    assert key.text not in made.output + again.output


def test_a_demo_wants_three_access_points(run):
    refused = run("network", "up", "--super-peers", "2", "--demo")
    assert refused.exit_code == 2
    assert "three access points" in refused.stderr


def serve(*flags: str) -> subprocess.CompletedProcess[str]:
    command = [*PROGRAM, "serve", "--data", "data", "--open", "--port", str(free_port()), *flags]
    return subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)


def test_a_join_that_fails_says_how_far_it_came(workspace):
    NetworkKey.new().write(workspace / "network.key")
    nobody = f"tcp://127.0.0.1:{free_port()}"
    ended = serve("--key", "network.key", "--join", nobody, "--join-seconds", "1")
    assert ended.returncode == 1
    assert f"no super-peer let this one in within 1 seconds; at {nobody}: nobody listens" in flat(ended.stderr)


def test_a_network_of_another_key_lets_nobody_in(workspace):
    for name in ("mine.key", "theirs.key"):
        NetworkKey.new().write(workspace / name)
    address = f"tcp://127.0.0.1:{free_port()}"
    theirs = ("--open", "--key", "theirs.key", "--network-address", address)
    with running(workspace / "theirs", *theirs) as node:
        ended = serve("--key", "mine.key", "--join", address, "--join-seconds", "1")
        assert ended.returncode == 1
        assert f"at {address}: somebody listens, but is no super-peer of this network" in flat(ended.stderr)
        taken = serve("--key", "theirs.key", "--network-address", address)
        assert taken.returncode == 1
        assert f"cannot listen on {address} for super-peers: Address already in use" in flat(taken.stderr)
        assert "wanted a super-peer of this network, found another" in flat(node.words())


def test_wrong_calls_are_told_before_the_folder_is_opened(workspace):
    (workspace / "wrong.key").write_text("twn_nonsense")
    for flags, words in (
        (("--join", "tcp://127.0.0.1:1"), "found none; --key FILE"),
        (("--key", "absent.key"), "absent.key: No such file"),
        (("--key", "wrong.key"), "wrong.key: wanted a network key"),
    ):
        ended = serve(*flags)
        assert ended.returncode == 2
        assert words in flat(ended.stderr)
        assert not (workspace / "data").exists()


def flat(text: str) -> str:
    return " ".join(text.split())


def test_a_node_on_its_own_has_nothing_to_show(run, tmp_path):
    with running(tmp_path / "data", "--open") as node:
        shown = run("network", "show", "--node", node.url)
        assert shown.exit_code == 1
        assert "in no network" in shown.stderr


def test_a_network_comes_up_is_shown_loses_one_and_ends_in_order(run, tmp_path):
    output = (tmp_path / "up.log").open("wb")
    folder = tmp_path / "network"
    command = [*PROGRAM, "network", "up", "--super-peers", "3", "--folder", str(folder)]
    process = subprocess.Popen(command, stdout=output, stderr=output)
    try:
        wait_for(tmp_path / "up.log", "the network is up", process)
        text = (tmp_path / "up.log").read_text()
        urls, pids = re.findall(r"http://127.0.0.1:\d+", text), pids_in(text)
        assert len(urls) == len(pids) == 3
        shown = run("network", "show", "--node", urls[0])
        assert shown.exit_code == 0, shown.output
        assert "place 0, label 00" in shown.stdout
        for heading in ("SP/P index", "SP/SP index", "poset: 0 subscriptions"):
            assert heading in shown.stdout
        as_json = run("network", "show", "--node", urls[2], "--json")
        assert as_json.stdout.count('"status":"alive"') == 3
        os.kill(pids[1], signal.SIGKILL)
        wait_for(tmp_path / "up.log", "has ended", process)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        assert process.wait(120) == 0
        assert not any(is_running(pid) for pid in pids)
        assert sorted(path.name for path in folder.iterdir())[0] == "network.key"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(120)
        output.close()


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 8])
def test_the_introduction_of_the_paper(tmp_path, size):
    command = [*PROGRAM, "network", "up", "--super-peers", str(size), "--demo", "--folder", str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "everything came out as it must" in ended.stdout
    assert not any(is_running(pid) for pid in pids_in(ended.stdout))


def wait_for(log: Path, words: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(4_000):
        if words in log.read_text():
            return
        assert process.poll() is None, log.read_text()
        time.sleep(0.1)
    raise AssertionError(f"wanted {words!r}, found {log.read_text()}")


def pids_in(text: str) -> list[int]:
    """The last column of the table of super-peers."""
    rows = [line for line in text.splitlines() if "tcp://" in line]
    return [int(re.findall(r"\d+", row)[-1]) for row in rows]


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "zombie" not in Path(f"/proc/{pid}/status").read_text()


def view(name: str, slot: int, **lines: dict[str, int]) -> NetworkView:
    return NetworkView(
        id=name,
        address="",
        network="",
        stage="in",
        slot=slot,
        label="",
        head=0,
        members=(),
        neighbours=(),
        peers=IndexView(),
        dimensions=IndexView(),
        poset=(),
        subscriptions=0,
        sent={},
        received={},
        lines=lines,
        events={},
        refused={},
        dropped={},
    )


def test_traffic_is_told_by_places_and_without_what_never_ends():
    views = [view("a", 2, b={"notify": 1, "beat": 9}, stranger={"notify": 5}), view("b", 0, a={"subscribe": 2})]
    assert sent_so_far(views) == {(2, 0, "notify"): 1, (0, 2, "subscribe"): 2}
    assert path(sent_so_far(views[:1]) + sent_so_far([]), 2) == [2]


def test_a_process_that_never_started_needs_no_end(tmp_path):
    process = SuperPeerProcess(tmp_path, 0, tmp_path / "key")
    process.ask_to_end()
    process.end()
    assert not process.has_ended
