"""`triplewire subscribe`: leave a standing query at a node, and print what it finds, live."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from triplewire.algebra.subscriptions import languages
from triplewire.cli.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.screen import write_json

EXAMPLES = """[bold]Examples[/bold]

triplewire subscribe alerts/koubarakis.rq

triplewire subscribe 'SELECT ?s WHERE { ?s a <http://example.org/Alarm> }' --from beginning | jq .event
"""


def subscribe_command(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A SPARQL query, or a file (.rq, .formula, .graph).")],
    start: Annotated[str, typer.Option("--from", metavar="now|beginning|POSITION", help="Where to begin.")] = "now",
    name: Annotated[str | None, typer.Option(help="The subscription's name; made from the query by default.")] = None,
    payload: Annotated[str, typer.Option(metavar="solutions|event|construct", help="What to send.")] = "solutions",
    count: Annotated[int | None, typer.Option(min=1, help="Stop after so many notifications.")] = None,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Subscribe, and print each notification as one JSON object a line, until interrupted.

    The subscription stays at the node. The same command again goes on after the last notification that was printed.
    """
    text, language = read_query(query)
    client = connect(node, secret_file)
    from triplewire.client.calls import subscription_name

    with client:
        known = name or subscription_name(text, language)
        found = client.subscribe(text, name=known, language=language, start=start, payload=payload)
        for number, notification in enumerate(found, start=1):
            written = msgspec.to_builtins(notification)
            write_json([{key: value for key, value in written.items() if value is not None}])
            sys.stdout.flush()
            if number == count:
                client.acknowledge(known, notification.position)
                return


def read_query(given: str) -> tuple[str, str]:
    """The text and its language. What ends like a file of one of the languages is one."""
    for language in languages():
        if given.endswith(language.suffix):
            return Path(given).read_text("utf-8"), language.name
    return given, "sparql"
