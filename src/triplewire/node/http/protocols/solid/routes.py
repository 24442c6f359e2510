"""`/.well-known/solid`, `/solid/{channel_type}`, `/solid/channels/{name}`: Solid Notifications Protocol.

A topic is the address of a subscription's notifications, and only its owner's. A WebSocket channel reads that very
subscription, and acknowledges nothing. A webhook channel is a subscription of its own, to the same query.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from urllib.parse import urlencode, urlsplit

import msgspec
from fastapi import APIRouter, Query, Request, Response, WebSocket

from triplewire.errors import InputError, TriplewireError
from triplewire.node.delivery.envelopes import ACTIVITY, activity, identity_of
from triplewire.node.delivery.streams import Gap
from triplewire.node.http.authentication import client_of, node_of, stream_of
from triplewire.node.http.bodies import media_type_of, read_body
from triplewire.node.http.negotiation import chosen
from triplewire.node.http.openapi import BEARER, documents, problems
from triplewire.node.http.protocols.addresses import base_url
from triplewire.node.http.protocols.solid import descriptions
from triplewire.node.http.protocols.solid.descriptions import OFFERED, WEBHOOK, WEBSOCKET, Channel
from triplewire.node.http.protocols.solid.negotiation import Wanted, wanted
from triplewire.node.http.protocols.topics import close_channel, open_channel, subscription_at, topic_of
from triplewire.node.http.routes.events import MOST_POSITION
from triplewire.node.http.routes.notifications import POLICY, converse
from triplewire.node.matching.answers import Notification
from triplewire.store.tables.registry import SubscriptionOptions, SubscriptionRecord

router = APIRouter(tags=["Solid"])

ChannelType = Literal["WebSocketChannel2023", "WebhookChannel2023"]
_BODY_BYTES = 16 * 1024
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {ACTIVITY: {"schema": {"type": "object"}}, "text/turtle": {"schema": {"type": "string"}}},
    }
}
_ANSWERS = documents(*OFFERED) | problems(400, 406)


@router.get("/.well-known/solid", responses=_ANSWERS)
async def storage(request: Request) -> Response:
    """What this node is for Solid's clients: which kinds of channels it has. Needs no secret."""
    media_type = chosen(request.headers.get("accept"), OFFERED)
    return Response(descriptions.storage(base_url(request), media_type), media_type=media_type)


@router.get("/solid/{channel_type}", responses=_ANSWERS)
async def service(request: Request, channel_type: ChannelType) -> Response:
    """A subscription service. Needs no secret."""
    media_type = chosen(request.headers.get("accept"), OFFERED)
    return Response(descriptions.service(base_url(request), channel_type, media_type), media_type=media_type)


@router.post(
    "/solid/{channel_type}",
    responses=_ANSWERS | problems(401, 403, 404, 413, 415, 429, 502),
    openapi_extra=BEARER | _BODY,
)
async def subscribe(request: Request, channel_type: ChannelType) -> Response:
    """Ask for a channel about a subscription of one's own."""
    client_of(request)
    media_type = chosen(request.headers.get("accept"), OFFERED)
    asked = wanted(await read_body(request, _BODY_BYTES), media_type_of(request))
    if asked.type != channel_type:
        raise InputError(wanted=f"a channel of the type {channel_type}", found=repr(asked.type))
    source = subscription_at(request, asked.topic)
    given = _websocket(request, source, asked) if channel_type == WEBSOCKET else await _webhook(request, source, asked)
    return Response(descriptions.channel(given, media_type), media_type=media_type)


@router.delete("/solid/channels/{name}", status_code=204, responses=problems(401, 404), openapi_extra=BEARER)
async def unsubscribe(request: Request, name: str) -> Response:
    """End a webhook channel."""
    record = node_of(request).broker.subscriptions.require(client_of(request).id, name)
    if record.options.protocol != "solid":
        raise InputError(wanted="a webhook channel", found=f"the subscription {name!r}")
    await close_channel(request, record)
    return Response(status_code=204)


@router.websocket("/solid/channels/{name}")
async def socket(websocket: WebSocket, name: str, after: Annotated[int, Query(ge=0, le=MOST_POSITION)] = 0) -> None:
    try:
        record = stream_of(websocket, name)
        node_of(websocket).broker.state.require_readable(record)
        topic = topic_of(base_url(websocket), name)
    except TriplewireError as problem:
        await websocket.close(POLICY, str(problem)[:100])
        return
    clock = node_of(websocket).broker.clock

    def written(item: Notification | Gap) -> str:
        return msgspec.json.encode(activity(topic, item, identity_of(record, item), clock.now())).decode()

    await websocket.accept()
    await converse(websocket, record, after, written)


def _websocket(request: Request, source: SubscriptionRecord, asked: Wanted) -> Channel:
    """Its address opens the stream within the life of a stream token, and goes on as long as it is read."""
    if asked.send_to is not None:
        raise InputError(wanted=f"a {WEBSOCKET} without sendTo", found=asked.send_to)
    node, base = node_of(request), base_url(request)
    latest = node.broker.subscriptions.index.progress(source.number).latest
    fields = {"after": latest if asked.state is None else asked.state}
    address = f"{base}/solid/channels/{topic_of('', source.name).split('/')[2]}"
    query = urlencode(fields | {"token": node.tokens.issue(source.owner, source.number)})
    return Channel(address, WEBSOCKET, asked.topic, receive_from=f"ws{address.removeprefix('http')}?{query}")


async def _webhook(request: Request, source: SubscriptionRecord, asked: Wanted) -> Channel:
    """The receiver must answer a challenge, unless its origin is one that --solid-receivers names (row A14)."""
    if asked.send_to is None or asked.state is not None:
        raise InputError(wanted=f"a {WEBHOOK} with sendTo and without state", found="another")
    node = node_of(request)
    parts = urlsplit(asked.send_to)
    if f"{parts.scheme}://{parts.netloc}" not in node.settings.known_receivers:
        await node.webhooks.prove(source.name, asked.send_to)
    ends = node.webhooks.lease_end()
    options = SubscriptionOptions(callback=asked.send_to, lease_ends=ends, protocol="solid", topic=asked.topic)
    record = await open_channel(request, client_of(request), source, options)
    end_at = datetime.fromtimestamp(ends, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    address = f"{base_url(request)}/solid/channels/{record.name}"
    return Channel(address, WEBHOOK, asked.topic, send_to=asked.send_to, end_at=end_at)
