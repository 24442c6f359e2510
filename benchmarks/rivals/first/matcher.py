"""The matcher: which subscriptions does this event satisfy?

    m = Matcher(taxonomy)
    m.add(Subscription.parse("SELECT ?paper { ?paper a <http://example.org/Paper> }", id="papers"))
    for match in m.match(event): ...

Error handling: a subscription whose evaluation exceeds its budget does not hold up the others. After `tries` such
failures it is quarantined with the reason: it stays subscribed, and is not evaluated until it is removed and added
again.
"""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import shorten
from types import MappingProxyType

from benchmarks.rivals.first.candidates import Candidates
from msgspec import Struct

from triplewire.algebra.queries import FastQuery, Query, cores_of
from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.errors import BudgetExceeded, DuplicateSubscription, UnknownSubscription
from triplewire.matching.evaluation.budget import DEFAULT_STEPS
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.evaluation.plans import FastPlan
from triplewire.matching.general.plan import GeneralPlan
from triplewire.matching.matches import Match
from triplewire.rdf.events import Event

_SHOWN = 80


class Stats(Struct):
    """What a matcher has done so far."""

    events: int = 0
    candidates: int = 0
    matches: int = 0


class _Entry(Struct):
    """A subscription in the matcher. `number` is its place in the order of adding."""

    number: int
    subscription: Subscription
    plan: FastPlan | GeneralPlan
    failures: int = 0


class Matcher:
    """Holds subscriptions and matches events against them.

    `budget` is how many steps one evaluation may take, `tries` how often a subscription may exceed them before it is
    quarantined.
    """

    def __init__(
        self,
        taxonomy: Taxonomy | None = None,
        *,
        budget: int = DEFAULT_STEPS,
        tries: int = 1,
    ) -> None:
        self._taxonomy = taxonomy
        self._steps = budget
        self._tries = tries
        self._entries: dict[str, _Entry] = {}
        self._added = 0
        self._candidates = Candidates()
        self._quarantined: dict[str, str] = {}
        self.stats = Stats()

    def add(self, subscription: Subscription) -> None:
        """Subscribe. The same identifier with the same query changes nothing; with another it is an error."""
        known = self._entries.get(subscription.id)
        if known is not None:
            _require_same(known.subscription, subscription)
            return
        plan = _planned(subscription.query)
        self._candidates.add(subscription.id, cores_of(subscription.query))
        self._entries[subscription.id] = _Entry(self._added, subscription, plan)
        self._added += 1

    def remove(self, subscription_id: str) -> None:
        """Unsubscribe."""
        if subscription_id not in self._entries:
            raise UnknownSubscription(f"wanted to remove the subscription {subscription_id!r}, found none of that name")
        del self._entries[subscription_id]
        self._quarantined.pop(subscription_id, None)
        self._candidates.remove(subscription_id)

    def match(self, event: Event) -> list[Match]:
        """The subscriptions that the event satisfies, in the order in which they were added."""
        view = EventView.of(event, self._taxonomy or EMPTY)
        found = (self._entries[name] for name in self._candidates.lookup(view) if name not in self._quarantined)
        candidates = sorted(found, key=lambda entry: entry.number)
        matches = [match for entry in candidates if (match := self._matched(entry, view, event)) is not None]
        self.stats.events += 1
        self.stats.candidates += len(candidates)
        self.stats.matches += len(matches)
        return matches

    @property
    def subscriptions(self) -> tuple[Subscription, ...]:
        """All of them, in the order in which they were added."""
        return tuple(entry.subscription for entry in self._entries.values())

    @property
    def unindexed(self) -> int:
        """How many subscriptions require nothing that the index can use, and are tested on every event."""
        return self._candidates.unindexed

    @property
    def quarantined(self) -> Mapping[str, str]:
        """The subscriptions that exceeded their budget, with the reason."""
        return MappingProxyType(self._quarantined)

    @property
    def taxonomy(self) -> Taxonomy | None:
        return self._taxonomy

    def set_taxonomy(self, taxonomy: Taxonomy | None) -> None:
        """Read events by another taxonomy from now on."""
        self._taxonomy = taxonomy

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, subscription_id: object) -> bool:
        return subscription_id in self._entries

    def _matched(self, entry: _Entry, view: EventView, event: Event) -> Match | None:
        try:
            answer = entry.plan.answer(view, self._steps)
        except BudgetExceeded as error:
            self._failed(entry, event, error)
            return None
        if answer is None:
            return None
        subscription = entry.subscription
        return Match(subscription.id, event, answer.solutions, answer.construct, subscription.lane)

    def _failed(self, entry: _Entry, event: Event, error: BudgetExceeded) -> None:
        entry.failures += 1
        if entry.failures >= self._tries:
            self._quarantined[entry.subscription.id] = f"{error} (on event <{event.graph.value}>)"


def _planned(query: Query) -> FastPlan | GeneralPlan:
    if isinstance(query, FastQuery):
        return FastPlan(query)
    plan = GeneralPlan(query)
    plan.check()
    return plan


def _require_same(known: Subscription, added: Subscription) -> None:
    if known.query != added.query:
        raise DuplicateSubscription(
            f"the subscription {added.id!r} is taken: wanted the query {shorten(known.text, _SHOWN)!r}, "
            f"found {shorten(added.text, _SHOWN)!r}"
        )
