"""`triplewire dead-letters`: notifications that were given up; `--send` tries one again."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.screen import write_json

EXAMPLES = """[bold]Examples[/bold]

triplewire dead-letters

triplewire dead-letters --send 7
"""


def dead_letters_command(
    send: Annotated[int | None, typer.Option("--send", metavar="ID", min=0, help="Send this one again, now.")] = None,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """List notifications that could not be delivered, one JSON object a line; or send one again."""
    with connect(node, secret_file) as client:
        if send is None:
            write_json(msgspec.to_builtins(letter) for letter in client.dead_letters())
        else:
            client.send_again(send)
