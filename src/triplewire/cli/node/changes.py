"""`triplewire changes`: what has changed in the living graph of a node, as RDF Patch."""

from __future__ import annotations

import sys
from typing import Annotated

import msgspec
import typer

from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.screen import remark, write_json
from triplewire.wire.answers import ChangePage
from triplewire.wire.change_patches import patch_of

EXAMPLES = """[bold]Examples[/bold]

triplewire changes --after 120 > since.rdfp

triplewire changes --follow --json
"""
_WAIT_SECONDS = 20.0
_PAGE = 100


def changes_command(
    after: Annotated[int, typer.Option("--after", metavar="POSITION", min=0, help="Begin after this one.")] = 0,
    follow: Annotated[bool, typer.Option("--follow", help="Go on until interrupted.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line instead of RDF Patch.")] = False,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Print what has changed in a node's living graph, transaction by transaction."""
    with connect(node, secret_file) as client:
        while True:
            page = client.changes(after, _PAGE, wait=_WAIT_SECONDS if follow else 0.0)
            if page.gap is not None:
                remark(f"retention has removed the changes up to {page.gap:,}")
            _print(page, as_json=as_json)
            if not follow and page.position >= page.head:
                return
            after = page.position


def _print(page: ChangePage, *, as_json: bool) -> None:
    if as_json:
        write_json(msgspec.to_builtins(change) for change in page.changes)
    else:
        for change in page.changes:
            sys.stdout.write(patch_of(change))
    sys.stdout.flush()
