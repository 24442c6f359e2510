"""`triplewire subscribe`: leave a standing query at a node, and print what it finds, live."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from triplewire.algebra.subscriptions import languages
from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.screen import warn, write_json

EXAMPLES = """[bold]Examples[/bold]

triplewire subscribe alerts/koubarakis.rq

triplewire subscribe 'SELECT ?s WHERE { ?s a <http://example.org/Alarm> }' --from beginning | jq .event

triplewire subscribe alerts/koubarakis.rq --why | jq '.why[].quads[].quad'
"""


def subscribe_command(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A SPARQL query, or a file (.rq, .formula, .graph).")],
    start: Annotated[
        str | None,
        typer.Option("--from", metavar="now|beginning|POSITION", help="Where a new subscription begins. Default: now."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="The subscription's name; made from the query by default.")] = None,
    payload: Annotated[str, typer.Option(metavar="solutions|event|construct", help="What to send.")] = "solutions",
    why: Annotated[bool, typer.Option("--why", help="Say with each solution what it stands on.")] = False,
    count: Annotated[int | None, typer.Option(min=1, help="Stop after so many notifications.")] = None,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Subscribe, and print each notification as one JSON object a line, until interrupted.

    The subscription stays at the node. The same command again goes on after the last notification that was printed.
    """
    text, language = read_query(query)
    with connect(node, secret_file) as client:
        begin = start or "now"
        made = client.put_subscription(text, name=name, language=language, start=begin, payload=payload, why=why)
        if start is not None and not made.is_new:
            _say_that_it_is_ignored(made.name, made.acknowledged)
        for number, notification in enumerate(client.follow(made.name), start=1):
            write_json([notification.json])
            sys.stdout.flush()
            if number == count:
                client.acknowledge(made.name, notification.position)
                return


def _say_that_it_is_ignored(name: str, position: int) -> None:
    warn(
        f"--from is ignored: the subscription {name} is there already and goes on after position {position}; "
        f"to begin again: triplewire subscriptions reset {name} --from …"
    )


def read_query(given: str) -> tuple[str, str]:
    """The text and its language. What ends like a file of one of the languages is one."""
    for language in languages():
        if given.endswith(language.suffix):
            return Path(given).read_text("utf-8"), language.name
    return given, "sparql"
