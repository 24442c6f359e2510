"""`triplewire publish`: send events to a node."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from triplewire.cli.inputs import STDIN, Problems, read_events
from triplewire.cli.invocation import FAILED
from triplewire.cli.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.screen import report, write_json

EXAMPLES = """[bold]Examples[/bold]

triplewire publish today.nq

zcat events.nq.gz | triplewire publish -
"""
_BATCH = 100


def publish_command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE|-...", help="RDF files, or - for N-Quads from stdin.")],
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Publish events. Prints each event's IRI and position once it is on the node's disk, one JSON object a line.

    If any file cannot be read, nothing is sent.
    """
    problems = Problems()
    events = read_events([STDIN if str(file) == "-" else file for file in files], problems)
    if problems.sentences:
        report(problems.sentences)
        raise typer.Exit(FAILED)
    with connect(node, secret_file) as client:
        for start in range(0, len(events), _BATCH):
            receipts = client.publish(events[start : start + _BATCH])
            write_json({"event": receipt.event, "position": receipt.position} for receipt in receipts)
            sys.stdout.flush()
