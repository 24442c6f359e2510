"""`/views`: standing queries over the living graph. What they have to say is read as that of subscriptions is."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query, Request, Response

from triplewire.errors import UnknownFormat
from triplewire.node.http.authentication import client_of, node_of
from triplewire.node.http.bodies import media_type_of
from triplewire.node.http.openapi import BEARER, json_answer, json_response, problems
from triplewire.node.http.paging import Limit, Offset, Search, page_of
from triplewire.node.http.routes.subscriptions import Name, Owner, Why, proven, subscription_of, text_of
from triplewire.node.living.service import require_reader
from triplewire.node.service import Node
from triplewire.store.tables.registry import Delivery, SubscriptionOptions, SubscriptionRecord
from triplewire.wire.answers import ViewExplanation, ViewList, ViewStatus

router = APIRouter(tags=["views"])

QUERY = "application/sparql-query"
_BODY: dict[str, Any] = {"requestBody": {"required": True, "content": {QUERY: {"schema": {"type": "string"}}}}}


@router.put(
    "/views/{name}",
    status_code=201,
    responses=json_answer(201, "The view", ViewStatus)
    | json_answer(200, "It was there already; its options are now these", ViewStatus)
    | problems(400, 401, 403, 409, 413, 415, 429, 503, 507),
    openapi_extra=BEARER | _BODY,
)
async def put_view(
    request: Request,
    name: Name,
    delivery: Delivery = "pull",
    callback: Annotated[str | None, Query(max_length=2048, description="Where a webhook goes.")] = None,
    retention: Annotated[float | None, Query(gt=0, le=1e12, description="Seconds that an unread one is kept.")] = None,
    window: Annotated[
        float | None, Query(gt=0, le=86_400, description="Seconds in which changes are joined into one notification.")
    ] = None,
    why: Why = False,
) -> Response:
    """Keep a view: any SELECT, ASK, CONSTRUCT or DESCRIBE over the living graph.

    Its first notification has the whole answer, each later one what a change added and removed. The same query again
    changes its options; another under the same name is a conflict.
    """
    node, client = node_of(request), client_of(request)
    require_reader(client)
    media_type = media_type_of(request)
    if media_type != QUERY:
        raise UnknownFormat(wanted=f"a query as {QUERY}", found=repr(media_type))
    text = await text_of(request)
    known = node.broker.subscriptions.index.named(client.id, name)
    options = SubscriptionOptions(delivery=delivery, callback=callback, retention=retention, window=window, why=why)
    options = await proven(node, name, options, None if known is None else known.options)
    record = await node.broker.views.put(client, name, text, options)
    node.webhooks.attend(record)
    shown = status_of(node, record)
    if known is None and options.callback_secret:
        shown = msgspec.structs.replace(shown, secret=options.callback_secret)
    return json_response(shown, 201 if known is None else 200)


@router.get("/views", responses=json_answer(200, "Views", ViewList) | problems(401, 403), openapi_extra=BEARER)
async def list_views(request: Request, search: Search = "", offset: Offset = 0, limit: Limit = None) -> Response:
    """The client's views; an administrator sees everybody's. With `limit`, a page of those that `search` finds."""
    node, client = node_of(request), client_of(request)
    records = node.broker.views.of(None if client.rights.is_admin else client.id)
    page = page_of(records, search, lambda record: (record.name, record.owner, record.text), offset, limit)
    return json_response(ViewList([status_of(node, record) for record in page.items], page.total))


@router.get(
    "/views/{name}",
    responses=json_answer(200, "The view", ViewStatus) | problems(401, 403, 404),
    openapi_extra=BEARER,
)
async def read_view(request: Request, name: Name, owner: Owner = None) -> Response:
    """One view, and how it stands."""
    return json_response(status_of(node_of(request), subscription_of(request, name, owner)))


@router.get(
    "/views/{name}/explain",
    responses=json_answer(200, "How it is kept up to date", ViewExplanation) | problems(401, 403, 404),
    openapi_extra=BEARER,
)
async def explain_view(request: Request, name: Name, owner: Owner = None) -> Response:
    """How a view is kept up to date: from what changes, or by evaluating it again, and why."""
    found = await node_of(request).broker.views.explain(subscription_of(request, name, owner).number)
    return json_response(ViewExplanation(**msgspec.structs.asdict(found), text=str(found)))


@router.post(
    "/views/{name}/reset",
    responses=json_answer(200, "The view", ViewStatus) | problems(400, 401, 403, 404, 503, 507),
    openapi_extra=BEARER,
)
async def reset_view(request: Request, name: Name, owner: Owner = None) -> Response:
    """Begin again: what waits is dropped, and the whole answer is told. For whoever missed some, or was quarantined.

    Whoever is reading is cut off, and goes on with the whole answer.
    """
    node, record = node_of(request), subscription_of(request, name, owner)
    node.webhooks.forget(record.number)
    fresh = await node.broker.views.reset(record.number)
    node.webhooks.attend(fresh)
    return json_response(status_of(node, fresh))


def status_of(node: Node, record: SubscriptionRecord) -> ViewStatus:
    """A view as clients see it."""
    progress = node.broker.subscriptions.index.progress(record.number)
    return ViewStatus(
        id=record.name,
        owner=record.owner,
        text=record.text,
        delivery=record.options.delivery,
        callback=record.options.callback,
        retention=record.options.retention,
        window=record.options.window,
        state="live" if record.quarantined is None else "quarantined",
        reason=record.quarantined,
        created=record.created,
        acknowledged=record.cursor,
        latest=progress.latest,
        waiting_bytes=progress.bytes_waiting,
        why=record.options.why,
        paused=record.options.paused,
        matched=progress.matched,
        delivered=progress.delivered,
    )
