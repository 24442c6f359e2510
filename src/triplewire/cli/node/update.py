"""`triplewire update`: change the living graph of a node by SPARQL Update."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from triplewire.cli.invocation import text_of
from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.screen import write_json

EXAMPLES = """[bold]Examples[/bold]

triplewire update 'INSERT DATA { <urn:ann> <urn:knows> <urn:bob> }'

triplewire update tidy.ru
"""
IdempotencyKey = Annotated[
    str | None,
    typer.Option("--key", metavar="KEY", help="Under the same key it is done once, however often it is sent."),
]


def update_command(
    update: Annotated[
        str, typer.Argument(metavar="UPDATE", help="A SPARQL Update request, a file that ends in .ru, or - for input.")
    ],
    key: IdempotencyKey = None,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Execute a SPARQL Update request on a node's living graph: all of it, as one change, or nothing."""
    with connect(node, secret_file) as client:
        write_json([msgspec.to_builtins(client.update(text_of(update, ".ru"), idempotency_key=key))])
