"""The holder of zones: indexes subscriptions, stores quadruples, and matches the ones with the others.

A quadruple that meets the first pattern of a chain rewrites the subscription, and the rewritten one goes to the zones
of the next pattern in that event. It is matched against quadruples that are there, and waits for those to come
until the event is settled. At the end of the chain the subscriber's node is told of a candidate (CSMA).

A whole event is matched in one step, at the owner of the first quadruple, in the order of the space, with which a chain
can begin (OSMA). All who have event and subscription agree which one that is.

A subscription that was issued before an event, but arrives after it, is matched against stored quadruples, as in CSMA,
whichever way the event came.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from triplewire.errors import BudgetExceeded
from triplewire.matching.chains.rewriting import Chain, Rewriting
from triplewire.matching.evaluation.budget import DEFAULT_STEPS, Budget
from triplewire.matching.evaluation.event_view import EventView
from triplewire.network.can.space import Point, Zone
from triplewire.network.eventspace import contents
from triplewire.network.eventspace.chains import chains_of, next_bounds, received, sent
from triplewire.network.eventspace.effects import SpaceEffect, ToNode, ToZones
from triplewire.network.eventspace.messages import (
    AskSettled,
    CandidateFound,
    CollectEvent,
    EventHeader,
    EventSettled,
    IndexSubscription,
    MatchRewritten,
    QuadsFound,
    QuadsStored,
    RemoveSubscription,
    SentRewriting,
    SpaceSubscription,
    StoreEvent,
    StoreQuad,
    SubscriptionIndexed,
)
from triplewire.network.eventspace.records import EventRecord, EventRecords, StoredQuad, assembled, quads_in
from triplewire.network.eventspace.subscription_index import SubscriptionIndex, first_step
from triplewire.rdf.terms import NamedNode

Effects = Iterator[SpaceEffect]

# How many rewritings of one subscription in one event a node sends at most.
MOST_REWRITINGS = 1_000


class ZoneHolder:
    """What a node does for the zones that it owns. `zones` is kept up by the space.

    `budget` is how many steps matching a whole event may take, `most_rewritings` how many rewritings of one
    subscription in one event are sent on; beyond them an event is a candidate.
    """

    def __init__(
        self, name: str, zones: Iterable[Zone], budget: int = DEFAULT_STEPS, most_rewritings: int = MOST_REWRITINGS
    ) -> None:
        self.zones = tuple(zones)
        self._name = name
        self._budget = budget
        self._most_rewritings = most_rewritings
        self._subscriptions = SubscriptionIndex()
        self._records = EventRecords()

    def owns(self, point: Point) -> bool:
        return any(point in zone for zone in self.zones)

    @property
    def waiting(self) -> int:
        """How many rewritten subscriptions and collectors wait for quadruples that are still to come."""
        return sum(len(record.waiting) + len(record.collectors) for record in self._records)

    def forget(self, event: str) -> None:
        """Drop an event that retention has removed."""
        self._records.forget(event)

    # Subscriptions

    def index(self, message: IndexSubscription) -> Effects:
        """Index a subscription, and match it against events that were published after it and arrived before."""
        subscription = message.subscription
        self._subscriptions.add(subscription)
        if subscription.key in self._subscriptions:
            # Also where it is known already: zones may have come here since, with quadruples that it has not met.
            for record in self._records.following(subscription.stamp):
                yield from self._begin(subscription, record)
        yield ToNode(subscription.stamp.origin, SubscriptionIndexed(subscription.key, self.zones))

    def remove(self, message: RemoveSubscription) -> Effects:
        self._subscriptions.remove(message.key)
        yield from ()

    def match_rewritten(self, message: MatchRewritten) -> Effects:
        """Match a rewritten subscription against what is there of the event, and let it wait for the rest."""
        record = self._records.of(message.header)
        if not record.settled:
            record.waiting[message.subscription.key, message.rewriting] = message.subscription
            yield from self._ask_settled(record)
        yield from self._go_on(message.subscription, record, message.rewriting, record.quads.values())

    # Events

    def store_quad(self, message: StoreQuad) -> Effects:
        """Store a quadruple, and match it alone (CSMA)."""
        record = self._records.of(message.header)
        fresh = record.add(quads_in(message.line))
        yield from self._serve_waiting(record, fresh)
        for quad in fresh:
            for start in self._subscriptions.starts(quad.row, record.graph):
                if not start.subscription.stamp.follows(record.header.stamp):
                    yield from self._advance(start.subscription, record, start.number, start.chain, start.rewriting)
        yield _stored(message.header, (message.number,))

    def store_event(self, message: StoreEvent) -> Effects:
        """Store what lies here of a whole event, and match the event in one step (OSMA)."""
        record = self._records.of(message.header)
        record.whole = True
        quads = quads_in(message.nquads)
        numbers = tuple(number for number, quad in enumerate(quads) if self.owns(quad.point))
        fresh = record.add(quads[number] for number in numbers)
        yield from self._serve_waiting(record, fresh)
        if fresh:
            yield from self._match_whole(record, quads, fresh, message.nquads)
        yield _stored(message.header, numbers)

    def collect(self, message: CollectEvent) -> Effects:
        """Send what is here of an event, and from now on what comes."""
        record = self._records.of(message.header)
        if not record.settled:
            record.collectors.add(message.collector)
            yield from self._ask_settled(record)
        if record.quads:
            yield ToNode(message.collector, QuadsFound(message.header.event, tuple(record.quads)))

    def settle(self, message: EventSettled) -> Effects:
        """Stop waiting for quadruples of an event."""
        record = self._records.get(message.event)
        if record is not None:
            record.settle()
        yield from ()

    def ask_again(self) -> Effects:
        """Ask once more whether events are settled that somebody waits for: zones came here, or an answer was lost."""
        for record in self._records:
            if record.waiting or record.collectors:
                record.asked = False
                yield from self._ask_settled(record)

    # What the space moves from node to node (`can.contents`)

    def load(self, zone: Zone) -> int:
        """How many quadruples lie in a zone."""
        return len(self.points(zone))

    def points(self, zone: Zone) -> list[Point]:
        """Where the quadruples of a zone lie."""
        return [quad.point for record in self._records for quad in record.quads.values() if quad.point in zone]

    def export(self, zones: Sequence[Zone]) -> bytes:
        """All that lies in some zones."""
        return contents.export(zones, self._subscriptions, self._records)

    def merge(self, exported: bytes) -> None:
        """Add what another holder has exported."""
        contents.merge(exported, self._subscriptions, self._records)

    def discard(self, zone: Zone) -> None:
        """Drop what lies in a zone that another node has got. `zones` no longer has it."""
        contents.discard(zone, self.zones, self._subscriptions, self._records)

    # Private

    def _ask_settled(self, record: EventRecord) -> Effects:
        if not record.asked:
            record.asked = True
            stamp = record.header.stamp
            yield ToNode(stamp.origin, AskSettled(stamp.position, record.header.event, self._name))

    def _serve_waiting(self, record: EventRecord, fresh: list[StoredQuad]) -> Effects:
        if not fresh:
            return
        for collector in sorted(record.collectors):
            yield ToNode(collector, QuadsFound(record.header.event, tuple(quad.line for quad in fresh)))
        for (_, rewriting), subscription in list(record.waiting.items()):
            yield from self._go_on(subscription, record, rewriting, fresh)

    def _begin(self, subscription: SpaceSubscription, record: EventRecord) -> Effects:
        """The first step of each chain of a subscription that came after an event.

        If that was published whole, others may have had both in time and left it to us, as the owner of its first
        quadruple. So the first step is taken everywhere.
        """
        for number, chain in enumerate(chains_of(subscription)):
            steps = (first_step(chain, quad.row, record.graph) for quad in record.quads.values())
            found = [step for step in steps if step is not None]
            start = chain.begin(record.graph) if record.whole and found else None
            for rewriting in found if start is None else [start]:
                yield from self._advance(subscription, record, number, chain, rewriting)

    def _go_on(
        self,
        subscription: SpaceSubscription,
        record: EventRecord,
        rewriting: SentRewriting,
        quads: Iterable[StoredQuad],
    ) -> Effects:
        """The next step of a rewritten subscription."""
        chain, reached = chains_of(subscription)[rewriting.chain], received(rewriting)
        for quad in quads:
            found = chain.extend(reached, quad.row)
            if found is not None:
                yield from self._advance(subscription, record, rewriting.chain, chain, found)

    def _advance(
        self, subscription: SpaceSubscription, record: EventRecord, number: int, chain: Chain, rewriting: Rewriting
    ) -> Effects:
        """Send a rewriting on its way, once: to the zones of its next pattern, or to the subscriber if that was all.

        Chains may multiply. Where they do so beyond all measure, the subscriber's node is left to evaluate the event.
        """
        written, already = sent(number, rewriting), record.sent.setdefault(subscription.key, set())
        if written in already or len(already) > self._most_rewritings:
            return
        already.add(written)
        if chain.is_complete(rewriting) or len(already) > self._most_rewritings:
            yield ToNode(subscription.stamp.origin, CandidateFound(subscription.key, record.header))
        else:
            bounds = next_bounds(chain, rewriting, record.graph)
            yield ToZones((bounds,), MatchRewritten(subscription, record.header, written))

    def _match_whole(
        self, record: EventRecord, quads: list[StoredQuad], fresh: list[StoredQuad], nquads: bytes
    ) -> Effects:
        started = (s.subscription for quad in fresh for s in self._subscriptions.starts(quad.row, record.graph))
        concerned = {s.key: s for s in started if not s.stamp.follows(record.header.stamp)}
        if not concerned:
            return
        view = _view(record, quads)
        for subscription in concerned.values():
            if self.owns(_first_start(subscription, record, quads)) and self._may_match(subscription, view):
                candidate = CandidateFound(subscription.key, record.header, nquads)
                yield ToNode(subscription.stamp.origin, candidate)

    def _may_match(self, subscription: SpaceSubscription, view: EventView) -> bool:
        begun = ((chain, chain.begin(view.graph)) for chain in chains_of(subscription))
        try:
            return any(
                start is not None and chain.completes(start, view, Budget(self._budget)) for chain, start in begun
            )
        except BudgetExceeded:
            # The subscriber's node evaluates it, and says so where that takes too much.
            return True


def _first_start(subscription: SpaceSubscription, record: EventRecord, quads: list[StoredQuad]) -> Point:
    """The place of the first quadruple, in the order of the space, with which a chain of a subscription can begin."""
    chains = chains_of(subscription)
    return min(quad.point for quad in quads if _begins(chains, quad, record.graph))


def _begins(chains: tuple[Chain, ...], quad: StoredQuad, graph: NamedNode) -> bool:
    return any(first_step(chain, quad.row, graph) is not None for chain in chains)


def _view(record: EventRecord, quads: list[StoredQuad]) -> EventView:
    return EventView(assembled(record.header, [quad.triple for quad in quads]))


def _stored(header: EventHeader, numbers: tuple[int, ...]) -> SpaceEffect:
    return ToNode(header.stamp.origin, QuadsStored(header.stamp.position, numbers))
