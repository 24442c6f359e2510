"""Chains followed through quadruples: each rewriting is sent on its way once, and a whole event is matched in one step.

A rewritten subscription goes to the zones of its next pattern in the event, and at the end of its chain the
subscriber's node is told of a candidate.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from triplewire.errors import BudgetExceeded
from triplewire.matching.chains.rewriting import Chain, Rewriting
from triplewire.matching.evaluation.budget import Budget
from triplewire.matching.evaluation.event_view import Row
from triplewire.network.can.geometry.coordinates import coordinate
from triplewire.network.eventspace.chains import chains_of, index_bounds, next_bounds, received, sent
from triplewire.network.eventspace.effects import SpaceEffect, ToNode, ToZones
from triplewire.network.eventspace.messages import (
    CandidateFound,
    EventHeader,
    MatchRewritten,
    SpaceSubscription,
    SubscriptionKey,
)
from triplewire.network.eventspace.quads import SpelledTriple
from triplewire.network.eventspace.zones.event_rows import EventRows
from triplewire.network.eventspace.zones.sent_rewritings import SentRewritings
from triplewire.network.eventspace.zones.subscription_index import SubscriptionIndex
from triplewire.rdf.terms import NamedNode

Effects = Iterator[SpaceEffect]


class ChainSteps:
    """The steps that are taken here. `budget` bounds matching a whole event, `most_rewritings` what is sent on."""

    def __init__(self, subscriptions: SubscriptionIndex, budget: int, most_rewritings: int) -> None:
        self.sent = SentRewritings()
        self._subscriptions = subscriptions
        self._budget = budget
        self._most_rewritings = most_rewritings

    def begin_by(self, header: EventHeader, rows: Iterable[SpelledTriple], matching: str = "") -> Effects:
        """The first step of every chain that some of an event's quadruples can begin."""
        event = EventRows(header.event, ())
        for row in rows:
            for start in self._subscriptions.starts(row):
                if not start.subscription.stamp.follows(header.stamp):
                    found = first_step(start.chain, event.terms(row), event.graph)
                    if found is not None:
                        yield from self._advance(start.subscription, header, start.number, start.chain, found, matching)

    def begin_late(
        self, subscription: SpaceSubscription, number: int, header: EventHeader, rows: Iterable[SpelledTriple]
    ) -> Effects:
        """The first step of a chain of a subscription that came after an event.

        If that was published whole, others may have had both in time and left it to us, as the owner of its first
        quadruple. So the first step is taken everywhere.
        """
        event, chain = EventRows(header.event, ()), chains_of(subscription)[number]
        steps = (first_step(chain, event.terms(row), event.graph) for row in rows)
        found = [step for step in steps if step is not None]
        start = chain.begin(event.graph) if header.whole and found else None
        for rewriting in found if start is None else [start]:
            yield from self._advance(subscription, header, number, chain, rewriting, "")

    def begin_late_by(
        self, keys: Collection[SubscriptionKey], header: EventHeader, rows: Sequence[SpelledTriple]
    ) -> Effects:
        """The same for all chains of some subscriptions that quadruples here can begin."""
        starts = (start for row in rows for start in self._subscriptions.starts(row) if start.subscription.key in keys)
        late = {(start.subscription.key, start.number): start.subscription for start in starts}
        for (_, number), subscription in late.items():
            if not subscription.stamp.follows(header.stamp):
                yield from self.begin_late(subscription, number, header, rows)

    def go_on(self, message: MatchRewritten, rows: Iterable[SpelledTriple]) -> Effects:
        """The next step of a rewritten subscription, by some of the event's quadruples."""
        subscription, header, number = message.subscription, message.header, message.rewriting.chain
        event, chain, reached = (
            EventRows(header.event, ()),
            chains_of(subscription)[number],
            received(message.rewriting),
        )
        for row in rows:
            found = chain.extend(reached, event.terms(row))
            if found is not None:
                yield from self._advance(subscription, header, number, chain, found, message.round)

    def match_whole(
        self, header: EventHeader, rows: tuple[SpelledTriple, ...], fresh: Iterable[SpelledTriple]
    ) -> Iterator[tuple[SpelledTriple, SpaceSubscription]]:
        """The subscriptions of which some fresh quadruple begins a chain that the whole event completes.

        Each with the quadruple whose owner tells the subscriber: the first, in the order of the space, with which a
        chain of it can begin. All who have event and subscription agree which one that is.
        """
        concerned = {start.subscription.key: start for row in fresh for start in self._subscriptions.starts(row)}
        if not concerned:
            return
        event = EventRows(header.event, rows)
        decided: dict[tuple[str, str], SpelledTriple | None] = {}
        for start in concerned.values():
            subscription = start.subscription
            if event.may_have(start.constants) and not subscription.stamp.follows(header.stamp):
                query = subscription.language, subscription.text
                if query not in decided:
                    decided[query] = self._first_start(subscription, event)
                first = decided[query]
                if first is not None:
                    yield first, subscription

    def _first_start(self, subscription: SpaceSubscription, event: EventRows) -> SpelledTriple | None:
        """The first quadruple, in the order of the space, that begins a chain which the event completes.

        It lies where the subscription is indexed: filters that only the subscriber's node evaluates narrow that, too.
        """
        begun = ((chain, chain.begin(event.graph)) for chain in chains_of(subscription))
        complete = [(chain, start) for chain, start in begun if start and self._completes(chain, start, event)]
        graph, bounds = coordinate(event.graph), index_bounds(subscription)
        rows = (row for row in event.rows if any(chain.extend(start, event.terms(row)) for chain, start in complete))
        return min((row for row in rows if any((graph, *row) in box for box in bounds)), default=None)

    def _completes(self, chain: Chain, start: Rewriting, event: EventRows) -> bool:
        try:
            return chain.completes(start, event, Budget(self._budget))
        except BudgetExceeded:
            # The subscriber's node evaluates it, and says so where that takes too much.
            return True

    def _advance(
        self,
        subscription: SpaceSubscription,
        header: EventHeader,
        number: int,
        chain: Chain,
        rewriting: Rewriting,
        matching: str,
    ) -> Effects:
        """Send a rewriting on its way, once: to the zones of its next pattern, or to the subscriber if that was all.

        Chains may multiply. Where they do so beyond all measure, the subscriber's node is left to evaluate the event.
        """
        written, most = sent(number, rewriting), self._most_rewritings
        count = self.sent.add(header.event, subscription.key, matching, written, most)
        if not count:
            return
        if chain.is_complete(rewriting) or count > most:
            yield ToNode(subscription.origin, CandidateFound((subscription.key,), header, None, matching))
        else:
            bounds = next_bounds(subscription, number, rewriting, NamedNode(header.event))
            if bounds:
                yield ToZones(bounds, MatchRewritten(subscription, header, written, matching))


def first_step(chain: Chain, row: Row, graph: NamedNode) -> Rewriting | None:
    """A chain after its first step by a quadruple; None if that does not fit."""
    begun = chain.begin(graph)
    return None if begun is None else chain.extend(begun, row)
