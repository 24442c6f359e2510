"""`/trials` and `/subscriptions/{name}/history`: a query over events that are in the log already.

Both are work for one client's eyes, so few are under way at a time; others wait for their turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, TypeVar

import msgspec
from fastapi import APIRouter, Query, Request, Response

from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.explain import explain
from triplewire.node.broker.events import Seen
from triplewire.node.http.authentication import client_of, node_of
from triplewire.node.http.openapi import BEARER, json_answer, json_response, problems
from triplewire.node.http.routes.subscriptions import QUERY_BODY, Name, Owner, language_of, subscription_of, text_of
from triplewire.node.matching import trials
from triplewire.node.matching.trials import Found, TrialOutcome
from triplewire.node.service import Node
from triplewire.rdf.sparql_json import json_binding
from triplewire.store.tables import log
from triplewire.wire.answers import ExplanationView
from triplewire.wire.console import MatchHistory, Trial, TrialMatch, TrialMiss

router = APIRouter(tags=["subscriptions"])

MOST_TRIED = 5_000
MOST_COUNTED = 20_000
_MOST_BINS = 500
_SHOWN_MATCHES = 50
_SHOWN_MISSES = 8
_SHOWN_SOLUTIONS = 20
T = TypeVar("T")


@router.post(
    "/trials",
    responses=json_answer(200, "What it would have said", Trial) | problems(400, 401, 403, 413, 415, 503),
    openapi_extra=BEARER | QUERY_BODY,
)
async def try_query(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=MOST_TRIED, description="So many of the newest events.")] = 1_000,
) -> Response:
    """Try a query on the newest events: which would have matched, with solutions, and why the nearest others did not.

    Nothing is stored, and nobody is told.
    """
    node, client = node_of(request), client_of(request)
    language = language_of(request)
    subscription = Subscription.parse(await text_of(request), language)
    events = await node.broker.events.newest(client, limit)
    state = node.broker.state
    outcome = await _in_turn(node, lambda: trials.tried(subscription, events, state.taxonomy, _SHOWN_MISSES))
    return json_response(_trial(subscription, events, outcome))


@router.get(
    "/subscriptions/{name}/history",
    responses=json_answer(200, "Matches over time", MatchHistory) | problems(400, 401, 403, 404, 503),
    openapi_extra=BEARER,
)
async def match_history(
    request: Request,
    name: Name,
    owner: Owner = None,
    bins: Annotated[int, Query(ge=1, le=_MOST_BINS, description="Into so many spans of time.")] = 60,
    limit: Annotated[int, Query(ge=1, le=MOST_COUNTED, description="So many of the newest events.")] = 10_000,
) -> Response:
    """How many events match a subscription over time, counted from the log as its owner may see it."""
    node = node_of(request)
    record = subscription_of(request, name, owner)
    subscription = Subscription.parse(record.text, record.language)
    owning = node.broker.state.clients.get(record.owner, client_of(request))
    events = await node.broker.events.newest(owning, limit)
    floor = await node.broker.store.read(log.floor)
    state = node.broker.state
    history = await _in_turn(node, lambda: trials.history(subscription, events, bins, state.taxonomy, floor))
    return json_response(history)


async def _in_turn(node: Node, work: Callable[[], T]) -> T:
    async with node.trials:
        return await asyncio.to_thread(work)


def _trial(subscription: Subscription, events: list[Seen], outcome: TrialOutcome) -> Trial:
    return Trial(
        events=len(events),
        first=events[0][0].position if events else 0,
        last=events[-1][0].position if events else 0,
        matched=len(outcome.found),
        matches=tuple(_match(found) for found in reversed(outcome.found[-_SHOWN_MATCHES:])),
        misses=tuple(
            TrialMiss(record.graph, record.position, miss.closeness, miss.reason) for record, miss in outcome.misses
        ),
        explanation=ExplanationView(**msgspec.structs.asdict(explain(subscription))),
    )


def _match(found: Found) -> TrialMatch:
    solutions = [json_binding(solution) for solution in found.match.solutions[:_SHOWN_SOLUTIONS]]
    made = tuple(f"{triple} ." for triple in found.match.construct[:_SHOWN_SOLUTIONS])
    record = found.record
    return TrialMatch(record.graph, record.position, record.accepted, solutions, len(found.match.solutions), made)
