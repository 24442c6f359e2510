"""What `triplewire peer` does: each command comes on-line, does one thing, and goes; `listen` stays."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from triplewire.cli.inputs import STDIN, Problems, read_events
from triplewire.cli.invocation import FAILED
from triplewire.cli.node.subscribe import read_query
from triplewire.cli.peer.home import which
from triplewire.cli.screen import complain, report, write_json
from triplewire.errors import InputError

if TYPE_CHECKING:
    from triplewire.client.peer import Folder, PeerProgram, Saved
    from triplewire.network.sessions.peer_messages import Resource

_BATCH = 100
Seconds = Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="How long to wait for the access point.")]


def online(folder: Folder, seconds: float, work: Callable[[PeerProgram], Awaitable[None]]) -> None:
    """Come on-line, do something, and go."""
    from triplewire.client.peer import PeerProgram

    async def run() -> None:
        async with PeerProgram(folder, seconds=seconds) as peer:
            await peer.connected()
            await work(peer)

    asyncio.run(run())


def init_command(ctx: typer.Context) -> None:
    """Make a home with a new key pair and a new private identifier; print the public identifier."""
    from triplewire.client.peer import Folder

    options = which(ctx)
    folder = Folder.make(options.home, options.access_point())
    write_json([{"peer": folder.keys().id, "home": str(options.home)}])


def status_command(ctx: typer.Context) -> None:
    """Print what the peer remembers, without going on-line."""
    folder = which(ctx).folder()
    saved = folder.saved_state()
    write_json(
        [
            {
                "peer": folder.keys().id,
                "at": saved.at.address,
                "previous": [one.access_point.address for one in saved.previous],
                "subscriptions": msgspec.to_builtins(saved.subscriptions),
                "advertises": saved.registration is not None,
                "requests": msgspec.to_builtins(saved.requests),
                "notifications": len(folder.notifications()),
                "lost": msgspec.to_builtins(folder.gaps()),
            }
        ]
    )


def subscribe_command(
    ctx: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A SPARQL query, or a file (.rq, .formula, .graph).")],
    name: Annotated[str | None, typer.Option(help="The subscription's name; made from the query by default.")] = None,
    seconds: Seconds = 30.0,
) -> None:
    """Leave a standing query. What it finds is kept for the peer while it is away, and printed by listen."""
    from triplewire.client.calls import subscription_name

    text, language = read_query(query)
    known = name or subscription_name(text, language)

    async def work(peer: PeerProgram) -> None:
        await peer.subscribe(known, language, text)
        write_json([{"subscription": known}])

    online(which(ctx).folder(), seconds, work)


def unsubscribe_command(
    ctx: typer.Context, name: Annotated[str, typer.Argument(metavar="NAME")], seconds: Seconds = 30.0
) -> None:
    """Forget a standing query, and what waits for it."""
    folder = which(ctx).folder()
    if name not in folder.saved_state().subscriptions:
        known = ", ".join(folder.saved_state().subscriptions) or "none"
        raise InputError(wanted=f"a subscription of this peer ({known})", found=repr(name))
    online(folder, seconds, lambda peer: peer.unsubscribe(name))


def advertise_command(
    ctx: typer.Context,
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="Advertisements in RDF.")] = None,
    schema: Annotated[list[str] | None, typer.Option(metavar="IRI", help="A namespace; may be repeated.")] = None,
    nothing: Annotated[bool, typer.Option("--nothing", help="Withdraw: nothing will be published.")] = False,
    seconds: Seconds = 30.0,
) -> None:
    """Tell the network what this peer will publish; it is repeated while the peer is on-line."""
    folder = which(ctx).folder()
    rdf = None if nothing else _registration(folder.keys().id, file, schema or [])
    online(folder, seconds, lambda peer: peer.advertise(rdf))


def _registration(peer: str, file: Path | None, schemas: list[str]) -> str:
    from triplewire.algebra.advertisements.advertisement import Advertisement
    from triplewire.network.routing.advertisements.registration import Registration

    given = () if file is None else Advertisement.parse_all(file)
    found = [Advertisement.schemas([schema]) for schema in schemas]
    if not found and not given:
        raise InputError(wanted="a file with advertisements, --schema IRI or --nothing", found="none of them")
    return Registration(peer, (*found, *given)).to_turtle()


def publish_command(
    ctx: typer.Context,
    files: Annotated[list[Path], typer.Argument(metavar="FILE|-...", help="RDF files, or - for N-Quads from stdin.")],
    seconds: Seconds = 30.0,
) -> None:
    """Publish events. Prints each event's IRI and position once it is on the access point's disk."""
    problems = Problems()
    events = read_events([STDIN if str(file) == "-" else file for file in files], problems)
    if problems.sentences:
        report(problems.sentences)
        raise typer.Exit(FAILED)

    async def work(peer: PeerProgram) -> None:
        for start in range(0, len(events), _BATCH):
            nquads = b"".join(event.nquads for event in events[start : start + _BATCH])
            write_json({"event": one.event, "position": one.position} for one in await peer.publish(nquads))

    online(which(ctx).folder(), seconds, work)


def listen_command(
    ctx: typer.Context,
    count: Annotated[int | None, typer.Option(min=1, help="Stop after so many notifications and files.")] = None,
    seconds: Seconds = 30.0,
) -> None:
    """Stay on-line: print each notification as one JSON object a line, after it was saved, until interrupted.

    What the access point no longer had, because it was away for too long, is told on standard error.

    What others ask for is uploaded from the folder resources; files that were asked for are saved in rendezvous. What
    came while another command was on-line is in the folder already: notifications prints it.
    """
    from triplewire.client.peer import Gap

    async def work(peer: PeerProgram) -> None:
        left = count
        async for found in peer.arrivals():
            if isinstance(found, Gap):
                complain(str(found))
                continue
            write_json([_shown(found)])
            sys.stdout.flush()
            left = None if left is None else left - 1
            if left == 0:
                return

    online(which(ctx).folder(), seconds, work)


def _shown(found: Saved | Resource) -> dict[str, Any]:
    """A notification as its content with who and where; a file without its content, which is in the folder."""
    from triplewire.client.peer import Saved

    if isinstance(found, Saved):
        origin = {"subscription": found.subscription, "publisher": found.publisher, "origin": found.origin}
        content: dict[str, Any] = msgspec.json.decode(found.content)
        return origin | content
    file = {"rendezvous": found.id, "owner": found.owner, "location": found.location, "bytes": len(found.content)}
    return file | ({"problem": found.problem} if found.problem else {})


def notifications_command(ctx: typer.Context) -> None:
    """Print every notification that was saved, oldest first, without going on-line.

    What was lost, because the access point did not keep it for long enough, is told on standard error.
    """
    folder = which(ctx).folder()
    for saved in folder.notifications():
        write_json([_shown(saved)])
    report(map(str, folder.gaps()))


def request_command(
    ctx: typer.Context,
    event: Annotated[str, typer.Argument(metavar="EVENT", help="The IRI of an event that this peer was notified of.")],
    location: Annotated[str, typer.Argument(metavar="LOCATION", help="The resource's path at its owner.")],
    seconds: Seconds = 30.0,
) -> None:
    """Ask the publisher of an event for a resource. If it is away it uploads it when it is back; listen gets it."""
    from triplewire.network.sessions.peer.saved_state import ResourceRequest

    folder = which(ctx).folder()
    saved = folder.notification(event)

    async def work(peer: PeerProgram) -> None:
        found = await peer.locate(saved.publisher, saved.origin)
        rendezvous = await peer.request(ResourceRequest(saved.publisher, saved.origin, location))
        answer = {"rendezvous": rendezvous, "owner": saved.publisher, "online": found.is_online}
        write_json([answer | ({"address": found.address} if found.address else {})])

    online(folder, seconds, work)


def move_command(ctx: typer.Context, seconds: Seconds = 60.0) -> None:
    """Go to the access point of --at and --key, and take along whatever the last one has for this peer."""
    from triplewire.client.peer import Folder, PeerProgram

    options = which(ctx)
    place, folder = options.access_point(), Folder(options.home)

    async def run() -> None:
        async with PeerProgram(folder, seconds=seconds) as peer:
            await peer.move(place)
            write_json([{"at": place.address, "notifications": len(folder.notifications())}])

    asyncio.run(run())
