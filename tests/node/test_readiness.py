"""A service manager hears from a node: by a socket in a folder, by one without a file, and from a real process."""

from __future__ import annotations

import logging
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.node.node_process import NodeProcess

from triplewire.node.readiness import tell_ready, tell_stopping


@contextmanager
def manager(address: str) -> Iterator[socket.socket]:
    """What systemd would listen at."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(address)
        listening.settimeout(60)
        yield listening


@pytest.fixture
def folder() -> Iterator[Path]:
    """Not pytest's: the name of a socket may have a hundred bytes."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def test_ready_and_stopping_are_one_datagram_each(folder: Path):
    path = str(folder / "notify")
    with manager(path) as listening:
        tell_ready("http://127.0.0.1:8080", {"NOTIFY_SOCKET": path})
        tell_stopping({"NOTIFY_SOCKET": path})
        assert listening.recv(1000) == b"READY=1\nSTATUS=listening at http://127.0.0.1:8080"
        assert listening.recv(1000) == b"STOPPING=1\nSTATUS=ending what was begun"


def test_a_socket_without_a_file_is_named_by_an_at_sign(folder: Path):
    name = f"triplewire-test-{folder.name}"
    with manager(f"\0{name}") as listening:
        tell_stopping({"NOTIFY_SOCKET": f"@{name}"})
        assert listening.recv(1000).startswith(b"STOPPING=1")


@pytest.mark.parametrize("environment", [{}, {"NOTIFY_SOCKET": ""}])
def test_without_a_manager_nothing_is_said(environment: dict[str, str], caplog: pytest.LogCaptureFixture):
    tell_ready("http://127.0.0.1:8080", environment)
    assert caplog.records == []


def test_a_manager_that_is_gone_is_a_warning_and_no_failure(folder: Path, caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.WARNING):
        tell_ready("http://127.0.0.1:8080", {"NOTIFY_SOCKET": str(folder / "gone")})
    assert "could not tell the service manager" in caplog.text


@pytest.mark.system
def test_a_node_says_when_it_listens_and_when_it_stops(folder: Path):
    path = str(folder / "notify")
    with manager(path) as listening:
        node = NodeProcess(folder / "node", "--open", environment={"NOTIFY_SOCKET": path})
        try:
            ready = listening.recv(1000).decode().splitlines()
            assert ready == ["READY=1", f"STATUS=listening at http://127.0.0.1:{node.port}"]
        finally:
            code = node.stop()
        assert code == 0
        assert listening.recv(1000).startswith(b"STOPPING=1")


@pytest.mark.system
def test_an_end_before_the_node_is_up_was_never_ready(folder: Path):
    path = str(folder / "notify")
    with manager(path) as listening, socket.create_server(("127.0.0.1", 0)) as taken:
        flags = ["--port", str(taken.getsockname()[1])]
        with pytest.raises(AssertionError, match="cannot listen"):
            NodeProcess(folder / "node", "--open", *flags, environment={"NOTIFY_SOCKET": path})
        listening.setblocking(False)
        with pytest.raises(BlockingIOError):
            listening.recv(1000)
