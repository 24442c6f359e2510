"""The HTTP face of delivery: pages, server-sent events, WebSocket, dead letters.

    GET    /subscriptions/{name}/notifications      a JSON page; with `Accept: text/event-stream`, a stream
    WS     /subscriptions/{name}/notifications      one JSON message a notification; `{"acknowledge": 7}` back
    GET    /dead-letters                            one's own; an administrator sees all
    POST   /dead-letters/{id}/delivery              send again, now
    DELETE /dead-letters/{id}                       forget

Who asks is decided by the `caller` that is handed in, and who may open a stream by `opener`: a client reaches its own
subscriptions only, and whoever has a stream token the stream of one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import StreamingResponse
from starlette.requests import HTTPConnection

from triplewire.errors import InputError, TriplewireError, UnknownLetter
from triplewire.node.broker.broker import Broker
from triplewire.node.broker.notifications import Page
from triplewire.node.delivery.streams import Gap, Heartbeat, Streams, event_stream
from triplewire.node.delivery.webhooks import Webhooks
from triplewire.node.matching.answers import Notification
from triplewire.store.tables.dead_letters import DeadLetter
from triplewire.store.tables.identities import Client
from triplewire.store.tables.registry import SubscriptionRecord

MAX_POSITION = 2**63 - 1
MAX_WAIT_SECONDS = 60.0
# Application codes of RFC 6455: why the node closed.
POLICY, GONE = 1008, 1001

# Who sends a request, or an error of `triplewire.errors`; the same for HTTP and WebSocket.
Caller = Callable[[HTTPConnection], Client]
# The subscription of this name whose stream a connection may open, or such an error.
Opener = Callable[[HTTPConnection, str], SubscriptionRecord]
Position = Annotated[int, Query(ge=0, le=MAX_POSITION)]
Name = Annotated[str, Path(min_length=1, max_length=256)]
LetterId = Annotated[int, Path(ge=0, le=MAX_POSITION)]


def _documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problem details that an operation may answer with."""
    problem = {"application/problem+json": {"schema": {"type": "object", "required": ["type", "title", "status"]}}}
    return {status: {"description": "Problem details (RFC 9457)", "content": problem} for status in (*statuses, 422)}


_BEARER: dict[str, Any] = {"security": [{"bearer": []}]}
_NOTIFICATIONS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A page, or a stream",
        "content": {"application/json": {"schema": {"type": "object"}}, "text/event-stream": {}},
    }
}


