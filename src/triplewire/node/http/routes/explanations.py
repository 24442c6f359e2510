"""`/explain`: how a query is matched, why an event does or does not satisfy it, and what an answer stands on."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Query, Request, Response

from triplewire.algebra.subscriptions import Subscription
from triplewire.errors import InputError, UnknownEvent, UnknownFormat
from triplewire.matching.explain import explain, why
from triplewire.node.http.authentication import client_of, node_of
from triplewire.node.http.openapi import BEARER, json_answers, json_response, problems
from triplewire.node.http.routes.subscriptions import QUERY_BODY, Owner, language_of, subscription_of, text_of
from triplewire.rdf.sparql_json import json_binding
from triplewire.wire.answers import ExplanationView
from triplewire.wire.reasons import ExplainedAnswer

router = APIRouter(tags=["subscriptions"])

EventIri = Annotated[str | None, Query(description="The IRI of an event that is kept: does it satisfy the query?")]
Over = Annotated[
    Literal["events", "graph"], Query(description="Whether it is asked of events, or of the living graph as it is now.")
]
_ANSWERS = json_answers(
    200,
    "How it is matched, with an event whether and why; of the living graph the answer, and what each item stands on",
    ExplanationView,
    ExplainedAnswer,
)


@router.get("/explain", responses=_ANSWERS | problems(400, 401, 403, 404, 429, 503, 507), openapi_extra=BEARER)
async def explain_named(
    request: Request,
    query: Annotated[str | None, Query(description="A query, in `language`.")] = None,
    language: Annotated[str, Query(pattern="^(sparql|formula|graph)$")] = "sparql",
    subscription: Annotated[str | None, Query(description="Or the name of a subscription.")] = None,
    view: Annotated[str | None, Query(description="Or the name of a view.")] = None,
    event: EventIri = None,
    over: Over = "events",
    owner: Owner = None,
) -> Response:
    """Explain a query, or a subscription or view by its name.

    Of a view, and of a query `over=graph`, it is the answer as it is now, and what each item of it stands on.
    """
    client = client_of(request)
    if [query, subscription, view].count(None) != 2:
        raise InputError(wanted="either a query or the name of a subscription or view", found="several or none")
    if view is not None:
        whose = owner if owner is not None and client.rights.is_admin else client.id
        return await _explained_answer(request, node_of(request).broker.views.require(whose, view).text, event)
    if query is None:
        record = subscription_of(request, str(subscription), owner)
        return await _explained(request, Subscription.parse(record.text, record.language), event)
    if over == "graph":
        _require_sparql(language)
        return await _explained_answer(request, query, event)
    return await _explained(request, Subscription.parse(query, language), event)


@router.post(
    "/explain",
    responses=_ANSWERS | problems(400, 401, 403, 404, 413, 415, 429, 503, 507),
    openapi_extra=BEARER | QUERY_BODY,
)
async def explain_query(request: Request, event: EventIri = None, over: Over = "events") -> Response:
    """Explain a query in the body, which may be longer than an address."""
    client_of(request)
    language = language_of(request)
    text = await text_of(request)
    if over == "graph":
        _require_sparql(language)
        return await _explained_answer(request, text, event)
    return await _explained(request, Subscription.parse(text, language), event)


def _require_sparql(language: str) -> None:
    if language != "sparql":
        raise UnknownFormat(wanted="a query in SPARQL, to be asked of the living graph", found=repr(language))


async def _explained_answer(request: Request, text: str, event: str | None) -> Response:
    if event is not None:
        raise InputError(wanted="either an event or the living graph", found="both")
    return json_response(await node_of(request).broker.views.reasons(client_of(request), text))


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
    told = {"matches": verdict.matches, "reason": verdict.reason, "solutions": solutions, "why": verdict.reasons}
    return {"event": iri} | told
