"""Nodes as processes of their own, on loopback: started, waited for, and ended by their process ids."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import SystemRandom
from types import FrameType
from typing import TYPE_CHECKING, BinaryIO, Generic, Protocol, Self, TypeVar

from triplewire.cli.node.remote import client_at
from triplewire.errors import NetworkError, NodeRefused, NodeUnreachable

if TYPE_CHECKING:
    # The client needs the extra `node`; every command must start without it.
    from triplewire.client import Client


class Addressed(Protocol):
    """What a node says of itself when it is up: where others join it."""

    @property
    def address(self) -> str: ...


V = TypeVar("V", bound=Addressed)

# On a fresh installation the first start compiles the matcher's kernels.
START_SECONDS = 400.0
LOOK_SECONDS = 0.1
_JOIN_SECONDS = 300
_END_SECONDS = 30.0
# More at a time would only wait for each other.
_AT_ONCE = 3
_LAST_BYTES = 2_000
_KEEP_SECONDS = 0.5
_PORTS = range(20_000, 32_000)


class NodeProcess(Generic[V]):
    """`triplewire serve` in a folder of its own; its log stands beside it. `look` asks what it knows of the others."""

    def __init__(
        self, folder: Path, name: str, flags: Sequence[str], look: Callable[[Client], V], port: int | None = None
    ) -> None:
        self.name = name
        self.port = port or free_port()
        self._data = folder / self.name
        self._log = folder / f"{self.name}.log"
        self._flags = flags
        self._look = look
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
        command += ["--port", str(self.port), "--join-seconds", str(_JOIN_SECONDS), *self._flags]
        command += ["--join", ",".join(seeds)] if seeds else []
        self._output = self._log.open("ab")
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self._output, stderr=self._output, start_new_session=True
        )

    @property
    def has_ended(self) -> bool:
        return self._process is not None and self._process.poll() is not None

    def client(self) -> Client:
        """One that talks to it."""
        return client_at(self.url, None)

    def view(self) -> V | None:
        """What it knows of the others, or None while it is not up."""
        try:
            with self.client() as client:
                return self._look(client)
        except (NodeUnreachable, NodeRefused):
            return None

    def wait(self) -> V:
        """Wait until it is up, which it is when it was let in."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and not self.has_ended:
            if (view := self.view()) is not None:
                return view
            time.sleep(LOOK_SECONDS)
        raise NetworkError(
            wanted=f"{self.name} to come up", found="that it did not", hint=f"its log ends:\n{self._last_words()}"
        )

    def ask_to_end(self) -> None:
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill it, as a power cut would, and wait for its end."""
        self._signal(signal.SIGKILL)
        self.end()

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
def running(
    processes: Sequence[NodeProcess[V]], tell: Callable[[str], None], ending: Callable[[], None]
) -> Iterator[None]:
    """Start processes, each once it is let in by the first; ended when the block does, the last one first.

    `ending` is called before the first is told to end.
    """
    try:
        _start(processes, tell)
        yield
    finally:
        ending()
        # Asked one after the other, so that each can say goodbye to those that are left.
        for process in reversed(processes):
            process.ask_to_end()
            time.sleep(LOOK_SECONDS)
        for process in processes:
            process.end()


def _start(processes: Sequence[NodeProcess[V]], tell: Callable[[str], None]) -> None:
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


def keep(processes: Sequence[NodeProcess[V]], stop: Stop, tell: Callable[[str], None], name: str) -> None:
    """Wait for a signal, and report processes that end before."""
    gone: set[str] = set()
    # From here on a signal ends the waiting; whoever reads the line may send one at once.
    stop.wait(0)
    tell(f"{name} is up; Ctrl-C ends it")
    while not stop.wait(_KEEP_SECONDS) and len(gone) < len(processes):
        for process in processes:
            if process.has_ended and process.name not in gone:
                gone.add(process.name)
                tell(f"{process.name} has ended")
    tell(f"ending {name}")


@contextmanager
def kept_folder(folder: Path | None, prefix: str) -> Iterator[Path]:
    """The folder, or one that is thrown away."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix=prefix) as made:
        yield Path(made)


class Stop:
    """SIGINT and SIGTERM, inside a `with`: the first ends the processes in order, those after it change nothing.

    While they are kept, waiting ends; at any other time an exception ends what is going on.
    """

    def __init__(self) -> None:
        self._is_asked = threading.Event()
        self._is_waiting = False
        self._before: dict[int, object] = {}

    def wait(self, seconds: float) -> bool:
        """Whether it is asked for by then."""
        self._is_waiting = True
        return self._is_asked.wait(seconds)

    def ending(self) -> None:
        """From here on a signal has nothing more to ask for."""
        self._is_asked.set()

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._caught) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _caught(self, _number: int, _frame: FrameType | None) -> None:
        if self._is_asked.is_set():
            return
        self._is_asked.set()
        if not self._is_waiting:
            raise KeyboardInterrupt


def free_port(first: int | None = None) -> int:
    """A free port of loopback, below those that systems give to outgoing connections: one of them may take it again.

    It is the `first`, if that is free.
    """
    ports = SystemRandom().sample(_PORTS, len(_PORTS))
    for port in ports if first is None else (first, *ports):
        if is_free(port):
            return port
    raise NetworkError(wanted="a free port of loopback", found=f"none from {_PORTS[0]} to {_PORTS[-1]}")


def is_free(port: int) -> bool:
    """Whether nobody listens at a port of loopback."""
    with socket.socket() as probe:
        # As the server does: a port on which an earlier one has just ended is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
