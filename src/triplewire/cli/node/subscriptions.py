"""`triplewire subscriptions`: what stands at a node: list, show, delete, reset."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from triplewire.cli.invocation import Job
from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.screen import labelled, output, show_table, write_json

app = typer.Typer(no_args_is_help=True, help="The standing queries at a node: list, show, delete, reset.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The subscription's name.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]
_HEADERS = ("name", "owner", "state", "acknowledged", "latest", "query")

_LIST = """[bold]Examples[/bold]

triplewire subscriptions list

triplewire subscriptions list --json | jq 'select(.state == "quarantined") | .reason'
"""
_SHOW = """[bold]Examples[/bold]

triplewire subscriptions show papers
"""
_DELETE = """[bold]Examples[/bold]

triplewire subscriptions delete papers
"""
_RESET = """[bold]Examples[/bold]

triplewire subscriptions reset papers --from beginning

triplewire subscriptions reset papers --from 1200
"""


@app.command("list", cls=Job, epilog=_LIST)
def list_command(as_json: AsJson = False, node: NodeUrl = DEFAULT_NODE, secret_file: SecretFile = None) -> None:
    """List this client's subscriptions; an administrator's list has everybody's."""
    with connect(node, secret_file) as client:
        found = client.subscriptions()
    if as_json:
        write_json(msgspec.to_builtins(one) for one in found)
        return
    rows = ((s.name, s.owner, s.state, f"{s.acknowledged:,}", f"{s.latest:,}", _one_line(s.text)) for s in found)
    show_table(_HEADERS, rows)


@app.command("show", cls=Job, epilog=_SHOW)
def show_command(
    name: Name, as_json: AsJson = False, node: NodeUrl = DEFAULT_NODE, secret_file: SecretFile = None
) -> None:
    """Show one subscription: its query, its options, and how far it has come."""
    with connect(node, secret_file) as client:
        found = msgspec.to_builtins(client.subscription(name))
    found = {key: value for key, value in found.items() if value is not None and key != "is_new"}
    if as_json:
        write_json([found])
        return
    for key, value in found.items():
        output().print(labelled(f"{key:<14}", "dim", str(value)), soft_wrap=True)


@app.command("delete", cls=Job, epilog=_DELETE)
def delete_command(name: Name, node: NodeUrl = DEFAULT_NODE, secret_file: SecretFile = None) -> None:
    """Forget a subscription and everything that waits for it."""
    with connect(node, secret_file) as client:
        client.unsubscribe(name)


@app.command("reset", cls=Job, epilog=_RESET)
def reset_command(
    name: Name,
    start: Annotated[
        str, typer.Option("--from", metavar="now|beginning|POSITION", help="After which position it begins again.")
    ],
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Begin a subscription again at another position. What waits for it is dropped."""
    with connect(node, secret_file) as client:
        write_json([{"id": name, "acknowledged": client.reset(name, start).acknowledged}])


def _one_line(text: str) -> str:
    return " ".join(text.split())
