"""`triplewire network up`: a whole network of super-peers on this machine, each a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from triplewire.cli.invocation import FAILED
from triplewire.cli.network.processes import SuperPeerProcess, network, settle
from triplewire.cli.node.processes import Stop, keep, kept_folder
from triplewire.cli.screen import diagnostics, output, plain, show_table
from triplewire.wire.networks import NetworkView

EXAMPLES = """[bold]Examples[/bold]

triplewire network up --super-peers 8

triplewire network up --super-peers 8 --demo

triplewire network up --super-peers 5 --folder ./network
"""


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
    with (
        Stop() as stop,
        kept_folder(folder, "triplewire-network-") as place,
        network(place, super_peers, _report, stop.ending) as processes,
    ):
        _show(processes, settle(processes))
        if not demo:
            keep(processes, stop, _report, "the network")
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


def _report(text: str) -> None:
    diagnostics().print(plain(text))
