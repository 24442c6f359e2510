"""`/rules`, `/updates`, `/schedules`, `/schema`: RDFTL rules over the living graph, and what they do."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Header, Path, Query, Request, Response
from msgspec import structs

from triplewire.errors import InputError, TriplewireError
from triplewire.languages.rdftl import parse_updates
from triplewire.languages.rdftl.parser import MAX_FILE_BYTES
from triplewire.node.http.authentication import admin_of, client_of, node_of
from triplewire.node.http.bodies import RDFTL, Base, base_of, media_type_of, read_body, require_rdftl
from triplewire.node.http.negotiation import chosen
from triplewire.node.http.openapi import (
    BEARER,
    JSON,
    documents,
    json_answer,
    json_answers,
    json_response,
    problems,
    text_schema,
)
from triplewire.node.http.paging import Limit, Offset, Search, page_of
from triplewire.node.http.problems import problem_with
from triplewire.node.http.routes.events import MOST, MOST_POSITION
from triplewire.node.http.routes.network_rules import (
    InScope,
    Scope,
    Wait,
    list_network_rules,
    put_network_rule,
    read_network_rule,
    read_network_schema,
    remove_network_rule,
    submit,
)
from triplewire.node.http.routes.subscriptions import Name, text_of
from triplewire.node.http.rule_answers import (
    Firings,
    RegisteredRule,
    RuleList,
    RuleView,
    UpdateAnswer,
    WithdrawnUpdate,
    firing_view,
    registered_rule,
    rule_view,
    update_answer,
)
from triplewire.node.living.transaction import ExecutedUpdate
from triplewire.node.rules.carried_interests import uncarried
from triplewire.node.rules.idempotency import IdempotencyKey
from triplewire.node.rules.rights import require_author
from triplewire.node.rules.withdrawal import Phase
from triplewire.rdf.formats import FORMATS, format_of_media_type
from triplewire.rules.event_triggers import TriggeredBy
from triplewire.rules.execution import Status
from triplewire.rules.schema import Schema
from triplewire.wire.network_rules import AbortName, NetworkRule, NetworkRules, NetworkSchema, NetworkTransaction
from triplewire.wire.schedules import TracedSchedule

router = APIRouter(tags=["rules"])

_ABORTED = 409
_RDF = [form.media_types[0] for form in FORMATS]
_GRAPHS = ["text/turtle", "application/n-triples"]
_BODY: dict[str, Any] = {"requestBody": {"required": True, "content": {RDFTL: {"schema": {"type": "string"}}}}}
_RDF_BODY: dict[str, Any] = {
    "requestBody": {"required": True, "content": {kind: {"schema": text_schema(kind)} for kind in _RDF}}
}
_SHOWN = json_answers(200, "The rule", RuleView, NetworkRule)
_SHOWN[200]["content"][RDFTL] = {"schema": {"type": "string"}}
_SCHEMA = documents(*_GRAPHS)
_SCHEMA[200]["content"] |= json_answer(200, "With `scope=network`", NetworkSchema)[200]["content"]
Listens = Annotated[TriggeredBy, Query(description="`events`: events that are published may trigger it as well.")]
Aborts = Annotated[
    AbortName | None,
    Query(description="With `scope=network`: who aborts with whom, where the rule's ABORT clause says the default."),
]


@router.put(
    "/rules/{name}",
    status_code=201,
    responses=json_answers(201, "The rule, and of a node's what the analysis says of it", RegisteredRule, NetworkRule)
    | json_answer(200, "The same; it has replaced another of that name", RegisteredRule)
    | problems(400, 401, 403, 404, 409, 413, 415, 429, 507),
    openapi_extra=BEARER | _BODY,
)
async def register_rule(
    request: Request,
    name: Name,
    listens: Listens = TriggeredBy.UPDATES,
    scope: InScope = Scope.NODE,
    abort: Aborts = None,
) -> Response:
    """Register a rule, or replace one's own. What the analysis finds is told and refuses nothing.

    So is, of a rule that listens, what the node's network or space cannot carry (`not_carried`).
    Of the network's rules there is one of a name at each super-peer; the answer has its global identifier.
    """
    _require_consistent(scope, listens, abort)
    if scope is Scope.NETWORK:
        return await put_network_rule(request, name, abort)
    node, client = node_of(request), client_of(request)
    require_rdftl(request)
    made, analysis = await node.broker.rules.put(client, name, await text_of(request), listens)
    is_shared = node.overlay is not None or node.space is not None
    left = uncarried(node.broker.rules.interests.get(name, ())) if is_shared else ()
    return json_response(registered_rule(made.record, analysis, left), 201 if made.is_new else 200)


@router.get(
    "/rules",
    responses=json_answers(200, "Rules", RuleList, NetworkRules) | problems(401, 404),
    openapi_extra=BEARER,
)
async def list_rules(
    request: Request, scope: InScope = Scope.NODE, search: Search = "", offset: Offset = 0, limit: Limit = None
) -> Response:
    """The client's rules, in the order of registration; an administrator sees everybody's.

    With `limit`, a page of those that `search` finds.

    Of the network's rules, an administrator sees replicas of other super-peers' as well.
    """
    if scope is Scope.NETWORK:
        return await list_network_rules(request)
    listed = await node_of(request).broker.rules.listed(client_of(request))
    page = page_of(listed, search, lambda record: (record.id, record.owner, record.text), offset, limit)
    return json_response(RuleList([rule_view(record) for record in page.items], page.total))


@router.get("/rules/{name}", responses=_SHOWN | problems(401, 404, 406), openapi_extra=BEARER)
async def read_rule(request: Request, name: Name, scope: InScope = Scope.NODE) -> Response:
    """One rule, as JSON or as its text; of the network by its name here, or by its global identifier."""
    if scope is Scope.NETWORK:
        return await read_network_rule(request, name)
    client = client_of(request)
    media_type = chosen(request.headers.get("accept"), [JSON, RDFTL])
    record = await node_of(request).broker.rules.find(client, name)
    return json_response(rule_view(record)) if media_type == JSON else Response(record.text, media_type=RDFTL)


@router.delete("/rules/{name}", status_code=204, responses=problems(401, 403, 404, 507), openapi_extra=BEARER)
async def remove_rule(request: Request, name: Name, scope: InScope = Scope.NODE) -> Response:
    """Forget a rule and its firings, or a rule of this super-peer and all its replicas. What it has done stays."""
    if scope is Scope.NETWORK:
        return await remove_network_rule(request, name)
    await node_of(request).broker.rules.remove(client_of(request), name)
    return Response(status_code=204)


@router.get(
    "/rules/{name}/firings",
    responses=json_answer(200, "Firings, oldest first", Firings) | problems(401, 403, 404),
    openapi_extra=BEARER,
)
async def read_firings(
    request: Request,
    name: Name,
    after: Annotated[int, Query(ge=0, le=MOST_POSITION, description="The firing after which to begin.")] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 100,
) -> Response:
    """What a rule has done: because of what, for which `$delta`, and how it ended. `next` is where to read on."""
    found = await node_of(request).broker.rules.firings(client_of(request), name, after, limit)
    firings = [firing_view(record, entry) for record, entry in found]
    return json_response(Firings(firings, firings[-1].number if len(firings) == limit else None))


@router.post(
    "/updates",
    status_code=200,
    responses=json_answers(
        200, "What came of the transactions, and the events that tell of it", UpdateAnswer, NetworkTransaction
    )
    | json_answer(202, "With `scope=network`: it has not ended yet", NetworkTransaction)
    | problems(400, 401, 403, 404, 409, 413, 415, 429, 507),
    openapi_extra=BEARER | _BODY,
)
async def execute(
    request: Request,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
    scope: InScope = Scope.NODE,
    wait: Wait = 10.0,
) -> Response:
    """Execute updates, and the rules that they trigger. The answer comes when what they did is on the disk.

    If every transaction was aborted and nothing has changed, the answer is 409, with the first reason and the trace.
    Sent again under the same `Idempotency-Key`, they are not executed again, and the answer is the first one.

    With `scope=network` they are one transaction of the network. It has an identifier and can be asked about and
    withdrawn, so the answer is a success also where it was aborted; after `wait` seconds it is 202.
    """
    if scope is Scope.NETWORK:
        return await submit(request, wait, idempotency_key)
    node, client = node_of(request), client_of(request)
    require_author(client)
    require_rdftl(request)
    data = await read_body(request, min(MAX_FILE_BYTES, node.settings.limits.document_bytes))
    updates = await asyncio.to_thread(parse_updates, _decoded(data))
    rules = node.broker.rules
    if idempotency_key is None:
        return _answer(await rules.update(client, updates))
    key = IdempotencyKey(client.id, idempotency_key, hashlib.sha256(b"/updates\n" + data).digest())
    return _decoded_answer(await rules.update_once(client, updates, key, _encoded))


@router.delete(
    "/updates/{key}",
    responses=json_answer(200, "The update is not done any more", WithdrawnUpdate) | problems(401, 404, 409),
    openapi_extra=BEARER,
)
async def withdraw_update(
    request: Request, key: Annotated[str, Path(max_length=200, description="Its `Idempotency-Key`.")]
) -> Response:
    """Withdraw an update that has not ended. What waits for its turn is dropped, what is executed is undone.

    Whoever waits for its answer gets 409; the key may be used again. If it has ended, the answer here is 409.
    """
    phase = await node_of(request).broker.rules.withdraw(client_of(request), key)
    return json_response(WithdrawnUpdate(key, "waiting" if phase is Phase.WAITING else "executing"))


@router.get(
    "/schedules/{position}",
    responses=json_answer(200, "Its transactions, and the firings in them", TracedSchedule) | problems(401, 403, 404),
    openapi_extra=BEARER,
)
async def read_schedule(
    request: Request, position: Annotated[int, Path(ge=1, le=MOST_POSITION, description="Its place in the journal.")]
) -> Response:
    """How a schedule went: each transaction and firing, because of what, how it ended, and who aborts with whom."""
    return json_response(await node_of(request).broker.rules.trace(client_of(request), position))


@router.get(
    "/schedules",
    responses=json_answer(200, "Its transactions, and the firings in them", TracedSchedule) | problems(401, 403, 404),
    openapi_extra=BEARER,
)
async def find_schedule(
    request: Request, transaction: Annotated[str, Query(max_length=10_000, description="The name of a transaction.")]
) -> Response:
    """How the last schedule with a transaction of that name went."""
    return json_response(await node_of(request).broker.rules.trace_of(client_of(request), transaction))


@router.get("/schema", responses=_SCHEMA | problems(401, 404, 406), openapi_extra=BEARER)
async def read_schema(request: Request, scope: InScope = Scope.NODE) -> Response:
    """The schema that the default graph conforms to; or that of the network, annotated, as JSON."""
    if scope is Scope.NETWORK:
        return await read_network_schema(request)
    client_of(request)
    media_type = chosen(request.headers.get("accept"), _GRAPHS)
    schema = await node_of(request).broker.rules.schema()
    return Response("".join(sorted(f"{triple} .\n" for triple in schema.triples)), media_type=media_type)


@router.put(
    "/schema", status_code=204, responses=problems(400, 401, 403, 413, 415, 507), openapi_extra=BEARER | _RDF_BODY
)
async def write_schema(request: Request, base: Base = None) -> Response:
    """Use another schema, if the default graph conforms to it and every rule can be read by it."""
    client, node = admin_of(request), node_of(request)
    form = format_of_media_type(media_type_of(request))
    data = await read_body(request, node.settings.limits.document_bytes)
    schema = await asyncio.to_thread(Schema.parse, data, form.name, base=base_of(request, base))
    await node.broker.rules.set_schema(client, schema)
    return Response(status_code=204)


def _require_consistent(scope: Scope, listens: TriggeredBy, abort: AbortName | None) -> None:
    if scope is Scope.NODE and abort is not None:
        raise InputError(wanted="`abort` with scope=network only", found="scope=node, where the rule's ABORT counts")
    if scope is Scope.NETWORK and listens is not TriggeredBy.UPDATES:
        raise InputError(wanted="`listens` with scope=node only", found=f"scope=network and listens={listens}")


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError(wanted="UTF-8", found=f"the byte 0x{error.object[error.start]:02X}") from None


def _answer(done: ExecutedUpdate) -> Response:
    failure, answer = _failure(done), update_answer(done)
    return json_response(answer) if failure is None else problem_with(_ABORTED, failure, **structs.asdict(answer))


class _KeptAnswer(msgspec.Struct, frozen=True):
    """An answer as it is kept."""

    status: int
    media_type: str
    body: bytes


def _encoded(done: ExecutedUpdate) -> bytes:
    answer = _answer(done)
    return msgspec.msgpack.encode(_KeptAnswer(answer.status_code, answer.headers["content-type"], bytes(answer.body)))


def _decoded_answer(answer: bytes) -> Response:
    kept = msgspec.msgpack.decode(answer, type=_KeptAnswer)
    return Response(kept.body, kept.status, media_type=kept.media_type)


def _failure(done: ExecutedUpdate) -> TriplewireError | None:
    """Why nothing at all has changed, if every transaction that was asked for has aborted."""
    asked = [entry for entry in done.outcome.entries if entry.cause is None]
    if done.outcome.changes or any(entry.status is not Status.ABORTED for entry in asked):
        return None
    return next((entry.error for entry in asked if entry.error is not None), None)
