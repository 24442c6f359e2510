"""`triplewire space` and `serve --space`: a space of real processes, and what is told when something is wrong."""

from __future__ import annotations

import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.node.processes import free_port, running

from triplewire.cli.space.processes import settle, space
from triplewire.node.transport.keys import NetworkKey

PROGRAM = [sys.executable, "-m", "triplewire"]


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--space",), "wanted the space's key with --space, found none; --key FILE"),
        (("--space-address", "tcp://127.0.0.1:7171"), "wanted --space with --space-address"),
        (
            ("--space", "--key", "space.key", "--network-address", "tcp://127.0.0.1:7171"),
            "wanted a node of a space or a super-peer of a network",
        ),
        (("--space", "--key", "space.key", "--strategy", "best"), "--strategy = 'best'"),
        (("--space", "--key", "space.key", "--event-bytes", "99999999"), "in a space, found 99,999,999"),
        (("--space", "--key", "space.key", "--host", "0.0.0.0"), "wanted --space-address"),
        (("--space", "--key", "space.key", "--join", "ipc:///tmp/x"), "wanted the address to join at"),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(run, workspace: Path, flags: tuple[str, ...], words: str):
    NetworkKey.new().write(workspace / "space.key")
    refused = run("serve", "--data", "data", *flags)
    assert refused.exit_code == 2
    assert words in flat(refused.stderr)


def test_a_demo_wants_three_nodes(run):
    refused = run("space", "up", "--nodes", "2", "--demo")
    assert refused.exit_code == 2
    assert "three nodes" in refused.stderr


def test_a_node_that_is_in_no_space_says_so(run, tmp_path: Path):
    with running(tmp_path / "data", "--open") as node:
        for command in (("show",), ("explain", "ASK { ?s ?p ?o }")):
            refused = run("space", *command, "--node", node.url)
            assert refused.exit_code == 1
            assert "wanted a node of an event space, found one that is in none" in flat(refused.stderr)


def test_a_join_that_fails_says_how_far_it_came(workspace: Path):
    NetworkKey.new().write(workspace / "space.key")
    nobody = f"tcp://127.0.0.1:{free_port()}"
    command = [*PROGRAM, "serve", "--data", "data", "--open", "--port", str(free_port()), "--space"]
    command += ["--key", "space.key", "--join", nobody, "--join-seconds", "1"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    assert ended.returncode == 1
    assert f"no node of the space let this one in within 1 seconds; at {nobody}: nobody listens" in flat(ended.stderr)


def test_the_tiling_is_shown_and_drawn_and_a_query_explained(run, tmp_path: Path):
    with space(tmp_path, 2, print) as processes:
        views = settle(processes)
        drawn = tmp_path / "tiling.svg"
        shown = run("space", "show", "--zones", "--svg", str(drawn), "--node", processes[1].url)
        assert shown.exit_code == 0, shown.stderr
        for view in views:
            assert view.id in shown.stdout
        assert ET.fromstring(drawn.read_text(encoding="utf-8")).tag.endswith("svg")
        explained = run("space", "explain", "ASK { ?s <urn:p> ?o FILTER(?o > 7) }", "--node", processes[0].url)
        assert explained.exit_code == 0, explained.stderr
        assert "of 2 zones" in explained.stdout
        assert 'in which "10" comes before "9"' in explained.stdout


def test_ctrl_c_ends_the_space_in_order(tmp_path: Path):
    command = [*PROGRAM, "space", "up", "--nodes", "1", "--folder", str(tmp_path / "space")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as up:
        assert up.stderr is not None
        for line in up.stderr:
            if "the space is up" in line:
                break
        up.send_signal(signal.SIGINT)
        _, rest = up.communicate(timeout=120)
    assert up.returncode == 0
    assert "ending the space" in rest


@pytest.mark.slow
@pytest.mark.parametrize("nodes", ["4", "8"])
def test_the_demo_loses_nothing(nodes: str):
    done = subprocess.run(
        [*PROGRAM, "space", "up", "--nodes", nodes, "--demo"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout
    assert "nothing was lost" in done.stdout


def flat(text: str) -> str:
    return " ".join(text.split())
