"""`triplewire network up`: a whole network of super-peers on this machine, each a process of its own."""

from __future__ import annotations

import signal
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated, Self

import typer

from triplewire.cli.invocation import FAILED
from triplewire.cli.network.processes import SuperPeerProcess, network, settle
from triplewire.cli.screen import diagnostics, output, plain, show_table
from triplewire.wire.networks import NetworkView

EXAMPLES = """[bold]Examples[/bold]

triplewire network up --super-peers 8

triplewire network up --super-peers 8 --demo

triplewire network up --super-peers 5 --folder ./network
"""
_LOOK_SECONDS = 0.5


def up_command(
    super_peers: Annotated[int, typer.Option("--super-peers", min=1, max=64, help="How many.")] = 8,
    folder: Annotated[
        Path | None,
        typer.Option(help="Where they keep what must survive. The same folder again goes on; else it is thrown away."),
    ] = None,
    demo: Annotated[
        bool,
        typer.Option("--demo", help="Play the paper's introduction (Hannover, Crete and Bob), check it, and end."),
    ] = False,
) -> None:
    """Start a network of super-peers on loopback, and keep it until Ctrl-C.

    Each is a node of its own, open to everybody on this machine: talk to any of them with --node. With --demo the
    exit code tells whether everything came out as it must.
    """
    if demo and super_peers < 3:
        raise typer.BadParameter("the demo wants three access points at least", param_hint="--super-peers")
    with Stop() as stop, _kept(folder) as place, network(place, super_peers, _report, stop.ending) as processes:
        _show(processes, settle(processes))
        if not demo:
            _keep(processes, stop)
        elif not _played(processes):
            raise typer.Exit(FAILED)


def _played(processes: Sequence[SuperPeerProcess]) -> bool:
    # It imports what a network does without.
    from triplewire.cli.network.demo import play

    return play(processes)


def _show(processes: Sequence[SuperPeerProcess], views: Sequence[NetworkView]) -> None:
    rows = [
        (
            str(view.slot),
            view.label or "",
            view.address,
            process.url,
            ", ".join(f"{neighbour.slot} ({neighbour.label})" for neighbour in view.neighbours),
            process.name,
            str(process.pid),
        )
        for process, view in zip(processes, views, strict=True)
    ]
    rows.sort(key=lambda row: int(row[0]))
    show_table(("place", "label", "address", "HTTP", "neighbours by dimension", "folder", "process"), rows)
    output().file.flush()


def _keep(processes: Sequence[SuperPeerProcess], stop: Stop) -> None:
    """Wait for a signal, and report processes that end before."""
    _report("the network is up; Ctrl-C ends it")
    gone: set[str] = set()
    while not stop.wait(_LOOK_SECONDS) and len(gone) < len(processes):
        for process in processes:
            if process.has_ended and process.name not in gone:
                gone.add(process.name)
                _report(f"{process.name} has ended")
    _report("ending the network")


@contextmanager
def _kept(folder: Path | None) -> Iterator[Path]:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="triplewire-network-") as made:
        yield Path(made)


class Stop:
    """SIGINT and SIGTERM, inside a `with`: the first ends the network in order, those after it change nothing.

    While the network is kept, waiting ends; at any other time an exception ends what is going on.
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


def _report(text: str) -> None:
    diagnostics().print(plain(text))
