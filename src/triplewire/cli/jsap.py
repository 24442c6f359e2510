"""`triplewire jsap …`: the queries and updates of a JSAP file, by name."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from triplewire.cli.invocation import Job
from triplewire.cli.node.query import show_answer
from triplewire.cli.node.remote import SecretFile, secret_of
from triplewire.cli.screen import output, plain, remark, write_json
from triplewire.errors import InputError

if TYPE_CHECKING:
    from triplewire.client.jsap import Jsap

QUERY_EXAMPLES = """[bold]Examples[/bold]

triplewire jsap query chat.jsap SAID --bind person=http://example.org/ann
"""
UPDATE_EXAMPLES = """[bold]Examples[/bold]

triplewire jsap update chat.jsap SAY --bind person=http://example.org/ann --bind 'text=Hello, "world"'

triplewire jsap update chat.jsap SAY --bind person=ex:ann --bind text=Hello --dry-run
"""
SUBSCRIBE_EXAMPLES = """[bold]Examples[/bold]

triplewire jsap subscribe chat.jsap SAID | jq .added
"""

app = typer.Typer(
    name="jsap",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Use a JSAP file: SEPA's queries and updates by name, at the server that the file names.",
)

JsapFile = Annotated[Path, typer.Argument(metavar="FILE", help="A JSAP file, in JSON.")]
Name = Annotated[str, typer.Argument(metavar="ID", help="The name of the query or update in the file.")]
Bindings = Annotated[
    list[str] | None,
    typer.Option("--bind", metavar="VAR=VALUE", help="A value for a forced binding; the file says of which kind."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the SPARQL that would be sent, and send nothing.")]


def query_command(
    file: JsapFile,
    name: Name,
    bind: Bindings = None,
    dry_run: DryRun = False,
    secret_file: SecretFile = None,
) -> None:
    """Ask a query of a JSAP file: a table on a terminal, elsewhere the server's JSON."""
    from triplewire.client import sepa

    query = _loaded(file).query(name, bindings_in(bind))
    if dry_run:
        _print(query.text)
    elif output().is_terminal:
        show_answer(sepa.ask(query, secret_of(secret_file)))
    else:
        sys.stdout.buffer.write(sepa.query_document(query, secret_of(secret_file))[0])


def update_command(
    file: JsapFile,
    name: Name,
    bind: Bindings = None,
    dry_run: DryRun = False,
    secret_file: SecretFile = None,
) -> None:
    """Do an update of a JSAP file. Every forced binding needs a value, from the file or from --bind."""
    from triplewire.client import sepa

    update = _loaded(file).update(name, bindings_in(bind))
    if dry_run:
        _print(update.text)
        return
    sepa.send(update, secret_of(secret_file))
    remark("done")


def subscribe_command(
    file: JsapFile,
    name: Name,
    bind: Bindings = None,
    count: Annotated[int | None, typer.Option(min=1, help="Stop after so many notifications.")] = None,
    dry_run: DryRun = False,
    secret_file: SecretFile = None,
) -> None:
    """Subscribe to a query of a JSAP file, and print each notification as one JSON object a line, until interrupted.

    The first has the whole answer; each later one, what came and what went.
    """
    from triplewire.client import sepa

    query = _loaded(file).query(name, bindings_in(bind))
    if dry_run:
        _print(query.text)
        return
    with closing(sepa.subscribe(query, secret_of(secret_file))) as notifications:
        for number, told in enumerate(notifications, start=1):
            write_json([{"sequence": told.sequence, "added": told.added.bindings, "removed": told.removed.bindings}])
            sys.stdout.flush()
            if number == count:
                return


def bindings_in(given: Iterable[str] | None) -> dict[str, str]:
    """Values by the name of their variable.

    >>> bindings_in(["?x=a=b", "y="])
    {'x': 'a=b', 'y': ''}
    """
    found: dict[str, str] = {}
    for binding in given or ():
        name, equals, value = binding.partition("=")
        name = name.removeprefix("?")
        if not equals or not name or name in found:
            raise InputError(wanted="--bind VAR=VALUE, each variable once", found=repr(binding))
        found[name] = value
    return found


def _loaded(file: Path) -> Jsap:
    from triplewire.client.jsap import Jsap

    return Jsap.load(file)


def _print(text: str) -> None:
    output().print(plain(text), soft_wrap=True)


app.command("query", cls=Job, epilog=QUERY_EXAMPLES)(query_command)
app.command("update", cls=Job, epilog=UPDATE_EXAMPLES)(update_command)
app.command("subscribe", cls=Job, epilog=SUBSCRIBE_EXAMPLES)(subscribe_command)
