"""Trials: a query over events that are in the log already: which match, with which solutions, and what came closest.

Nothing is stored and nobody is told. A trial works on what its client may see of the events (row A15), with a matcher
of its own, under the budget of any evaluation (row A11); the work is done on another thread.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import BudgetExceeded
from triplewire.matching import Match, Matcher
from triplewire.matching.near_misses import NearMiss, nearest_misses
from triplewire.node.broker.events import Seen
from triplewire.store.tables.log import Record
from triplewire.wire.console import MatchBin, MatchHistory

_SHORTEST_BIN = 0.001


class Found(Struct, frozen=True):
    """A match, and the record of its event."""

    record: Record
    match: Match


class TrialOutcome(Struct, frozen=True):
    """What a query has to say about events of the log, in their order, and the nearest of those that do not match."""

    found: list[Found]
    misses: list[tuple[Record, NearMiss]]


def tried(
    subscription: Subscription,
    events: Sequence[Seen],
    taxonomy: Taxonomy | None = None,
    most_misses: int = 0,
) -> TrialOutcome:
    """Match a query against events; `BudgetExceeded` if it takes too much work."""
    records = {record.graph: record for record, _ in events}
    found = [Found(records[match.event.graph.value], match) for match in _matches(subscription, events, taxonomy)]
    matched = {one.record.graph for one in found}
    # The newest first, so that of equally close ones the newest are shown.
    others = [event for record, event in reversed(events) if record.graph not in matched]
    misses = nearest_misses(subscription, others, most_misses, taxonomy) if most_misses else []
    return TrialOutcome(found, [(records[miss.event.graph.value], miss) for miss in misses])


def history(
    subscription: Subscription,
    events: Sequence[Seen],
    bins: int,
    taxonomy: Taxonomy | None = None,
    floor: int = 0,
) -> MatchHistory:
    """How many events match in each of so many equal spans of time; `BudgetExceeded` if it takes too much work."""
    if not events:
        return MatchHistory(first=0, last=0, floor=floor, seconds=0.0, events=0, matches=0, bins=())
    matching = {found.event.graph.value for found in _matches(subscription, events, taxonomy)}
    records = [record for record, _ in events]
    start = min(record.accepted for record in records)
    seconds = max((max(record.accepted for record in records) - start) / bins, _SHORTEST_BIN)
    counted = [MatchBin(start + number * seconds, records[0].position - 1, 0, 0) for number in range(bins)]
    for record in records:
        place = min(bins - 1, int((record.accepted - start) / seconds))
        so_far = counted[place]
        first = so_far.position if so_far.events else record.position - 1
        matches = so_far.matches + (record.graph in matching)
        counted[place] = MatchBin(so_far.time, first, so_far.events + 1, matches)
    for place in range(1, bins):
        before, this = counted[place - 1], counted[place]
        if not this.events:
            counted[place] = replace(this, position=before.position + before.events)
    return MatchHistory(
        first=records[0].position,
        last=records[-1].position,
        floor=floor,
        seconds=seconds,
        events=len(records),
        matches=len(matching),
        bins=tuple(counted),
    )


def _matches(subscription: Subscription, events: Sequence[Seen], taxonomy: Taxonomy | None) -> list[Match]:
    matcher = Matcher(taxonomy)
    matcher.add(subscription)
    found = list(matcher.match_events([event for _, event in events])) if events else []
    for reason in matcher.quarantined.values():
        raise BudgetExceeded(reason)
    return found
