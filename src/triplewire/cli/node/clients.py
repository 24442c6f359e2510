"""`triplewire clients`: who may talk to a node; `--register` makes a new one, `reset-admin` another secret."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from triplewire.cli.invocation import Job, JobGroup
from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.screen import write_json
from triplewire.cli.upkeep import administrator

EXAMPLES = """[bold]Examples[/bold]

triplewire clients --secret-file admin.secret

triplewire clients --secret-file admin.secret --register sensor-7
"""


app = typer.Typer(
    cls=JobGroup, invoke_without_command=True, epilog=EXAMPLES, help="Who may talk to a node: list, register, reset."
)
app.command("reset-admin", cls=Job, epilog=administrator.EXAMPLES)(administrator.reset_admin_command)


@app.callback()
def clients_command(
    context: typer.Context,
    register: Annotated[str | None, typer.Option("--register", metavar="NAME", help="Make a new client.")] = None,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """List a node's clients, one JSON object a line; or make one, whose secret is shown this once."""
    if context.invoked_subcommand is not None:
        return
    with connect(node, secret_file) as client:
        if register is None:
            write_json(client.clients())
        else:
            write_json([msgspec.to_builtins(client.register(register))])
