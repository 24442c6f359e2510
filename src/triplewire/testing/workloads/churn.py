"""The workload `churn`: subscriptions come and go while events pass."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from msgspec import Struct

from triplewire.testing.workloads.attributes import Plan, mixed, planned, rows, uniform
from triplewire.testing.workloads.workload import Row, Workload, stream


class Replacement(Struct, frozen=True):
    """Before the event of number `before`, one subscription goes and another comes."""

    before: int
    removed: str
    added: Row


class Churn(Struct, frozen=True):
    """A workload and the schedule of what is replaced while it runs."""

    workload: Workload
    plan: Plan
    seed: int
    rate: float
    events: int
    subscriptions: int

    def replacements(self) -> Iterator[Replacement]:
        """In order; a subscription goes only while it is there."""
        random = stream(self.seed, "churn")
        held = [row.id for row in self.workload.rows()]
        fresh = self._arrivals()
        due = 0.0
        for before in range(self.events):
            due += self.rate
            for added in islice(fresh, int(due)):
                place = int(random.integers(0, len(held)))
                yield Replacement(before, held[place], added)
                held[place] = added.id
            due -= int(due)

    def _arrivals(self) -> Iterator[Row]:
        """New subscriptions, drawn as the first ones were, under names that nobody has yet."""
        total = int(self.events * self.rate) + 1
        for number, row in enumerate(rows("churn", total, self.seed, self.plan), self.subscriptions):
            yield row._replace(id=f"s{number}")

    def steps(self) -> Iterator[Replacement | bytes]:
        """Replacements and payloads in the order in which they happen."""
        waiting = self.replacements()
        next_one = next(waiting, None)
        for number, payload in enumerate(self.workload.payloads()):
            while next_one is not None and next_one.before == number:
                yield next_one
                next_one = next(waiting, None)
            yield payload
        yield from chain(() if next_one is None else (next_one,), waiting)


def churn(
    subscriptions: int, events: int, seed: int = 0, matches_per_event: float = 1.0, replacements_per_event: float = 1.0
) -> Churn:
    """`mixed`, with a part of the subscriptions replaced before each event; their number stays.

    >>> [(r.before, r.removed, r.added.id) for r in churn(3, 4, replacements_per_event=0.5).replacements()]
    [(1, 's2', 's3'), (3, 's1', 's4')]
    """
    base = mixed(subscriptions, events, seed, matches_per_event)
    plan = planned(subscriptions, matches_per_event, uniform)
    return Churn(base, plan, seed, replacements_per_event, events, subscriptions)
