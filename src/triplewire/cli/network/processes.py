"""Super-peers as processes of their own, on loopback: started, waited for, and ended by their process ids."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from triplewire.cli.network.key import make_key
from triplewire.cli.node.remote import client_at
from triplewire.errors import NetworkError, NodeRefused, NodeUnreachable
from triplewire.wire.networks import NetworkView

KEY = "network.key"
# On a fresh installation the first start compiles the matcher's kernels.
_START_SECONDS = 400.0
_JOIN_SECONDS = 300
_LOOK_SECONDS = 0.1
_END_SECONDS = 30.0
# More at a time would only wait for each other.
_AT_ONCE = 3
_LAST_BYTES = 2_000


class SuperPeerProcess:
    """`triplewire serve` in a folder of its own; its log stands beside it."""

    def __init__(self, folder: Path, number: int, key: Path) -> None:
        self.name = f"sp-{number}"
        self.port = free_port()
        self._data = folder / self.name
        self._log = folder / f"{self.name}.log"
        self._key = key
        self._output: BinaryIO | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        return 0 if self._process is None else self._process.pid

    def start(self, seeds: Sequence[str]) -> None:
        """Start it. In a session of its own: an interrupt from the keyboard is not meant for it."""
        command = [sys.executable, "-m", "triplewire", "serve", "--open", "--data", str(self._data)]
        command += ["--port", str(self.port), "--key", str(self._key), "--join-seconds", str(_JOIN_SECONDS)]
        command += ["--join", ",".join(seeds)] if seeds else []
        self._output = self._log.open("ab")
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self._output, stderr=self._output, start_new_session=True
        )

    @property
    def has_ended(self) -> bool:
        return self._process is not None and self._process.poll() is not None

    def view(self) -> NetworkView | None:
        """What it knows of the network, or None while it is not up."""
        try:
            with client_at(self.url, None) as client:
                return client.network(limit=1_000)
        except (NodeUnreachable, NodeRefused):
            return None

    def wait(self) -> NetworkView:
        """Wait until it is up, which it is when it was let in."""
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline and not self.has_ended:
            if (view := self.view()) is not None:
                return view
            time.sleep(_LOOK_SECONDS)
        raise NetworkError(
            wanted=f"{self.name} to come up", found="that it did not", hint=f"its log ends:\n{self._last_words()}"
        )

    def ask_to_end(self) -> None:
        self._signal(signal.SIGTERM)

    def end(self) -> None:
        """Wait for its end; one that takes too long is killed."""
        if self._process is not None:
            try:
                self._process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                self._signal(signal.SIGKILL)
                self._process.wait()
        if self._output is not None:
            self._output.close()

    def _signal(self, number: int) -> None:
        # A process that has been waited for is not signalled: its id may be another's by now.
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)

    def _last_words(self) -> str:
        return self._log.read_bytes()[-_LAST_BYTES:].decode(errors="replace")


@contextmanager
def network(
    folder: Path, size: int, tell: Callable[[str], None], ending: Callable[[], None] = lambda: None
) -> Iterator[list[SuperPeerProcess]]:
    """So many super-peers of one network, all in; ended when the block does, the last one first.

    `ending` is called before the first is told to end.
    """
    key = folder / KEY
    if not key.exists():
        make_key(key)
    processes = [SuperPeerProcess(folder, number, key) for number in range(size)]
    try:
        _start(processes, tell)
        yield processes
    finally:
        ending()
        # Asked one after the other, so that each can say goodbye to those that are left.
        for process in reversed(processes):
            process.ask_to_end()
            time.sleep(_LOOK_SECONDS)
        for process in processes:
            process.end()


def _start(processes: Sequence[SuperPeerProcess], tell: Callable[[str], None]) -> None:
    founder, *others = processes
    tell(f"starting {founder.name}")
    founder.start(())
    seeds = (founder.wait().address,)
    for place in range(0, len(others), _AT_ONCE):
        wave = others[place : place + _AT_ONCE]
        tell(f"starting {', '.join(process.name for process in wave)}")
        for process in wave:
            process.start(seeds)
        for process in wave:
            process.wait()
    tell("waiting until all know of each other")
    settle(processes)


def settle(processes: Sequence[SuperPeerProcess]) -> list[NetworkView]:
    """Wait until all that run are members and agree on the members; returns their views."""
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        running = [process for process in processes if not process.has_ended]
        views = [view for process in running if (view := process.view()) is not None]
        running_ids = {view.id for view in views}
        if len(views) == len(running) and all(_alive(view) == running_ids for view in views):
            return views
        time.sleep(_LOOK_SECONDS)
    raise NetworkError(wanted="super-peers that know of each other", found="that they did not come to that")


def _alive(view: NetworkView) -> set[str]:
    return {member.id for member in view.members if member.slot is not None} if view.stage == "in" else set()


def free_port() -> int:
    """A free port of loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
