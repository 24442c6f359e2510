"""`/subscriptions`: standing queries, and what they have to say."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Query, Request, Response

from triplewire.errors import InputError, UnknownFormat
from triplewire.languages.sparql.syntax.limits import DEFAULT_LIMITS
from triplewire.node.http.authentication import client_of, named_by, node_of
from triplewire.node.http.bodies import media_type_of, read_body
from triplewire.node.http.openapi import BEARER, json_answer, json_response, problems
from triplewire.node.http.paging import Limit, Offset, Search, page_of
from triplewire.node.http.routes.events import MOST_POSITION
from triplewire.node.service import Node
from triplewire.store.tables.registry import Delivery, Payload, SubscriptionOptions, SubscriptionRecord
from triplewire.wire.answers import State, StreamToken, SubscriptionList, SubscriptionView

router = APIRouter(tags=["subscriptions"])

LANGUAGES = {
    "application/sparql-query": "sparql",
    "text/x-triplewire-formula": "formula",
    "text/x-triplewire-graph": "graph",
}
_MOST_TEXT = 4 * DEFAULT_LIMITS.text
QUERY_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {media_type: {"schema": {"type": "string"}} for media_type in LANGUAGES},
    }
}
Name = Annotated[str, Path(min_length=1, max_length=200, pattern=r"^[^/\x00-\x1f\x7f]+$")]
Owner = Annotated[str | None, Query(description="Another client's subscription; for administrators.")]
Why = Annotated[bool, Query(description="Say in each notification what its solutions stand on.")]
Start = Annotated[str, Query(pattern=r"^(now|beginning|[0-9]{1,18})$", description="`now`, `beginning` or a position.")]


@router.put(
    "/subscriptions/{name}",
    status_code=201,
    responses=json_answer(201, "The subscription", SubscriptionView)
    | json_answer(200, "It was there already; its options are now these", SubscriptionView)
    | problems(400, 401, 403, 409, 413, 415, 429, 507),
    openapi_extra=BEARER | QUERY_BODY,
)
async def subscribe(
    request: Request,
    name: Name,
    start: Start = "now",
    payload: Payload = "solutions",
    delivery: Delivery = "pull",
    callback: Annotated[str | None, Query(max_length=2048, description="Where a webhook goes.")] = None,
    retention: Annotated[float | None, Query(gt=0, le=1e12, description="Seconds that an unread one is kept.")] = None,
    why: Why = False,
) -> Response:
    """Leave a standing query. The same query again changes its options; another under the same name is a conflict."""
    node, client = node_of(request), client_of(request)
    language = language_of(request)
    text = await text_of(request)
    known = node.broker.subscriptions.index.named(client.id, name)
    options = SubscriptionOptions(payload=payload, delivery=delivery, callback=callback, retention=retention, why=why)
    options = await proven(node, name, options, None if known is None else known.options)
    record = await node.broker.subscriptions.subscribe(client, name, language, text, options, _start(start))
    node.webhooks.attend(record)
    shown = described(node, record)
    if known is None and options.callback_secret:
        shown = msgspec.structs.replace(shown, secret=options.callback_secret)
    return json_response(shown, 201 if known is None else 200)


@router.get(
    "/subscriptions",
    responses=json_answer(200, "Subscriptions", SubscriptionList) | problems(401, 403),
    openapi_extra=BEARER,
)
async def list_subscriptions(
    request: Request, search: Search = "", offset: Offset = 0, limit: Limit = None
) -> Response:
    """The client's subscriptions; an administrator sees everybody's. With `limit`, a page of what `search` finds."""
    node, client = node_of(request), client_of(request)
    index = node.broker.subscriptions.index
    records = (record for record in (index if client.rights.is_admin else index.of(client.id)) if not record.is_view)
    page = page_of(records, search, lambda record: (record.name, record.owner, record.text), offset, limit)
    return json_response(SubscriptionList([described(node, record) for record in page.items], page.total))


@router.get(
    "/subscriptions/{name}",
    responses=json_answer(200, "The subscription", SubscriptionView) | problems(401, 403, 404),
    openapi_extra=BEARER,
)
async def read_subscription(request: Request, name: Name, owner: Owner = None) -> Response:
    """One subscription, and how it stands."""
    return json_response(described(node_of(request), subscription_of(request, name, owner)))


@router.delete("/views/{name}", status_code=204, responses=problems(401, 403, 404), openapi_extra=BEARER)
@router.delete("/subscriptions/{name}", status_code=204, responses=problems(401, 403, 404), openapi_extra=BEARER)
async def unsubscribe(request: Request, name: Name, owner: Owner = None) -> Response:
    """Forget a subscription or view and everything that waits for it."""
    node, number = node_of(request), subscription_of(request, name, owner).number
    node.webhooks.forget(number)
    await node.broker.subscriptions.unsubscribe(number)
    return Response(status_code=204)


@router.post(
    "/subscriptions/{name}/reset",
    responses=json_answer(200, "The subscription", SubscriptionView) | problems(400, 401, 403, 404, 507),
    openapi_extra=BEARER,
)
async def reset(request: Request, name: Name, start: Start = "now", owner: Owner = None) -> Response:
    """Begin again: what waits is dropped, and everything after the position is matched once more.

    Whoever is reading is cut off, and goes on from the new beginning, or after its own `Last-Event-ID`.
    """
    node, number = node_of(request), subscription_of(request, name, owner).number
    node.webhooks.forget(number)
    record = await node.broker.subscriptions.reset(number, _start(start))
    node.webhooks.attend(record)
    return json_response(described(node, record))


@router.post("/views/{name}/ack", status_code=204, responses=problems(400, 401, 403, 404, 507), openapi_extra=BEARER)
@router.post(
    "/subscriptions/{name}/ack", status_code=204, responses=problems(400, 401, 403, 404, 507), openapi_extra=BEARER
)
async def acknowledge(
    request: Request,
    name: Name,
    position: Annotated[int, Query(ge=0, le=MOST_POSITION, description="Everything up to here has arrived.")],
    owner: Owner = None,
) -> Response:
    """Acknowledge notifications: they are not kept any longer."""
    await node_of(request).broker.notifications.acknowledge(subscription_of(request, name, owner).number, position)
    return Response(status_code=204)


@router.post(
    "/views/{name}/tokens",
    status_code=201,
    responses=json_answer(201, "A token, and the seconds in which it opens the stream", StreamToken)
    | problems(401, 403, 404),
    openapi_extra=BEARER,
)
@router.post(
    "/subscriptions/{name}/tokens",
    status_code=201,
    responses=json_answer(201, "A token, and the seconds in which it opens the stream", StreamToken)
    | problems(401, 403, 404),
    openapi_extra=BEARER,
)
async def issue_token(request: Request, name: Name) -> Response:
    """A token that opens the stream of one, for whoever cannot send a secret: a browser's EventSource."""
    tokens, record = node_of(request).tokens, subscription_of(request, name)
    response = json_response(StreamToken(tokens.issue(record.owner, record.number), tokens.seconds), 201)
    response.headers["Cache-Control"] = "no-store"
    return response


