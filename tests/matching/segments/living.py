"""A matcher that merges early, and what it is held against: every subscription evaluated on its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.matching import Match, Matcher
from triplewire.matching.evaluation.budget import DEFAULT_STEPS
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.evaluation.plans import query_plan
from triplewire.matching.segments.live_index import LiveIndex, Thresholds
from triplewire.rdf.events import Event
from triplewire.rdf.terms import NamedNode

EARLY = Thresholds(draft=5, at_once=8)


def early(taxonomy: Taxonomy | None = None, thresholds: Thresholds = EARLY) -> Matcher:
    """A matcher with many small segments, which merges behind its readers' backs from a handful on."""
    matcher = Matcher(taxonomy)
    matcher._index = LiveIndex(12345, taxonomy, thresholds)
    return matcher


def naive(held: Iterable[Subscription], event: Event, taxonomy: Taxonomy | None = None) -> dict[str, Counter[Hashable]]:
    """The naive twin: no index, no kernel."""
    view = EventView.of(event, taxonomy or EMPTY)
    answers = {s.id: query_plan(s.query).answer(view, DEFAULT_STEPS) for s in held}
    return {name: _solutions(answer.solutions) for name, answer in answers.items() if answer is not None}


def found(matches: Iterable[Match]) -> dict[str, Counter[Hashable]]:
    """What a matcher says, in the same form; a subscription that is reported twice is an error."""
    answers: dict[str, Counter[Hashable]] = {}
    for match in matches:
        assert match.subscription_id not in answers, f"{match.subscription_id} is reported twice"
        answers[match.subscription_id] = _solutions(match.solutions)
    return answers


def by_event(matches: Iterable[Match]) -> Mapping[NamedNode, dict[str, Counter[Hashable]]]:
    grouped: dict[NamedNode, list[Match]] = {}
    for match in matches:
        grouped.setdefault(match.event.graph, []).append(match)
    return {graph: found(group) for graph, group in grouped.items()}


def renamed(event: Event, graph: str) -> Event:
    return Event.from_triples(NamedNode(graph), event.triples)


def _solutions(solutions: list[dict]) -> Counter[Hashable]:
    return Counter(frozenset(solution.items()) for solution in solutions)