def delivery_router(broker: Broker, streams: Streams, webhooks: Webhooks, caller: Caller, opener: Opener) -> APIRouter:
    """The routes, for an app to include."""
    router = APIRouter(tags=["delivery"])
    actions = DeliveryActions(broker, streams, webhooks)

    def authenticated(request: Request) -> Client:
        return caller(request)

    # A default, not a type: annotations are read outside this function, where a local name means nothing.
    asking = Depends(authenticated)

    @router.get(
        "/subscriptions/{name}/notifications",
        response_class=Response,
        responses=_NOTIFICATIONS | _documented(400, 401, 403, 404),
        openapi_extra=_BEARER,
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
        if "text/event-stream" in accept:
            record = opener(request, name)
            return actions.stream(record, _resumed(last_event_id, after, record))
        record = broker.subscriptions.require(caller(request).id, name)
        return _page(await actions.page(record, record.cursor if after is None else after, limit, wait))

    @router.get("/dead-letters", responses=_documented(400, 401, 403), openapi_extra=_BEARER)
    async def dead_letters(
        client: Client = asking, after: Position = 0, limit: Annotated[int, Query(ge=1, le=1000)] = 100
    ) -> Response:
        """Notifications that were given up, oldest first. `next` is where to read on."""
        return _json(await actions.dead_letters(client, after, limit))

    @router.post(
        "/dead-letters/{letter_id}/delivery",
        status_code=204,
        responses=_documented(400, 401, 403, 404, 502),
        openapi_extra=_BEARER,
    )
    async def send_again(letter_id: LetterId, client: Client = asking) -> None:
        """Send a dead letter again, now; it is forgotten when the receiver accepts it."""
        await webhooks.send_again(await actions.dead_letter(client, letter_id))

    @router.delete(
        "/dead-letters/{letter_id}", status_code=204, responses=_documented(400, 401, 403, 404), openapi_extra=_BEARER
    )
    async def forget(letter_id: LetterId, client: Client = asking) -> None:
        """Forget a dead letter."""
        await broker.dead_letters.remove((await actions.dead_letter(client, letter_id)).id)

    @router.websocket("/subscriptions/{name}/notifications")
    async def socket(websocket: WebSocket, name: str, after: Position | None = None) -> None:
        try:
            record = opener(websocket, name)
        except TriplewireError as problem:
            await websocket.close(POLICY, str(problem)[:100])
            return
        await websocket.accept()
        await actions.converse(websocket, record, record.cursor if after is None else after)

    return router


class DeliveryActions:
    """What the routes do, apart from HTTP's parameters."""

    def __init__(self, broker: Broker, streams: Streams, webhooks: Webhooks) -> None:
        self._broker = broker
        self._streams = streams
        self._webhooks = webhooks

    async def page(self, record: SubscriptionRecord, after: int, limit: int, wait: float) -> Page:
        page = await self._broker.notifications.page(record.number, after=after, limit=limit)
        is_empty = not page.notifications and page.gap is None
        if wait and is_empty and await self._streams.more(record.number, after, wait):
            return await self._broker.notifications.page(record.number, after=after, limit=limit)
        return page

    def stream(self, record: SubscriptionRecord, after: int) -> Response:
        pages = self._streams.pages(record.number, after)
        # A proxy that collects an answer before it passes it on would keep a stream for ever.
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(event_stream(pages), media_type="text/event-stream", headers=headers)

    async def converse(self, websocket: WebSocket, record: SubscriptionRecord, after: int) -> None:
        """Send what comes and receive acknowledgements, until one side leaves."""
        tasks = {
            asyncio.create_task(self._send(websocket, record, after)),
            asyncio.create_task(self._receive(websocket, record)),
        }
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        await _close(websocket, next((task.exception() for task in done), None))

    async def _send(self, websocket: WebSocket, record: SubscriptionRecord, after: int) -> None:
        async for items in self._streams.pages(record.number, after):
            for item in items:
                if not isinstance(item, Heartbeat):
                    await websocket.send_text(websocket_message(item))

    async def _receive(self, websocket: WebSocket, record: SubscriptionRecord) -> None:
        while True:
            received = _acknowledgement(await websocket.receive_text())
            await self._broker.notifications.acknowledge(record.number, received.acknowledge)

    async def dead_letters(self, client: Client, after: int, limit: int) -> dict[str, Any]:
        owner = None if client.rights.is_admin else client.id
        found = await self._broker.dead_letters.after(owner, after=after, limit=limit + 1)
        return {
            "dead_letters": [self._shown(letter) for letter in found[:limit]],
            "next": found[limit - 1].id if len(found) > limit else None,
        }

    def _shown(self, letter: DeadLetter) -> dict[str, Any]:
        record = self._broker.subscriptions.index.get(letter.subscription)
        return {
            "id": letter.id,
            "subscription": None if record is None else record.name,
            "event": letter.event,
            "position": letter.position,
            "reason": letter.reason,
            "attempts": letter.attempts,
        }

    async def dead_letter(self, client: Client, letter_id: int) -> DeadLetter:
        """A letter that the client may see. Another's is not told from one that is not there."""
        letter = await self._broker.dead_letters.find(letter_id)
        record = None if letter is None else self._broker.subscriptions.index.get(letter.subscription)
        if letter is None or record is None or not (client.rights.is_admin or record.owner == client.id):
            raise UnknownLetter(f"wanted the dead letter {letter_id}, found none")
        return letter


class Acknowledgement(msgspec.Struct, forbid_unknown_fields=True):
    """What a WebSocket client may send."""

    acknowledge: Annotated[int, msgspec.Meta(ge=0, le=MAX_POSITION)]


def _acknowledgement(text: str) -> Acknowledgement:
    try:
        return msgspec.json.decode(text, type=Acknowledgement)
    except msgspec.DecodeError as error:
        raise InputError(f'wanted {{"acknowledge": position}}, found something else: {error}') from None


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


def _resumed(last_event_id: str | None, after: int | None, record: SubscriptionRecord) -> int:
    """Where a stream begins: after the id that the reader names, the position it asks for, or what it acknowledged."""
    if last_event_id is None or last_event_id == "":
        return record.cursor if after is None else after
    if not (last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) <= 19):
        raise InputError(f"wanted a position as Last-Event-ID, found {last_event_id!r}")
    return min(int(last_event_id), MAX_POSITION)


def _page(page: Page) -> Response:
    written: dict[str, Any] = {"notifications": page.notifications, "next": page.next}
    return _json(written if page.gap is None else written | {"gap": page.gap})


def _json(written: object) -> Response:
    return Response(msgspec.json.encode(written), media_type="application/json")
