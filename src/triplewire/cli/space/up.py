"""`triplewire space up`: a whole event space on this machine, each node a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from triplewire.cli.invocation import FAILED
from triplewire.cli.node.processes import Stop, keep, kept_folder
from triplewire.cli.screen import diagnostics, output, plain, show_table
from triplewire.cli.space.processes import SpaceNodeProcess, settle, space
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.wire.spaces import SpaceView

EXAMPLES = """[bold]Examples[/bold]

triplewire space up --nodes 8

triplewire space up --nodes 4 --demo

triplewire space up --nodes 5 --folder ./space --strategy csma
"""
_DEMO_NODES = 3


def up_command(
    nodes: Annotated[int, typer.Option("--nodes", min=1, max=64, help="How many.")] = 8,
    folder: Annotated[
        Path | None,
        typer.Option(help="Where they keep what must survive. The same folder again goes on; else it is thrown away."),
    ] = None,
    strategy: Annotated[
        PublicationStrategy, typer.Option(help="How events are published: quadruple by quadruple, whole, or by size.")
    ] = PublicationStrategy.AUTO,
    demo: Annotated[
        bool,
        typer.Option("--demo", help="Publish a library's feed, subscribe, query, kill a node, check, and end."),
    ] = False,
) -> None:
    """Start an event space on loopback, and keep it until Ctrl-C.

    Each node is open to everybody on this machine: publish, subscribe and query at any of them with --node. With --demo
    the exit code tells whether everything came out as it must.
    """
    if demo and nodes < _DEMO_NODES:
        raise typer.BadParameter("the demo wants three nodes at least", param_hint="--nodes")
    flags = ("--strategy", strategy.value)
    with (
        Stop() as stop,
        kept_folder(folder, "triplewire-space-") as place,
        space(place, nodes, _report, stop.ending, flags) as processes,
    ):
        _show(processes, settle(processes))
        if not demo:
            keep(processes, stop, _report, "the space")
        elif not _played(processes):
            raise typer.Exit(FAILED)


def _played(processes: Sequence[SpaceNodeProcess]) -> bool:
    # It imports what a space does without.
    from triplewire.cli.space.demo import play

    return play(processes)


def _show(processes: Sequence[SpaceNodeProcess], views: Sequence[SpaceView]) -> None:
    rows = [
        (process.name, process.url, view.address, view.id, str(process.pid))
        for process, view in zip(processes, views, strict=True)
    ]
    show_table(("folder", "HTTP", "address", "node", "process"), rows)
    output().file.flush()


def _report(text: str) -> None:
    diagnostics().print(plain(text))
