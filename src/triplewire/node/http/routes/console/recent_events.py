"""`/events/recent`: the newest events, once or as they come.

As a stream it is for eyes, not for programs: where more come than anybody can read it sends the newest few, twice a
second, and says how many it has left out. Who wants them all reads `/events`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from triplewire.node.access.grants import readable
from triplewire.node.broker.events import Seen
from triplewire.node.http.authentication import client_of, node_of
from triplewire.node.http.openapi import BEARER, json_answer, json_response, problems
from triplewire.node.service import Node
from triplewire.store.tables import log
from triplewire.store.tables.identities import Client
from triplewire.wire.console import RecentEvent, RecentEvents
from triplewire.wire.eventstream import HEARTBEAT, frame_bytes

router = APIRouter(tags=["events"])

MOST = 200
_SHOWN_BYTES = 16 * 1024
_CADENCE_SECONDS = 0.5
_QUIET_ROUNDS = 30
_ANSWERS = json_answer(200, "The newest events", RecentEvents)
_STREAMED: dict[str, Any] = {"text/event-stream": {}}
_ANSWERS[200]["content"] |= _STREAMED


@router.get(
    "/events/recent",
    response_class=Response,
    responses=_ANSWERS | problems(400, 401, 403),
    openapi_extra=BEARER,
)
async def recent_events(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=MOST, description="At most so many at a time.")] = 25,
    accept: Annotated[str, Header(include_in_schema=False)] = "*/*",
) -> Response:
    """The newest events as a client may see them; with `Accept: text/event-stream`, also those that follow."""
    node, client = node_of(request), client_of(request)
    readable(client)
    if "text/event-stream" not in accept:
        return json_response(await newest(node, client, limit))
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_stream(node, client, limit), media_type="text/event-stream", headers=headers)


async def newest(node: Node, client: Client, limit: int, after: int | None = None) -> RecentEvents:
    """The newest events that follow a position, and how many others do."""
    position = await node.broker.store.read(log.head)
    wanted = limit if after is None else min(limit, position - after)
    seen = await node.broker.events.newest(client, wanted) if wanted > 0 else []
    shown = tuple(_shown(one) for one in seen if after is None or one[0].position > after)
    position = max(position, shown[-1].position) if shown else position
    skipped = 0 if after is None else max(0, position - after - len(shown))
    return RecentEvents(shown, position, skipped)


async def _stream(node: Node, client: Client, limit: int) -> AsyncIterator[bytes]:
    """What is there, and then what is new twice a second, for as long as it is read."""
    found = await newest(node, client, limit)
    yield _framed(found)
    counted, quiet = node.broker.state.counters.published, 0
    while not node.streams.is_stopping:
        await asyncio.sleep(_CADENCE_SECONDS)
        published = node.broker.state.counters.published
        if published == counted:
            quiet += 1
            if quiet % _QUIET_ROUNDS == 0:
                yield HEARTBEAT
            continue
        counted, quiet = published, 0
        found = await newest(node, client, limit, found.position)
        yield _framed(found)


def _framed(found: RecentEvents) -> bytes:
    return frame_bytes(msgspec.json.encode(found), kind="events", id=str(found.position))


def _shown(one: Seen) -> RecentEvent:
    record, event = one
    text = event.nquads
    if len(text) > _SHOWN_BYTES:
        text = text[: text.rfind(b"\n", 0, _SHOWN_BYTES) + 1]
    return RecentEvent(
        record.position,
        record.graph,
        record.publisher,
        record.accepted,
        event.nquads.count(b"\n"),
        text.decode(),
        record.origin,
    )
