"""`triplewire clients`: who may talk to a node; `--register` makes a new one."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.screen import write_json

EXAMPLES = """[bold]Examples[/bold]

triplewire clients --secret-file admin.secret

triplewire clients --secret-file admin.secret --register sensor-7
"""


def clients_command(
    register: Annotated[str | None, typer.Option("--register", metavar="NAME", help="Make a new client.")] = None,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """List a node's clients, one JSON object a line; or make one, whose secret is shown this once."""
    with connect(node, secret_file) as client:
        if register is None:
            write_json(client.clients())
        else:
            write_json([msgspec.to_builtins(client.register(register))])
