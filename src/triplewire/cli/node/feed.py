"""`triplewire feed`: RSS 1.0, RSS 2.0 and Atom become events of a node: one poller for all readers."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from triplewire.cli.inputs import Problems
from triplewire.cli.invocation import FAILED
from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.screen import report, write_json
from triplewire.errors import InputError, NodeRefused

if TYPE_CHECKING:
    from triplewire.client import Client
    from triplewire.client.feed_poller import Feed
    from triplewire.rdf.events import Event

EXAMPLES = """[bold]Examples[/bold]

triplewire feed https://example.org/news.rss --every 300

triplewire feed saved.xml --print
"""
_CONFLICT = 409


def feed_command(
    sources: Annotated[list[str], typer.Argument(metavar="URL|FILE...", help="Feeds: RSS 1.0, RSS 2.0 or Atom.")],
    every: Annotated[float | None, typer.Option(min=1, metavar="SECONDS", help="Read again after so long.")] = None,
    only_print: Annotated[bool, typer.Option("--print", help="Print the events as N-Quads; send nothing.")] = False,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Turn the entries of feeds into events. An entry that is updated becomes another event."""
    import httpx

    from triplewire.client.feed_poller import Feed

    with httpx.Client(follow_redirects=False, trust_env=False) as http:
        feeds = [Feed(source, http) for source in sources]
        with connect(node, secret_file) as client:
            while not _all_read(feeds, None if only_print else client) or every is not None:
                if every is None:
                    raise typer.Exit(FAILED)
                time.sleep(every)


def _all_read(feeds: list[Feed], client: Client | None) -> bool:
    """Read every feed once; whether all went well. One that fails does not keep the others waiting."""
    problems = Problems()
    for feed in feeds:
        with problems.noted():
            for event in feed.news():
                with problems.noted(feed.source):
                    _hand_on(event, feed, client)
    sys.stdout.flush()
    report(problems.sentences)
    return not problems.sentences


def _hand_on(event: Event, feed: Feed, client: Client | None) -> None:
    if client is None:
        sys.stdout.buffer.write(event.nquads)
        return
    try:
        [receipt] = client.publish(event)
    except NodeRefused as problem:
        if problem.status != _CONFLICT:
            feed.forget(event)
            raise
        raise InputError(f"an entry changed without a new date, the first stays: {event.graph.value}") from None
    write_json([{"event": receipt.event, "position": receipt.position}])
