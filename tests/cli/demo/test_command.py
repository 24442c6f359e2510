"""`triplewire demo`, as a process: what it prints, what it leaves behind, and how it ends."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from triplewire.cli.node.processes import free_port
from triplewire.client import Client

PROGRAM = [sys.executable, "-m", "triplewire", "demo", "--no-browser"]


@contextmanager
def demo(*flags: str) -> Iterator[subprocess.Popen[str]]:
    command = [*PROGRAM, *flags]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                process.communicate(timeout=60)


def read_until(process: subprocess.Popen[str], *words: str) -> list[str]:
    """The lines up to the one with which all of these words have been said."""
    missing, lines = set(words), list[str]()
    assert process.stdout is not None
    while missing:
        line = process.stdout.readline()
        assert line, f"it ended without {missing}: {lines}"
        lines.append(line)
        missing = {word for word in missing if word not in line}
    return lines


@pytest.mark.system
def test_it_fills_a_node_and_keeps_it_busy_until_interrupted(tmp_path: Path):
    port = free_port()
    with demo("--port", str(port), "--every", "0.05", "--data", str(tmp_path)) as process:
        said = read_until(process, "The page:", "alert:", "published:", "takes", "+ (", "− (")
        assert any(f"http://127.0.0.1:{port}/" in line for line in said)
        with Client(f"http://127.0.0.1:{port}") as client:
            assert len(client.subscriptions()) == 3
            assert len(client.views()) == 4
            assert {rule.name for rule in client.rules()} == {"put_aside", "recommend"}
        process.send_signal(signal.SIGINT)
        _, diagnostics = process.communicate(timeout=60)
    assert process.returncode == 0, diagnostics
    assert "ending the node" in diagnostics
    assert "Traceback" not in diagnostics
    assert (tmp_path / "library" / "triplewire.sqlite").exists()
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


@pytest.mark.system
def test_it_goes_on_in_the_folder_of_the_last_time(tmp_path: Path):
    for _ in range(2):
        done = subprocess.run(
            [*PROGRAM, "--seconds", "1", "--every", "0.1", "--data", str(tmp_path), "--port", str(free_port())],
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def test_a_port_that_is_taken_is_told_before_anything_is_started(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = run("demo", "--no-browser", "--port", str(port))
    assert refused.exit_code == 1
    assert f"wanted a port that is free in --port {port}" in " ".join(refused.stderr.split())
