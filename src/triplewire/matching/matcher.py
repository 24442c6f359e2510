"""The matcher: which subscriptions does this event satisfy?

    m = Matcher(taxonomy)
    m.add(Subscription.parse("SELECT ?paper { ?paper a <http://example.org/Paper> }", id="papers"))
    for match in m.match(event): ...

Kernels decide what they can decide with certainty, from bytes; the general lane, the few tests that need exact
arithmetic, and joins that are too much for a kernel's nested loops are evaluated here, candidate by candidate. Until
kernels are compiled, a few subscriptions and events are evaluated all that way (`interpreter`).

Error handling: a subscription whose evaluation exceeds its budget does not hold up the others. After `tries` such
failures it is quarantined with the reason: it stays subscribed, and is not evaluated until it is removed and added
again.
"""

from __future__ import annotations

import logging
import os
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import shorten

import msgspec
import numpy as np
from msgspec import Struct

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.errors import BudgetExceeded, DuplicateSubscription, InputError, UnknownSubscription
from triplewire.matching.batch import MatchBatch
from triplewire.matching.compiler import checked_plan
from triplewire.matching.evaluation.budget import DEFAULT_STEPS, Budget
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.evaluation.interpreter import Interpreter
from triplewire.matching.evaluation.plans import PlanCache, QueryPlan
from triplewire.matching.evaluation.quarantine import Quarantine
from triplewire.matching.general.plan import GeneralPlan
from triplewire.matching.kernels.layout import YES
from triplewire.matching.matches import EvaluatedMatch, Match
from triplewire.matching.reasons.match_reasons import reasons_of
from triplewire.matching.scanning.event_limits import within
from triplewire.matching.scanning.scanner import ScanResult, scan
from triplewire.matching.segments.live_index import LiveIndex
from triplewire.matching.segments.parts import read_part
from triplewire.matching.segments.search import MATCH_EVENT, MATCH_OUTCOME, MATCH_SUBSCRIPTION, SegmentMatches
from triplewire.matching.segments.segment import Segment
from triplewire.matching.segments.snapshots import read_snapshot, write_snapshot
from triplewire.rdf.coercion import EventLike, as_event, as_events
from triplewire.rdf.events import Event
from triplewire.rdf.limits import ANY_SIZE, Limits
from triplewire.wire.reasons import Reason

_SHOWN = 80
_log = logging.getLogger(__name__)


class Stats(Struct):
    """What a matcher has done so far."""

    events: int = 0
    candidates: int = 0
    matches: int = 0