def subscription_of(request: Request, name: str, owner: str | None = None) -> SubscriptionRecord:
    """What a request names. Only administrators reach what is another client's; to others it is not there."""
    client = client_of(request)
    whose = owner if owner is not None and client.rights.is_admin else client.id
    return named_by(request, whose, name)


def language_of(request: Request) -> str:
    """The subscription language of a body."""
    media_type = media_type_of(request)
    found = LANGUAGES.get(media_type)
    if found is None:
        raise UnknownFormat(wanted=f"a query as one of {', '.join(LANGUAGES)}", found=repr(media_type))
    return found


async def text_of(request: Request) -> str:
    """A query in a body."""
    try:
        return (await read_body(request, _MOST_TEXT)).decode()
    except UnicodeDecodeError as error:
        raise InputError(wanted="UTF-8", found=f"the byte 0x{error.object[error.start]:02X}") from None


def described(node: Node, record: SubscriptionRecord) -> SubscriptionView:
    """A subscription as clients see it."""
    standing = node.broker.subscriptions.index.progress(record.number)
    return SubscriptionView(
        id=record.name,
        owner=record.owner,
        language=record.language,
        text=record.text,
        payload=record.options.payload,
        delivery=record.options.delivery,
        callback=record.options.callback,
        retention=record.options.retention,
        state=_state(node, record),
        reason=record.quarantined,
        created=record.created,
        acknowledged=record.cursor,
        latest=standing.latest,
        waiting_bytes=standing.bytes_waiting,
        unindexed=standing.is_unindexed,
        why=record.options.why,
        paused=record.options.paused,
        matched=standing.matched,
        delivered=standing.delivered,
    )


def _state(node: Node, record: SubscriptionRecord) -> State:
    if record.quarantined:
        return "quarantined"
    if node.space is not None and not node.space.is_established(record):
        return "establishing"
    return "live" if record.is_live else "catching up"


async def proven(
    node: Node, name: str, options: SubscriptionOptions, known: SubscriptionOptions | None
) -> SubscriptionOptions:
    """The options with the webhook's secret and lease, once its receiver has answered the challenge (row A14)."""
    if (options.delivery == "webhook") != (options.callback is not None):
        raise InputError(wanted="a callback with delivery=webhook, and only there")
    if options.callback is None:
        return options
    secret = await node.webhooks.prove(name, options.callback, None if known is None else known.callback_secret)
    return msgspec.structs.replace(options, callback_secret=secret, lease_ends=node.webhooks.lease_end())


def _start(start: str) -> int | None:
    if start == "now":
        return None
    return 0 if start == "beginning" else int(start)
