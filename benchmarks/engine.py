"""What is measured: Triplewire behind the interface that its rivals have."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from benchmarks.rivals import RIVALS
from benchmarks.rivals.publications import Found, Rival
from triplewire import Matcher, Subscription, Taxonomy

OURS = "Triplewire"


class Triplewire:
    """The matcher, from bytes, a thousand events at a time as DuckDB gets them."""

    name = OURS
    batch = 1_000

    def __init__(self) -> None:
        self.matcher = Matcher()

    def build(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy | None = None) -> None:
        self.matcher = Matcher(taxonomy)
        for subscription in subscriptions:
            self.matcher.add(subscription)
        self.matcher.settle()

    def match(self, data: bytes) -> Found:
        batch = self.matcher.match_nquads(data)
        pairs = zip(batch.event_indices.tolist(), batch.subscription_ids, strict=True)
        return {(batch.event(event).graph.value, name) for event, name in pairs}

    def count(self, data: bytes) -> int:
        """What is timed: solutions, event numbers and subscription ids of all matches, as columns."""
        batch = self.matcher.match_nquads(data)
        return min(len(batch.event_indices), len(batch.subscription_ids))


def engine_named(name: str) -> Rival:
    """Make an engine."""
    return Triplewire() if name == OURS else RIVALS[name]()


def counter_of(engine: Rival) -> Callable[[bytes], int]:
    """The call that is timed: from N-Quads to the number of matches, with the matches at hand."""
    if isinstance(engine, Triplewire):
        return engine.count
    return lambda data: len(engine.match(data))
