"""`triplewire rules trace`: what rules did in a transaction of a node, or of its network, as a tree."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from triplewire.cli.federation import transactions
from triplewire.cli.federation.scope import Wait
from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.rules.inputs import writable
from triplewire.cli.rules.transaction_tree import as_dot, as_svg, lines
from triplewire.cli.screen import output, plain, warn, write_json

EXAMPLES = """[bold]Examples[/bold]

triplewire rules trace arrival

triplewire rules trace 128 --graph tree.svg

triplewire rules trace arrival --json | jq '.units[] | select(.status == "aborted")'

triplewire rules trace sp-mzuhvlpymk6xo3epygfy5h4oeaejofef/12 --graph tree.dot
"""
_DRAWN = (".svg", ".dot")


class TraceFormat(StrEnum):
    """How the tree is printed."""

    TEXT = "text"
    JSON = "json"


def trace_command(
    schedule: Annotated[
        str,
        typer.Argument(
            metavar="TRANSACTION|POSITION|ID",
            help="The last one of that name, a place in the journal, or a transaction of the network.",
        ),
    ],
    form: Annotated[TraceFormat, typer.Option("--format", help="A tree in words, or one JSON object.")] = (
        TraceFormat.TEXT
    ),
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    graph: Annotated[Path | None, typer.Option("--graph", metavar="PATH", help="Draw the tree: .svg or .dot.")] = None,
    wait: Wait = 2.0,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Show what a schedule of a node did: its transactions, each firing below its cause, and who aborts with whom.

    Digits are a position in the journal (`schedule` in the answer to an update, `position` in changes). Of a
    transaction of the network, such as sp-…/12, it shows the units of all super-peers, and below them the abort graph.
    """
    from triplewire.client.federation.calls import is_unit

    drawn = None if graph is None else writable(graph, _DRAWN)
    is_json = as_json or form is TraceFormat.JSON
    with connect(node, secret_file) as client:
        if is_unit(schedule):
            transactions.trace(client, schedule, wait, drawn, as_json=is_json)
            return
        found = client.trace(int(schedule) if schedule.isascii() and schedule.isdecimal() else schedule)
    if drawn is not None:
        drawn.write_text(as_svg(found) if drawn.suffix.lower() == ".svg" else as_dot(found), encoding="utf-8")
    if is_json:
        write_json([msgspec.to_builtins(found)])
        return
    time = datetime.fromtimestamp(found.time, UTC).isoformat(timespec="seconds")
    output().print(plain(f"schedule {found.schedule:,}, {time}"), soft_wrap=True)
    for line in lines(found):
        output().print(plain(line), soft_wrap=True)
    if not found.units:
        warn("its transactions are not kept: an earlier version executed it, or it was a change of the schema")
