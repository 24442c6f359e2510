"""`/subscriptions/{name}/notifications` and `/views/{name}/notifications`: pages, server-sent events, WebSocket.

    GET    a JSON page; with `Accept: text/event-stream`, a stream
    WS     one JSON message a notification; `{"acknowledge": 7}` back

A client reaches its own subscriptions and views only, and whoever has a stream token the stream of one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Header, Path, Query, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import StreamingResponse

from triplewire.errors import InputError, TriplewireError
from triplewire.node.broker.notifications import NotificationPage
from triplewire.node.delivery.streams import Gap, KeepAlive, event_stream
from triplewire.node.http.authentication import client_of, named_by, node_of, stream_of
from triplewire.node.http.openapi import BEARER, problems
from triplewire.node.http.protocols.topics import links
from triplewire.node.http.routes.events import MOST_POSITION
from triplewire.node.matching.answers import Notification
from triplewire.node.service import Node
from triplewire.store.tables.registry import SubscriptionRecord

router = APIRouter(tags=["delivery"])

MAX_WAIT_SECONDS = 60.0
# Application codes of RFC 6455: why the node closed.
POLICY, GONE = 1008, 1001

Position = Annotated[int, Query(ge=0, le=MOST_POSITION)]
Name = Annotated[str, Path(min_length=1, max_length=256)]
_ANSWER: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A page, or a stream",
        "content": {"application/json": {"schema": {"type": "object"}}, "text/event-stream": {}},
    }
}


@router.get(
    "/views/{name}/notifications",
    response_class=Response,
    responses=_ANSWER | problems(400, 401, 403, 404),
    openapi_extra=BEARER,
)
@router.get(
    "/subscriptions/{name}/notifications",
    response_class=Response,
    responses=_ANSWER | problems(400, 401, 403, 404),
    openapi_extra=BEARER,
)
async def notifications(
    request: Request,
    name: Name,
    after: Position | None = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    wait: Annotated[float, Query(ge=0, le=MAX_WAIT_SECONDS)] = 0.0,
    accept: Annotated[str, Header(include_in_schema=False)] = "*/*",
    last_event_id: Annotated[str | None, Header()] = None,
    token: Annotated[str | None, Query(description="For a stream, instead of a secret.")] = None,
) -> Response:
    """Notifications after a position: a page of JSON, or server-sent events. `wait`: seconds for the first."""
    node = node_of(request)
    if "text/event-stream" in accept:
        record = stream_of(request, name)
        node.broker.state.require_readable(record)
        return _stream(node, record, _resumed(last_event_id, after, record))
    record = named_by(request, client_of(request).id, name)
    response = _answer(await _page(node, record, record.cursor if after is None else after, limit, wait))
    if not record.is_view:
        response.headers["Link"] = links(request, record.name)
    return response


@router.head("/subscriptions/{name}/notifications", responses=problems(401, 403, 404), openapi_extra=BEARER)
async def describe_notifications(request: Request, name: str) -> Response:
    """Where clients of other protocols find what serves them: `Link`."""
    record = named_by(request, client_of(request).id, name)
    return Response(headers={"Link": links(request, record.name)}, media_type="application/json")


@router.websocket("/views/{name}/notifications")
@router.websocket("/subscriptions/{name}/notifications")
async def socket(websocket: WebSocket, name: str, after: Position | None = None) -> None:
    try:
        record = stream_of(websocket, name)
        node_of(websocket).broker.state.require_readable(record)
    except TriplewireError as problem:
        await websocket.close(POLICY, str(problem)[:100])
        return
    await websocket.accept()
    await converse(websocket, record, record.cursor if after is None else after, websocket_message)


# Pages and streams


async def _page(node: Node, record: SubscriptionRecord, after: int, limit: int, wait: float) -> NotificationPage:
    pages = node.broker.notifications
    page = await pages.page(record.number, after=after, limit=limit)
    is_empty = not page.notifications and page.gap is None
    if wait and is_empty and await node.streams.more(record.number, after, wait):
        return await pages.page(record.number, after=after, limit=limit)
    return page


def _answer(page: NotificationPage) -> Response:
    written: dict[str, Any] = {"notifications": page.notifications, "next": page.next}
    written |= {} if page.gap is None else {"gap": page.gap}
    return Response(msgspec.json.encode(written), media_type="application/json")


def _stream(node: Node, record: SubscriptionRecord, after: int) -> Response:
    pages = node.streams.pages(record.number, after)
    # A proxy that collects an answer before it passes it on would keep a stream for ever.
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(event_stream(pages), media_type="text/event-stream", headers=headers)


def _resumed(last_event_id: str | None, after: int | None, record: SubscriptionRecord) -> int:
    """Where a stream begins: after the id that the reader names, the position it asks for, or what it acknowledged."""
    if last_event_id is None or last_event_id == "":
        return record.cursor if after is None else after
    if not (last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) <= 19):
        raise InputError(wanted="a position as Last-Event-ID", found=repr(last_event_id))
    return min(int(last_event_id), MOST_POSITION)


# WebSocket


class Acknowledgement(msgspec.Struct, forbid_unknown_fields=True):
    """What a WebSocket client may send."""

    acknowledge: Annotated[int, msgspec.Meta(ge=0, le=MOST_POSITION)]


async def converse(
    websocket: WebSocket, record: SubscriptionRecord, after: int, written: Callable[[Notification | Gap], str]
) -> None:
    """Send what comes and receive acknowledgements, until one side leaves."""
    problem: Exception | None = None
    try:
        async with asyncio.TaskGroup() as both:
            sending = both.create_task(_send(websocket, record, after, written))
            receiving = both.create_task(_receive(websocket, record))
            await asyncio.wait({sending, receiving}, return_when=asyncio.FIRST_COMPLETED)
            sending.cancel()
            receiving.cancel()
    except ExceptionGroup as problems:
        problem = problems.exceptions[0]
    await _close(websocket, problem)


async def _send(
    websocket: WebSocket, record: SubscriptionRecord, after: int, written: Callable[[Notification | Gap], str]
) -> None:
    async for items in node_of(websocket).streams.pages(record.number, after):
        for item in items:
            if not isinstance(item, KeepAlive):
                await websocket.send_text(written(item))


async def _receive(websocket: WebSocket, record: SubscriptionRecord) -> None:
    while True:
        received = _acknowledgement(await websocket.receive_text())
        await node_of(websocket).broker.notifications.acknowledge(record.number, received.acknowledge)


def _acknowledgement(text: str) -> Acknowledgement:
    try:
        return msgspec.json.decode(text, type=Acknowledgement)
    except msgspec.DecodeError as error:
        raise InputError(wanted='{"acknowledge": position}', found=f"something else: {error}") from None


def websocket_message(item: Notification | Gap) -> str:
    """One item as a WebSocket message, told apart by its `type`."""
    kind = b"gap" if isinstance(item, Gap) else b"notification"
    return (b'{"type":"%b",' % kind + msgspec.json.encode(item)[1:]).decode()


async def _close(websocket: WebSocket, problem: BaseException | None) -> None:
    if isinstance(problem, WebSocketDisconnect):
        return
    code, reason = (POLICY, str(problem)[:100]) if isinstance(problem, TriplewireError) else (GONE, "")
    # The other side may be gone by now, and then there is nobody to tell.
    with suppress(RuntimeError, WebSocketDisconnect):
        await websocket.close(code, reason)
