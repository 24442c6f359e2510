"""The holder of zones: indexes subscriptions, stores quadruples, and matches the ones with the others.

A quadruple that meets the first pattern of a chain rewrites the subscription, and the rewritten one goes to the zones
of the next pattern in that event. It is matched against quadruples that are there, and waits for those to come
until the event is settled. At the end of the chain the subscriber's node is told of a candidate (CSMA).

A whole event is matched in one step, at the owner of the first quadruple, in the order of the space, with which a chain
can begin (OSMA).

A subscription that was issued before an event, but arrives after it, is matched against stored quadruples, as in CSMA,
whichever way the event came.

Quadruples are in the storage only; subscriptions and what waits are there and in memory, so that a holder that is made
anew over its storage goes on where it was. Every message may come twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from triplewire.matching.evaluation.budget import DEFAULT_STEPS
from triplewire.network.can.geometry.space import Bounds, Point, Zone
from triplewire.network.can.messages import Address
from triplewire.network.eventspace.bounded_set import BoundedSet
from triplewire.network.eventspace.chains import chain_bounds, chains_of, index_bounds
from triplewire.network.eventspace.chunks import encoded_header, header_in
from triplewire.network.eventspace.effects import Refuse, SpaceEffect, ToNode, ToZones
from triplewire.network.eventspace.messages import (
    AskSettled,
    CandidateFound,
    CollectEvent,
    EventHeader,
    EventSettled,
    IndexSubscription,
    MatchRewritten,
    PublicationRefused,
    QuadsFound,
    RematchEvents,
    RemoveSubscription,
    SpaceSubscription,
    StoreEvent,
    StoreQuad,
    SubscriptionKey,
)
from triplewire.network.eventspace.quads import SpelledTriple, event_bounds, graph_coordinate
from triplewire.network.eventspace.storage import SpaceStorage
from triplewire.network.eventspace.zones.chain_steps import ChainSteps
from triplewire.network.eventspace.zones.contents import ZoneContents, touches, waiting_bounds
from triplewire.network.eventspace.zones.deposits import deposit_in
from triplewire.network.eventspace.zones.subscription_index import SubscriptionIndex
from triplewire.network.eventspace.zones.waiting import Waiting

Effects = Iterator[SpaceEffect]

# How many rewritings of one subscription in one event a node sends at most.
MOST_REWRITINGS = 100
# How many settled events are remembered, so that nobody waits for them or asks.
_MOST_SETTLED = 10_000
# How many events are remembered that a subscription which others have may not have met.
_MOST_UNMET = 10_000


class ZoneHolder:
    """What a node does for the zones that it owns. `zones` is kept up by the space.

    `budget` is how many steps matching a whole event may take, `most_rewritings` how many rewritings of one
    subscription in one event are sent on; beyond them an event is a candidate.
    """

    def __init__(
        self,
        me: Address,
        storage: SpaceStorage,
        zones: Iterable[Zone] = (),
        *,
        budget: int = DEFAULT_STEPS,
        most_rewritings: int = MOST_REWRITINGS,
    ) -> None:
        self.zones = tuple(zones)
        self._me = me
        self._storage = storage
        self._subscriptions = SubscriptionIndex(storage)
        self._waiting = Waiting(storage)
        self._contents = ZoneContents(storage, self._subscriptions, self._waiting)
        self._steps = ChainSteps(self._subscriptions, budget, most_rewritings)
        self._settled = BoundedSet[str](_MOST_SETTLED)
        self._asked = set[str]()
        self._unmet: BoundedSet[str] | None = None

    def note_unrest(self, is_calm: bool) -> None:
        """Whether others may own what we do, and have indexed subscriptions that are not here.

        What is stored meanwhile is matched against them when they are deposited.
        """
        if is_calm:
            self._unmet = None
        elif self._unmet is None:
            self._unmet = BoundedSet[str](_MOST_UNMET)

    def owns(self, point: Point) -> bool:
        return any(point in zone for zone in self.zones)

    @property
    def waiting(self) -> int:
        """How many rewritten subscriptions and collectors wait for quadruples that are still to come."""
        return len(self._waiting)

    def forget(self, event: str) -> None:
        """Drop an event that retention has removed."""
        self.settle(EventSettled(event))
        self._storage.remove_event(event)
        self._storage.remove_quads(event_bounds(event))

    # Subscriptions

    def index(self, message: IndexSubscription) -> Effects:
        """Index a subscription, and match it against events that were published after it and arrived before."""
        subscription = message.subscription
        self._subscriptions.add(subscription)
        if subscription.key not in self._subscriptions:
            return
        # Also where it is known already: zones may have come here since, with quadruples that it has not met.
        stamp = subscription.stamp
        for encoded in self._storage.events_following(stamp.origin, stamp.position):
            header = header_in(encoded)
            for number in range(len(chains_of(subscription))):
                rows = self._rows(chain_bounds(subscription, number, header.event))
                yield from self._steps.begin_late(subscription, number, header, rows)

    def remove(self, message: RemoveSubscription) -> Effects:
        self._subscriptions.remove(message.key, message.bounds)
        yield from ()

    def match_rewritten(self, message: MatchRewritten) -> Effects:
        """Match a rewritten subscription against what is there of the event, and let it wait for the rest."""
        yield from self._let_wait(message)
        yield from self._steps.go_on(message, self._rows(waiting_bounds(message)))

    # Events

    def store_quad(self, message: StoreQuad) -> Effects:
        """Store a quadruple, and match it alone (CSMA)."""
        header = message.header
        known = self._known(header)
        if known.digest != header.digest:
            yield self._refusal(header, known)
            return
        fresh = self._store(header, (message.row,))
        yield from self._serve_waiting(header, fresh)
        # Published whole before, its chains were left to the owner of another quadruple, which may never have got it.
        yield from self._steps.begin_by(known, (message.row,) if known.whole else fresh)

    def store_event(self, message: StoreEvent) -> Effects:
        """Store what lies here of a whole event, and match the event in one step (OSMA)."""
        header = message.header
        known = self._known(header)
        if known.digest != header.digest:
            yield self._refusal(header, known)
            return
        graph = graph_coordinate(header.event)
        mine = [row for row in message.rows if self.owns((graph, *row))]
        fresh = self._store(header, mine)
        yield from self._serve_waiting(header, fresh)
        keys: dict[Address, list[SubscriptionKey]] = {}
        for first, subscription in self._steps.match_whole(known, message.rows, fresh if known.whole else mine):
            if self.owns((graph, *first)):
                keys.setdefault(subscription.origin, []).append(subscription.key)
        for origin, concerned in keys.items():
            yield ToNode(origin, CandidateFound(tuple(concerned), known, message.rows))

    def rematch(self, message: RematchEvents) -> Effects:
        """Begin all chains once more in some events, by their quadruples here."""
        for header in message.headers:
            yield from self._steps.begin_by(header, self._rows((event_bounds(header.event),)), message.round)

    def collect(self, message: CollectEvent) -> Effects:
        """Send what is here of an event, and from now on what comes."""
        yield from self._let_wait(message)
        rows = tuple(self._rows((event_bounds(message.header.event),)))
        if rows:
            yield ToNode(message.collector, QuadsFound(message.header.event, rows))

    def settle(self, message: EventSettled) -> Effects:
        """Stop waiting for quadruples of an event."""
        self._settled.add(message.event)
        self._asked.discard(message.event)
        self._waiting.settle(message.event)
        self._steps.sent.forget(message.event)
        return iter(())

    def ask_again(self) -> Effects:
        """Ask once more whether events are settled that somebody waits for: zones came here, or an answer was lost."""
        self._asked.clear()
        for header in self._waiting.headers().values():
            yield from self._ask_settled(header)

    # What the space moves from node to node (`can.contents`)

    def load(self, zone: Zone) -> int:
        """How many quadruples lie in a zone."""
        return self._storage.count(zone)

    def points(self, zone: Zone) -> list[Point]:
        """Where the quadruples of a zone lie, or a fair sample of them."""
        return self._contents.points(zone)

    def export(self, zones: Sequence[Zone]) -> Iterator[bytes]:
        """All that lies in some zones, as chunks. With all zones of the node goes what it has to send.

        Zones that are not ours any longer are exported for a deposit: with them goes who has done waiting.
        """
        return self._contents.export(
            zones, with_outbox=set(zones) >= set(self.zones), with_past=not touches(self.zones, zones)
        )

    def merge(self, chunk: bytes) -> None:
        """Add what another holder has exported, or do as it did."""
        self._contents.merge(chunk)

    def restrict(self, chunk: bytes, zones: Sequence[Zone]) -> bytes:
        """What of a chunk lies in some zones, without what is to be sent; nothing if that is nothing."""
        return self._contents.restrict(chunk, zones)

    def adopt(self, chunk: bytes) -> None:
        """Take over only what a chunk says of messages that are to be sent."""
        self._contents.adopt(chunk)

    def discard(self, zone: Zone) -> None:
        """Drop what lies in a zone that another node has got. `zones` no longer has it."""
        self._contents.discard(zone, self.zones)

    def deposit(self, chunk: bytes) -> Effects:
        """Take what another one had who believed to own zones of ours, as messages: it may not have met what is here.

        Only what lies in our zones is taken. Quadruples that were not here may have been missed by rewritten
        subscriptions that have come and gone, so all chains begin once more in their events. Subscriptions that were
        not here are matched against what was stored here since ours may not be the only index.
        """
        deposit = deposit_in(chunk)
        for removal in deposit.removals:
            yield from self.remove(removal)
        fresh: list[EventHeader] = []
        for header, rows in deposit.events:
            yield from self._store_deposited(header, rows, fresh)
        yield from self._index_deposited([one.subscription for one in deposit.subscriptions])
        for message in deposit.waiting:
            if touches(self.zones, waiting_bounds(message)):
                yield from self.collect(message) if isinstance(message, CollectEvent) else self.match_rewritten(message)
        if fresh:
            bounds = tuple(event_bounds(header.event) for header in fresh)
            yield ToZones(bounds, RematchEvents(tuple(fresh), hashlib.sha256(chunk).hexdigest()[:16]))

    # Private

    def _rows(self, bounds: Sequence[Bounds]) -> list[SpelledTriple]:
        found = self._storage.quads(bounds[0]) if len(bounds) == 1 else self._storage.quads_in(bounds)
        return [point[1:] for point in found]

    def _known(self, header: EventHeader) -> EventHeader:
        """The header that this event came with first."""
        if self._storage.add_event(header.event, encoded_header(header), header.stamp.horizon):
            return header
        known = self._storage.event(header.event)
        return header if known is None else header_in(known)

    def _refusal(self, header: EventHeader, known: EventHeader) -> SpaceEffect:
        return Refuse(header.origin, PublicationRefused(header.stamp.position, header.event, known.origin))

    def _store(self, header: EventHeader, rows: Sequence[SpelledTriple]) -> list[SpelledTriple]:
        graph = graph_coordinate(header.event)
        fresh = [point[1:] for point in self._storage.add_quads([(graph, *row) for row in rows])]
        if fresh and self._unmet is not None:
            self._unmet.add(header.event)
        return fresh

    def _store_deposited(self, header: EventHeader, rows: list[SpelledTriple], found: list[EventHeader]) -> Effects:
        """Store quadruples and serve who waits for them; `found` gets the event of some that were not here."""
        graph = graph_coordinate(header.event)
        mine = [row for row in rows if self.owns((graph, *row))]
        if not mine:
            return
        known = self._known(header)
        fresh = self._store(header, mine)
        if fresh:
            found.append(known)
            yield from self._serve_waiting(known, fresh)

    def _index_deposited(self, subscriptions: Sequence[SpaceSubscription]) -> Effects:
        mine = [one for one in subscriptions if touches(self.zones, index_bounds(one))]
        new = {one.key for one in mine if one.key not in self._subscriptions}
        for subscription in mine:
            yield from self.index(IndexSubscription(subscription))
        unmet = list(self._unmet) if new and self._unmet is not None else []
        for event in unmet:
            encoded = self._storage.event(event)
            if encoded is not None:
                yield from self._steps.begin_late_by(new, header_in(encoded), self._rows((event_bounds(event),)))

    def _let_wait(self, message: MatchRewritten | CollectEvent) -> Effects:
        if message.header.event in self._settled:
            self._waiting.past.append(message)
        else:
            self._waiting.add(message)
            yield from self._ask_settled(message.header)

    def _ask_settled(self, header: EventHeader) -> Effects:
        if header.event not in self._asked:
            self._asked.add(header.event)
            yield ToNode(header.origin, AskSettled(header.event, self._me))

    def _serve_waiting(self, header: EventHeader, fresh: list[SpelledTriple]) -> Effects:
        if not fresh:
            return
        for collect in self._waiting.collectors(header.event):
            yield ToNode(collect.collector, QuadsFound(header.event, tuple(fresh)))
        for rewritten in self._waiting.rewritten(header.event):
            yield from self._steps.go_on(rewritten, fresh)
