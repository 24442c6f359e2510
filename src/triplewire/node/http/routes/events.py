"""`/events`: publish, and read what is kept.

A page of the log says what it covers, so that a reader goes on without asking what it may not see. It may hold fewer
events than positions: those that the reader has no grant for are left out, and so is what retention has removed.
`Triplewire-Position` is the last position that the page covers, whoever reads; it is before the one that was asked for
if the log ends there. `Triplewire-Gap` is there if retention has removed events after the position that was asked for:
everything up to it.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request, Response
from msgspec import Struct
from pyoxigraph import Quad, RdfFormat, serialize

from triplewire.errors import UnknownEvent, UnknownFormat
from triplewire.node.http.authentication import client_of, node_of
from triplewire.node.http.bodies import Base, base_of, media_type_of, read_body
from triplewire.node.http.negotiation import chosen
from triplewire.node.http.openapi import BEARER, documents, json_answer, json_response, problems, text_schema
from triplewire.node.matching.event_parsing import Given, events_in
from triplewire.rdf.events import Event
from triplewire.rdf.formats import FORMATS, NQUADS, Format, format_of_media_type
from triplewire.rdf.limits import MIB
from triplewire.store.tables import log
from triplewire.wire.answers import Receipts

router = APIRouter(tags=["events"])

MOST = 1_000
_PAGE_BYTES = 64 * MIB
MOST_POSITION = (1 << 63) - 1
# What takes less than a millisecond to read costs less than a thread to read it in.
_INLINE_BYTES = 8 * 1024
_INLINE_NQUADS_BYTES = 64 * 1024
_RDF = [form.media_types[0] for form in FORMATS]
_HOLDS_GRAPHS = (RdfFormat.N_QUADS, RdfFormat.TRIG, RdfFormat.JSON_LD)

_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "One or many events: each named graph is one; triples outside a graph are one more.",
        "content": {media_type: {"schema": text_schema(media_type)} for media_type in _RDF},
    }
}


@router.post(
    "/events",
    status_code=201,
    responses=json_answer(201, "Every event of the request, with its position in the log", Receipts)
    | problems(400, 401, 403, 409, 413, 415, 429, 507),
    openapi_extra=BEARER | _BODY,
)
async def publish(
    request: Request,
    graph: Annotated[str | None, Query(description="The IRI of triples that stand outside any graph.")] = None,
    base: Base = None,
    merge: Annotated[
        bool | None, Query(description="Let the living graph have each event as its graph. Default: a setting.")
    ] = None,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> Response:
    """Publish events. The answer comes when they are on the disk; all are stored, or none.

    Relative IRIs count from `base`, or else from the URL of the request. With `merge`, the graph of an event that was
    published with other content is replaced; the event stays as it was.
    """
    node, client = node_of(request), client_of(request)
    form = _format(request)
    limits = node.settings.limits
    data = await read_body(request, limits.document_bytes)
    given = Given(graph=graph, base=base_of(request, base), source=client.id, time=node.broker.clock.now())

    def parsed() -> list[Event]:
        return events_in(data, form, given, limits, node.contexts)

    most = _INLINE_NQUADS_BYTES if form is NQUADS else _INLINE_BYTES
    events = parsed() if len(data) <= most else await asyncio.to_thread(parsed)
    digest = _digest(form, (graph, base, *(["merge"] if merge else [])), data) if idempotency_key is not None else b""
    merges = node.settings.merge_events if merge is None else merge
    publish_all = node.broker.living.publish if merges else node.broker.events.publish
    with node.tracing.publishing([event.graph.value for event in events] if node.tracing.is_on else ()):
        receipts = await publish_all(client, events, key=idempotency_key, digest=digest)
    return json_response(Receipts(receipts), 201)


@router.get("/events", responses=documents(*_RDF) | problems(400, 401, 403, 406), openapi_extra=BEARER)
async def read_events(
    request: Request,
    after: Annotated[int, Query(ge=0, le=MOST_POSITION, description="The position after which to begin.")] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 100,
) -> Response:
    """A page of the log, in any RDF format. `Link` leads to the next page; without it this was the last.

    A page has at most `limit` events, and fewer where they are large.

    `Triplewire-Position` is where to read on, `Triplewire-Gap` tells that retention has removed what was asked for.
    """
    client = client_of(request)
    media_type = chosen(request.headers.get("accept"), _RDF)
    broker = node_of(request).broker
    ends = await broker.store.read(lambda tx: (log.floor(tx), log.head(tx)))
    count = await broker.store.read(lambda tx: log.fitting(tx, after, limit, _PAGE_BYTES))
    page = await broker.events.after(client, after, count)
    covered = extent(after, count, ends, await broker.store.read(log.floor), [record.position for record, _ in page])
    response = _rdf([event for _, event in page], media_type)
    response.headers.update(headers_of(request.url.path, limit, covered))
    return response


@router.get("/events/{iri:path}", responses=documents(*_RDF) | problems(400, 401, 403, 404, 406), openapi_extra=BEARER)
async def read_event(
    request: Request, iri: Annotated[str, Path(description="The event's IRI, percent-encoded.")]
) -> Response:
    """One event, in any RDF format."""
    client = client_of(request)
    media_type = chosen(request.headers.get("accept"), _RDF)
    found = await node_of(request).broker.events.find(client, iri)
    if found is None:
        raise UnknownEvent(wanted=f"the event <{iri}>", found="none of that name")
    record, event = found
    response = _rdf([event], media_type)
    response.headers["Triplewire-Position"] = str(record.position)
    # By what is sent: that depends on the format, and on what the client may see.
    response.headers["ETag"] = f'"{hashlib.blake2b(bytes(response.body), digest_size=16).hexdigest()}"'
    return response


def _format(request: Request) -> Format:
    media_type = media_type_of(request)
    if not media_type:
        raise UnknownFormat(wanted=f"a Content-Type, one of {', '.join(_RDF)}", found="none")
    return format_of_media_type(media_type)


def _digest(form: Format, parameters: tuple[str | None, ...], data: bytes) -> bytes:
    digest = hashlib.sha256(repr((form.name, *parameters)).encode(errors="replace"))
    digest.update(data)
    return digest.digest()


def _rdf(events: Sequence[Event], media_type: str) -> Response:
    form = format_of_media_type(media_type).syntax
    if form == RdfFormat.N_QUADS:
        content = b"".join(event.nquads for event in events)
    elif form in _HOLDS_GRAPHS:
        quads = (Quad(t.subject, t.predicate, t.object, event.graph) for event in events for t in event.triples)
        content = serialize(quads, format=form) or b""
    else:
        content = serialize((triple for event in events for triple in event.triples), format=form) or b""
    return Response(content, media_type=media_type)


# What a page covers


class PageExtent(Struct, frozen=True):
    """The positions that a page covers. `gap` is the last one that retention has removed, if any was asked for."""

    reached: int
    is_last: bool
    gap: int | None = None


def extent(after: int, limit: int, ends: tuple[int, int], floor_now: int, positions: Sequence[int]) -> PageExtent:
    """The extent of a page. `ends` are floor and head of the log before it was read, `floor_now` the floor afterwards.

    The log grows and is cut while it is read: what the page is sure to cover goes by what was there before.

    >>> extent(0, 10, (0, 25), 0, range(1, 11))
    PageExtent(reached=10, is_last=False, gap=None)
    >>> extent(0, 10, (7, 12), 7, range(8, 13))
    PageExtent(reached=12, is_last=True, gap=7)
    >>> extent(40, 10, (0, 25), 0, [])
    PageExtent(reached=25, is_last=True, gap=None)
    """
    floor, head = ends
    reached = max([min(max(after, floor) + limit, head), *positions[-1:]])
    was_there = bool(positions) and positions[0] <= floor_now
    return PageExtent(reached, reached >= head, floor_now if after < floor_now and not was_there else None)


def headers_of(path: str, limit: int, found: PageExtent) -> dict[str, str]:
    """The headers of a page."""
    headers = {"Triplewire-Position": str(found.reached)}
    if found.gap is not None:
        headers["Triplewire-Gap"] = str(found.gap)
    if not found.is_last:
        headers["Link"] = f'<{path}?after={found.reached}&limit={limit}>; rel="next"'
    return headers
