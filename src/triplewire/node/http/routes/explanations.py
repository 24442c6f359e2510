"""`/explain`: how a query is matched, and why an event does or does not satisfy it."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query, Request, Response

from triplewire.algebra.subscriptions import Subscription
from triplewire.errors import InputError, UnknownEvent
from triplewire.matching.explain import explain, why
from triplewire.node.http.authentication import client_of, node_of
from triplewire.node.http.openapi import BEARER, json_answer, json_response, problems
from triplewire.node.http.routes.subscriptions import QUERY_BODY, Owner, language_of, subscription_of, text_of
from triplewire.rdf.sparql_json import json_binding
from triplewire.wire.answers import ExplanationView

router = APIRouter(tags=["subscriptions"])

EventIri = Annotated[str | None, Query(description="The IRI of an event that is kept: does it satisfy the query?")]
_ANSWERS = json_answer(200, "How it is matched; with an event, whether and why", ExplanationView)


@router.get("/explain", responses=_ANSWERS | problems(400, 401, 403, 404), openapi_extra=BEARER)
async def explain_named(
    request: Request,
    query: Annotated[str | None, Query(description="A query, in `language`.")] = None,
    language: Annotated[str, Query(pattern="^(sparql|formula|graph)$")] = "sparql",
    subscription: Annotated[str | None, Query(description="Or the name of a subscription.")] = None,
    event: EventIri = None,
    owner: Owner = None,
) -> Response:
    """Explain a query, or a subscription by its name."""
    client_of(request)
    if (query is None) == (subscription is None):
        raise InputError(wanted="either a query or the name of a subscription", found="both or neither")
    if query is not None:
        return await _explained(request, Subscription.parse(query, language), event)
    record = subscription_of(request, str(subscription), owner)
    return await _explained(request, Subscription.parse(record.text, record.language), event)


@router.post("/explain", responses=_ANSWERS | problems(400, 401, 403, 404, 413, 415), openapi_extra=BEARER | QUERY_BODY)
async def explain_query(request: Request, event: EventIri = None) -> Response:
    """Explain a query in the body, which may be longer than an address."""
    client_of(request)
    language = language_of(request)
    return await _explained(request, Subscription.parse(await text_of(request), language), event)


async def _explained(request: Request, subscription: Subscription, iri: str | None) -> Response:
    verdict = {} if iri is None else await _verdict(request, subscription, iri)
    return json_response(ExplanationView(**msgspec.structs.asdict(explain(subscription)), **verdict))


async def _verdict(request: Request, subscription: Subscription, iri: str) -> dict[str, Any]:
    """On the part of the event that the client may read: nothing else can be bound, or named in a reason (row A15)."""
    broker = node_of(request).broker
    found = await broker.events.find(client_of(request), iri)
    if found is None:
        raise UnknownEvent(wanted=f"the event <{iri}>", found="none of that name")
    verdict = await asyncio.to_thread(why, subscription, found[1], broker.state.taxonomy)
    solutions = [json_binding(solution) for solution in verdict.solutions]
    return {"event": iri, "matches": verdict.matches, "reason": verdict.reason, "solutions": solutions}
