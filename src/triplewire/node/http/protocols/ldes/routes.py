"""`/ldes`, `/ldes/index/{number}`, `/ldes/pages/{number}`: the log as a Linked Data Event Stream.

A client reads what it may read: events that its grant hides are left out, and others are cut as everywhere (row A15).
So a document is for one client, except at an open node.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi import Path as PathParameter
from msgspec import Struct
from pyoxigraph import Quad, serialize

from triplewire.errors import UnknownEvent
from triplewire.node.access.grants import readable
from triplewire.node.http.authentication import client_of, node_of
from triplewire.node.http.negotiation import chosen
from triplewire.node.http.openapi import BEARER, documents, problems
from triplewire.node.http.protocols.addresses import base_url
from triplewire.node.http.protocols.ldes import layout
from triplewire.node.http.protocols.ldes.documents import Link, Stream, graphs, link, members, node, retention
from triplewire.node.http.protocols.ldes.layout import Ends, Span
from triplewire.rdf.formats import JSONLD, NQUADS, TRIG, format_of_media_type
from triplewire.rdf.limits import MIB
from triplewire.store.disk import Connection
from triplewire.store.tables import log
from triplewire.store.tables.identities import Client

router = APIRouter(tags=["LDES"])

_OFFERED = [form.media_types[0] for form in (TRIG, NQUADS, JSONLD)]
# Beyond it a page is continued behind a link of its own.
_PAGE_BYTES = 16 * MIB
_FOR_EVER = "max-age=31536000, immutable"
_FOR_NOW = "no-cache"
_ANSWERS = documents(*_OFFERED) | problems(401, 403, 406)
Number = Annotated[int, PathParameter(ge=0, le=1 << 40)]


class _Asked(Struct, frozen=True):
    """A request by a client that may read, and what the log holds at this moment."""

    request: Request
    client: Client
    stream: Stream
    ends: Ends
    media_type: str

    @property
    def address(self) -> str:
        query = self.request.url.query
        return f"{self.stream.base}{self.request.url.path}" + (f"?{query}" if query else "")


@router.get("/ldes", responses=_ANSWERS, openapi_extra=BEARER)
async def stream(request: Request) -> Response:
    """The log as an event stream: what it is, and links to every index of its pages."""
    asked = await _asked(request)
    links = await _links(asked, layout.indexes(asked.ends))
    quads = [*node(asked.stream, asked.address, links), *retention(asked.stream)]
    return _answer(asked, quads, is_full=False)


@router.get("/ldes/index/{number}", responses=_ANSWERS | problems(404), openapi_extra=BEARER)
async def index(request: Request, number: Number) -> Response:
    """Links to the pages of a range of the log."""
    asked, span = await _asked(request), layout.index(number)
    _require(asked, span)
    links = await _links(asked, layout.pages(number, asked.ends))
    return _answer(asked, node(asked.stream, asked.address, links), is_full=span.is_full(asked.ends))


@router.get("/ldes/pages/{number}", responses=_ANSWERS | problems(404), openapi_extra=BEARER)
async def page(
    request: Request,
    number: Number,
    after: Annotated[int, Query(ge=0, le=1 << 50, description="Where a page goes on that is too large for one.")] = 0,
) -> Response:
    """The events of a range of the log. A page that is full never changes, and may be cached for ever."""
    asked, span = await _asked(request), layout.page(number)
    _require(asked, span)
    broker = node_of(request).broker
    first, last = span.kept(asked.ends)
    start = max(first - 1, min(after, last))
    reached = start + await broker.store.read(lambda tx: log.fitting(tx, start, last - start, _PAGE_BYTES))
    found = [one for one in await broker.events.after(asked.client, start, reached - start) if one[0].position <= last]
    links: list[Link] = []
    if reached < last:
        times = await broker.store.read(lambda tx: log.times(tx, [reached + 1]))
        links = [Link(asked.stream.page(number, reached), since) for since in times.values()]
    quads = [*node(asked.stream, asked.address, links), *members(asked.stream, found), *graphs(found)]
    return _answer(asked, quads, is_full=span.is_full(asked.ends))


async def _asked(request: Request) -> _Asked:
    client, served = client_of(request), node_of(request)
    readable(client)
    media_type = chosen(request.headers.get("accept"), _OFFERED)

    def state(tx: Connection) -> tuple[Ends, float | None]:
        floor, head = log.floor(tx), log.head(tx)
        return Ends(floor, head), log.times(tx, [floor + 1]).get(floor + 1) if floor else None

    ends, begins = await served.broker.store.read(state)
    described = Stream(base_url(request), served.settings.retention_age, begins)
    return _Asked(request, client, described, ends, media_type)


async def _links(asked: _Asked, spans: list[Span]) -> list[Link]:
    wanted = [position for span in spans for position in span.kept(asked.ends)]
    times = await node_of(asked.request).broker.store.read(lambda tx: log.times(tx, wanted))
    is_index = asked.request.url.path.endswith("/ldes")
    described = asked.stream
    # Retention may have been there in between: what it took is not linked.
    return [
        link(described.index(span) if is_index else described.page(span.number), span, asked.ends, times)
        for span in spans
        if set(span.kept(asked.ends)) <= times.keys()
    ]


def _require(asked: _Asked, span: Span) -> None:
    if span.is_forgotten(asked.ends):
        raise UnknownEvent(wanted=f"events {span.first} to {span.last}", found="that retention has removed them")
    if not span.is_there(asked.ends):
        raise UnknownEvent(wanted=f"events {span.first} to {span.last}", found=f"a log up to {asked.ends.head}")


def _answer(asked: _Asked, quads: Iterable[Quad], *, is_full: bool) -> Response:
    # What one client may read is no other's business, nor a shared cache's.
    whose = "public" if node_of(asked.request).settings.open else "private"
    headers = {
        "Cache-Control": f"{whose}, {_FOR_EVER if is_full else _FOR_NOW}",
        "Vary": "Accept, Authorization",
    }
    content = serialize(quads, format=format_of_media_type(asked.media_type).syntax) or b""
    return Response(content, media_type=asked.media_type, headers=headers)
