"""`triplewire views`: standing queries over a node's living graph: put, list, show, read, explain, reset, delete."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from triplewire.cli.invocation import Job
from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.screen import labelled, output, show_table, warn, write_json

if TYPE_CHECKING:
    from triplewire.client import Client

app = typer.Typer(no_args_is_help=True, help="Standing queries over a node's living graph.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The view's name.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]
_HEADERS = ("name", "owner", "state", "acknowledged", "latest", "query")

_PUT = """[bold]Examples[/bold]

triplewire views put books 'SELECT ?title { ?book <urn:title> ?title }'

triplewire views put books books.rq --window 5

triplewire views put books books.rq --why
"""
_LIST = """[bold]Examples[/bold]

triplewire views list

triplewire views list --json | jq 'select(.state == "quarantined") | .reason'
"""
_SHOW = """[bold]Examples[/bold]

triplewire views show books
"""
_READ = """[bold]Examples[/bold]

triplewire views read books --follow

triplewire views read books --from 0 | jq -c '{added, removed}'
"""
_EXPLAIN = """[bold]Examples[/bold]

triplewire views explain books
"""
_RESET = """[bold]Examples[/bold]

triplewire views reset books
"""
_DELETE = """[bold]Examples[/bold]

triplewire views delete books
"""


@app.command("put", cls=Job, epilog=_PUT)
def put_command(
    name: Name,
    query: Annotated[str, typer.Argument(metavar="QUERY|FILE.rq", help="A SPARQL query, or a file with one (.rq).")],
    window: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Join what changes in so many seconds into one notification."),
    ] = None,
    retention: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="How long an unread notification is kept.")
    ] = None,
    why: Annotated[bool, typer.Option("--why", help="Say of each item what it stands on.")] = False,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Keep a view: any SELECT, ASK, CONSTRUCT or DESCRIBE over the living graph.

    The same query again changes its options.
    """
    text = Path(query).read_text("utf-8") if query.endswith(".rq") else query
    with connect(node, secret_file) as client:
        made = client.put_view(name, text, window=window, retention=retention, why=why)
    write_json([{"id": made.id, "state": made.state, "latest": made.latest}])


@app.command("list", cls=Job, epilog=_LIST)
def list_command(as_json: AsJson = False, node: NodeUrl = DEFAULT_NODE, secret_file: SecretFile = None) -> None:
    """List this client's views; an administrator's list has everybody's."""
    with connect(node, secret_file) as client:
        found = client.views()
    if as_json:
        write_json(msgspec.to_builtins(one) for one in found)
        return
    rows = ((v.id, v.owner, v.state, f"{v.acknowledged:,}", f"{v.latest:,}", " ".join(v.text.split())) for v in found)
    show_table(_HEADERS, rows)


@app.command("show", cls=Job, epilog=_SHOW)
def show_command(
    name: Name, as_json: AsJson = False, node: NodeUrl = DEFAULT_NODE, secret_file: SecretFile = None
) -> None:
    """Show one view: its query, its options, and how far it has come."""
    with connect(node, secret_file) as client:
        found = msgspec.to_builtins(client.view(name))
    found = {key: value for key, value in found.items() if value is not None}
    if as_json:
        write_json([found])
        return
    for key, value in found.items():
        output().print(labelled(f"{key:<14}", "dim", str(value)), soft_wrap=True)


@app.command("read", cls=Job, epilog=_READ)
def read_command(
    name: Name,
    start: Annotated[
        int | None,
        typer.Option("--from", metavar="POSITION", help="After which position. Default: what is not acknowledged."),
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", help="Go on until interrupted, and acknowledge.")] = False,
    count: Annotated[int | None, typer.Option(min=1, help="Wait for so many notifications, then stop.")] = None,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Print what a view says, as one JSON object a line: its whole answer first, then what each change did to it.

    With --follow or --count it acknowledges what it has printed.
    Else it prints what there is, and acknowledges nothing.
    """
    with connect(node, secret_file) as client:
        if follow or count is not None:
            _follow(client, name, start, count)
        else:
            _read(client, name, start)


def _follow(client: Client, name: str, start: int | None, count: int | None) -> None:
    for number, told in enumerate(client.follow_view(name, after=start), start=1):
        write_json([told.json])
        sys.stdout.flush()
        if number == count:
            client.acknowledge_view(name, told.position)
            return


def _read(client: Client, name: str, start: int | None) -> None:
    place = start
    while True:
        page = client.read_view(name, place)
        if page.gap is not None:
            warn(
                f"what came up to position {page.gap} was removed unread; to begin again: triplewire views reset {name}"
            )
        write_json(told.json for told in page.notifications)
        if page.next is None:
            return
        place = page.next


@app.command("explain", cls=Job, epilog=_EXPLAIN)
def explain_command(
    name: Name, as_json: AsJson = False, node: NodeUrl = DEFAULT_NODE, secret_file: SecretFile = None
) -> None:
    """Say how a view is kept up to date: from what changes, or by evaluating it again, and why."""
    with connect(node, secret_file) as client:
        found = client.explain_view(name)
    if as_json:
        write_json([msgspec.to_builtins(found)])
    else:
        print(found.text)


@app.command("reset", cls=Job, epilog=_RESET)
def reset_command(name: Name, node: NodeUrl = DEFAULT_NODE, secret_file: SecretFile = None) -> None:
    """Begin a view again with its whole answer. What waits for it is dropped; a quarantine ends."""
    with connect(node, secret_file) as client:
        made = client.reset_view(name)
    write_json([{"id": made.id, "state": made.state, "latest": made.latest}])


@app.command("delete", cls=Job, epilog=_DELETE)
def delete_command(name: Name, node: NodeUrl = DEFAULT_NODE, secret_file: SecretFile = None) -> None:
    """Forget a view and everything that waits for it."""
    with connect(node, secret_file) as client:
        client.delete_view(name)
