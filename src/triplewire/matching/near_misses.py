"""How close an event that does not satisfy a subscription has come, so that the nearest can be shown first."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from msgspec import Struct

from triplewire.algebra.constraints import ALWAYS
from triplewire.algebra.queries import Core, cores_of
from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.errors import BudgetExceeded
from triplewire.matching.evaluation.budget import Budget
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.evaluation.join import bound_to_graph, key_under, solutions
from triplewire.matching.explain import why_not
from triplewire.rdf.events import Event

# A join of an event that is only looked at may take so many steps.
_STEPS = 20_000


class NearMiss(Struct, frozen=True):
    """An event that does not satisfy a subscription, why, and how close it has come, from 0 to 1."""

    event: Event
    closeness: float
    reason: str


def nearest_misses(
    subscription: Subscription, events: Iterable[Event], most: int, taxonomy: Taxonomy | None = None
) -> list[NearMiss]:
    """The events that came closest, the closest first; of equally close ones, those that come first."""
    ranked = sorted(((closeness(subscription, event, taxonomy), event) for event in events), key=lambda one: -one[0])
    return [NearMiss(event, close, why_not(subscription, event, taxonomy)) for close, event in ranked[:most]]


def closeness(subscription: Subscription, event: Event, taxonomy: Taxonomy | None = None) -> float:
    """From 0 to 1, by the part of what the query requires that comes closest.

    Half of it is for patterns that something in the event matches, a quarter for their join, a quarter for the filter.
    """
    view = EventView.of(event, taxonomy or EMPTY)
    return max((_core_closeness(core, view) for core in cores_of(subscription.query)), default=0.0)


def _core_closeness(core: Core, view: EventView) -> float:
    start = bound_to_graph(core, view)
    if start is None:
        return 0.0
    found = sum(bool(view.matching(key_under(pattern, start))) for pattern in core.patterns)
    if found < len(core.patterns):
        return found / len(core.patterns) / 2
    try:
        return (
            0.5
            + 0.25 * _has_solution(Core(core.patterns, ALWAYS, core.graphs), view)
            + 0.25 * _has_solution(core, view)
        )
    except BudgetExceeded:
        return 0.5


def _has_solution(core: Core, view: EventView) -> bool:
    return any(True for _ in islice(solutions(core, view, Budget(_STEPS)), 1))