class Matcher:
    """Holds subscriptions and matches events against them.

    `budget` is how many steps one evaluation may take, `tries` how often a subscription may exceed them before it is
    quarantined. `interpret` is how many evaluations are made in plain Python before kernels are compiled: 0 for none.
    By default that depends on whether they have been compiled before.
    """

    def __init__(
        self,
        taxonomy: Taxonomy | None = None,
        *,
        budget: int = DEFAULT_STEPS,
        tries: int = 1,
        interpret: int | None = None,
    ) -> None:
        self._taxonomy = taxonomy
        self._steps = budget
        # Nobody outside can know the seed, so nobody can craft terms that collide.
        self._index = LiveIndex(secrets.randbits(63), taxonomy)
        self._plans = PlanCache()
        self._quarantine = Quarantine(tries)
        self._interpreter = Interpreter(interpret)
        self._interpreted: Counter[str | None] = Counter()
        self.stats = Stats()

    def add(self, subscription: Subscription | str, *, id: str | None = None) -> None:  # noqa: A002  the public name
        """Subscribe. The same identifier with the same query changes nothing; with another it is an error.

        Text is SPARQL; without an `id` it gets one that is derived from the text.
        """
        subscription = _subscription(subscription, id)
        with self._index.lock:
            known = self._index.get(subscription.id)
            if known is not None:
                _require_same(known, subscription)
                return
            self._check(subscription)
            self._index.add(subscription)

    def add_parts(self, parts: Iterable[bytes]) -> None:
        """Subscribe what `Compiler` has compiled in other processes. None of it if an identifier is taken."""
        self._index.add_parts([read_part(part) for part in parts])

    def remove(self, subscription_id: str) -> None:
        """Unsubscribe."""
        if not self._index.remove(subscription_id):
            raise UnknownSubscription(
                wanted=f"to remove the subscription {subscription_id!r}", found="none of that name"
            )
        self._plans.forget(subscription_id)
        self._quarantine.release(subscription_id)

    def match(self, event: EventLike) -> list[Match]:
        """The subscriptions that the event satisfies, in the order in which they were added.

        An rdflib Graph, a path, or RDF as text or bytes (N-Quads) is taken for the one event that it holds.
        """
        event = as_event(event)
        drafted = self._interpreter.taken_from(self._index)
        if drafted is not None:
            return self._evaluate_all(drafted, event)
        return list(self._matched(scan(event.nquads, self._index.seed), {0: event}))

    def match_events(self, events: Iterable[EventLike]) -> MatchBatch:
        """Match many events at once, no two of them under one name. Their places in the batch are those given here."""
        events = as_events(events)
        data = b"".join([event.nquads for event in events])
        return self._matched(scan(data, self._index.seed), dict(enumerate(events)))

    def match_nquads(self, data: bytes | memoryview, limits: Limits = ANY_SIZE) -> MatchBatch:
        """Match the events of an N-Quads document, whose quads lie next to each other event by event.

        A line that is malformed, and an event that is beyond the limits, are reported in the batch's `errors`; the
        event is left out, the others are matched.
        """
        return self._matched(within(scan(data, self._index.seed), limits), {})

    def reasons(self, match: Match, within: Budget | None = None) -> tuple[Reason, ...]:
        """What each solution of a match stands on: quads of its event, and what follows from them by the taxonomy.

        Nothing for a subscription that is gone. `within` is a budget for many matches.
        """
        plan = self._plans.of_known(match.subscription_id, self._index.get)
        if plan is None:
            return ()
        view = EventView.of(match.event, self._taxonomy or EMPTY)
        return reasons_of(plan, match.solutions, view, within)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write a snapshot: everything that is subscribed, in a folder of flat arrays."""
        segment = self._index.compact()
        taxonomy = None if self._taxonomy is None else self._taxonomy.version
        write_snapshot(Path(folder), segment, self._index.serial, taxonomy)

    @classmethod
    def open(
        cls,
        folder: str | os.PathLike[str],
        taxonomy: Taxonomy | None = None,
        *,
        budget: int = DEFAULT_STEPS,
        tries: int = 1,
    ) -> Matcher:
        """Map a snapshot: processes that open the same one share its memory. The taxonomy is not part of it."""
        segment, manifest = read_snapshot(Path(folder))
        matcher = cls(taxonomy, budget=budget, tries=tries)
        matcher._index = LiveIndex(manifest.seed, taxonomy)
        matcher._index.adopt([segment], manifest.serial)
        return matcher

    def settle(self) -> None:
        """Wait until everything that was added is merged. Nobody has to: it only makes matching faster."""
        self._index.settle()

    @property
    def subscriptions(self) -> tuple[Subscription, ...]:
        """All of them, in the order in which they were added."""
        return tuple(self._index)

    @property
    def unindexed(self) -> int:
        """How many subscriptions require nothing that the index can use, and are tested on every event."""
        return sum(segment.unindexed for segment in self._index.segments)

    def unindexed_by_owner(self) -> Mapping[str | None, int]:
        """The same, for each owner who has such subscriptions."""
        return sum((segment.unindexed_by_owner() for segment in self._index.segments), Counter())

    def costs(self) -> Mapping[str | None, int]:
        """How many candidates were verified for each owner so far: who makes the matcher work."""
        return self._index.costs() + self._interpreted

    @property
    def quarantined(self) -> Mapping[str, str]:
        """The subscriptions that exceeded their budget, with the reason."""
        return self._quarantine.reasons

    @property
    def taxonomy(self) -> Taxonomy | None:
        return self._taxonomy

    def set_taxonomy(self, taxonomy: Taxonomy | None) -> None:
        """Read events by another taxonomy from now on."""
        self._index.set_taxonomy(taxonomy)
        self._taxonomy = taxonomy

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, subscription_id: object) -> bool:
        return subscription_id in self._index

    def _check(self, subscription: Subscription) -> None:
        plan = checked_plan(subscription)
        if plan is not None:
            self._plans.keep(subscription.id, plan)

    def _matched(self, scanned: ScanResult, events: dict[int, Event]) -> MatchBatch:
        found = [self._without_quarantined(part) for part in self._index.search(scanned, self._steps)]
        batch = MatchBatch(scanned, [_sure(part) for part in found], events)
        for part in found:
            if part.undecided:
                self._evaluate_rest(part, batch)
                self._quarantine.numbers_in(part.segment)  # stops what nobody wants any more before the next event
        self.stats.events += len(scanned)
        self.stats.candidates += sum(part.verified for part in found)
        self.stats.matches += len(batch)
        return batch

    def _evaluate_all(self, subscriptions: tuple[Subscription, ...], event: Event) -> list[Match]:
        """Evaluate subscriptions one by one, without kernels."""
        view = EventView.of(event, self._taxonomy or EMPTY)
        wanted = [known for known in subscriptions if known.id not in self._quarantine.reasons]
        found = [self._answered(known.id, self._plans.of_drafted(known), view) for known in wanted]
        matches = [match.on(event) for match in found if match is not None]
        self._interpreted.update(known.owner for known in wanted)
        self.stats.events += 1
        self.stats.candidates += len(wanted)
        self.stats.matches += len(matches)
        return matches

    def _without_quarantined(self, found: SegmentMatches) -> SegmentMatches:
        numbers = self._quarantine.numbers_in(found.segment)
        if not numbers.size:
            return found
        keep = ~np.isin(found.matches[:, MATCH_SUBSCRIPTION], numbers)
        return msgspec.structs.replace(found, matches=found.matches[keep])

    def _evaluate_rest(self, found: SegmentMatches, batch: MatchBatch) -> None:
        """Evaluate what the kernels left open, event by event."""
        rest = found.matches[found.matches[:, MATCH_OUTCOME] != YES]
        taxonomy = self._taxonomy or EMPTY
        view, viewed = None, -1
        for event, number in sorted({(row[MATCH_EVENT], row[MATCH_SUBSCRIPTION]) for row in rest.tolist()}):
            if view is None or event != viewed:
                view, viewed = batch.view(event, taxonomy), event
            found_here = self._evaluated(found.segment, number, view)
            if found_here is not None:
                batch.include(event, found.segment, number, found_here)

    def _evaluated(self, segment: Segment, number: int, view: EventView) -> EvaluatedMatch | None:
        name = segment.id_of(number)
        if name in self._quarantine.reasons:
            return None
        return self._answered(name, self._plans.of(segment, number), view)

    def _answered(self, name: str, plan: QueryPlan, view: EventView) -> EvaluatedMatch | None:
        try:
            answer = plan.answer(view, self._steps)
        except BudgetExceeded as error:
            self._quarantine.failed(name, view.graph, error)
            return None
        except Exception as error:  # noqa: BLE001  logged, and the reason is kept
            # A fault of ours must not hold up the others, and has to be seen (row F11).
            _log.exception("the evaluation of the subscription %r failed", name)
            self._quarantine.failed(name, view.graph, error)
            return None
        if answer is None:
            return None
        lane = "general" if isinstance(plan, GeneralPlan) else "fast"
        return EvaluatedMatch(name, answer, lane)


def _subscription(given: object, name: str | None) -> Subscription:
    if isinstance(given, str):
        return Subscription.parse(given, id=name)
    if not isinstance(given, Subscription):
        raise InputError(wanted="a Subscription, or a SPARQL query as text", found=type(given).__name__)
    if name is not None:
        raise InputError(wanted="an id for a query as text", found=f"{name!r} for a Subscription, which has one")
    return given


def _sure(found: SegmentMatches) -> SegmentMatches:
    """Only what the kernels have decided."""
    if not found.undecided:
        return found
    return msgspec.structs.replace(found, matches=found.matches[found.matches[:, MATCH_OUTCOME] == YES])


def _require_same(known: Subscription, added: Subscription) -> None:
    if known.query != added.query:
        raise DuplicateSubscription(
            f"the subscription {added.id!r} is taken",
            wanted=f"the query {shorten(known.text, _SHOWN)!r}",
            found=repr(shorten(added.text, _SHOWN)),
        )
