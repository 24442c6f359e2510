"""The gateway of a node's clients: publishes events, issues subscriptions, and collects the events that concern them.

A candidate that comes without its quadruples is collected from the zones of `(g, ?s, ?p, ?o)`. The header says how many
there are: no timeout tells when an event is whole, and quadruples that are still on their way are sent after. The whole
event is handed to the shell, which decides: only there are the taxonomy's functions and the general lane evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from triplewire.algebra.subscriptions import Subscription
from triplewire.network.can.messages import Address
from triplewire.network.eventspace.bounded_set import BoundedSet
from triplewire.network.eventspace.causality import Stamp, stamp
from triplewire.network.eventspace.chains import index_bounds
from triplewire.network.eventspace.effects import (
    Established,
    EventArrived,
    Published,
    PublishRefused,
    SpaceEffect,
    ToNode,
    ToOwners,
    ToZones,
    Withdraw,
)
from triplewire.network.eventspace.gateway.client_subscriptions import (
    GATEWAY,
    ClientSubscription,
    ClientSubscriptions,
)
from triplewire.network.eventspace.gateway.collections import Collected, Collections, Rows
from triplewire.network.eventspace.gateway.publications import Publications
from triplewire.network.eventspace.messages import (
    AskSettled,
    CandidateFound,
    CollectEvent,
    EventHeader,
    EventSettled,
    IndexSubscription,
    PublicationRefused,
    QuadsFound,
    RemoveSubscription,
    SpaceSubscription,
    StoreEvent,
    StoreQuad,
    SubscriptionKey,
)
from triplewire.network.eventspace.quads import digest_of, event_bounds, nquads_of, points_of, rows_of, size_of
from triplewire.network.eventspace.storage import SpaceStorage
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.rdf.events import Event

Effects = Iterator[SpaceEffect]

_POSITION = b"position"
# How many accepted candidates are remembered, so that one that comes twice is dropped.
_MOST_ACCEPTED = 10_000


class Gateway:
    """What a node does for its clients. What it must find again is in its own table of the storage."""

    def __init__(
        self, me: Address, storage: SpaceStorage, strategy: PublicationStrategy = PublicationStrategy.AUTO
    ) -> None:
        self._me = me
        self._storage = storage
        self._strategy = strategy
        self._subscriptions = ClientSubscriptions(storage)
        self._publications = Publications(storage)
        self._collections = Collections(storage)
        self._accepted = BoundedSet[tuple[str, SubscriptionKey]](_MOST_ACCEPTED)
        self._position = int(storage.get(GATEWAY, _POSITION) or b"0")

    @property
    def position(self) -> int:
        """The end of this node's log: how many publications and subscriptions it has numbered."""
        return self._position

    @property
    def subscription_ids(self) -> tuple[str, ...]:
        """The subscriptions that were issued here and not withdrawn, also before a restart."""
        return self._subscriptions.all_ids

    # For clients

    def publish(self, ticket: int, event: Event, seen: Mapping[str, int]) -> tuple[Stamp, Effects]:
        """Send an event into the space. `seen` is how far its client has come in the logs of other nodes.

        A repeat, before it is known that the event is stored, has the stamp of the first time.
        """
        known, digest = self._publications.unfinished(event.graph.value), digest_of(event)
        if known is not None and known.digest != digest:
            return known.stamp, iter((PublishRefused(ticket, known.event, self._me),))
        rows = rows_of(event)
        header = known or self._header(event, rows, digest, seen)
        effects = _as_a_whole(header, rows) if header.whole else _one_by_one(header, rows)
        self._publications.begin(ticket, header, (effect.key for effect in effects))
        return header.stamp, iter(effects)

    def subscribe(self, subscription: Subscription, seen: Mapping[str, int]) -> tuple[Stamp, Effects]:
        """Send a subscription to the zones of its first pattern. A repeat has the stamp of the first time."""
        known = self._subscriptions.repeated(subscription.id, subscription.language, subscription.text)
        if known is None:
            issued = SpaceSubscription(self._stamp(seen), self._me, subscription.language, subscription.text)
            known = ClientSubscription(subscription.id, issued, is_established=not index_bounds(issued))
            self._subscriptions.put(known)
        issued = known.sent
        if known.is_established:
            return issued.stamp, iter((Established(known.id, issued.stamp),))
        key = f"s{issued.stamp.position}/{known.id}"
        return issued.stamp, iter((ToZones(index_bounds(issued), IndexSubscription(issued), key),))

    def unsubscribe(self, subscription_id: str) -> Effects:
        """Withdraw a subscription; nothing is handed over for it from now on, whatever is on its way.

        One that is not known was withdrawn before.
        """
        known = self._subscriptions.remove(subscription_id)
        bounds = () if known is None else index_bounds(known.sent)
        if known is not None and bounds:
            yield Withdraw(f"s{known.sent.stamp.position}/{known.id}")
            yield ToZones(bounds, RemoveSubscription(known.sent.key, bounds))

    def accepted(self, event: str) -> None:
        """The shell has what it needs of an event that has arrived."""
        found = self._collections.get(event)
        if found is not None and found.rows is not None:
            for key in found.keys:
                self._accepted.add((event, key))
            self._collections.remove(event)

    def resume(self) -> Effects:
        """After a restart: hand over again what was not accepted, and collect again what was not whole."""
        for event in self._collections:
            yield from self._arrived(event) if event.rows is not None else self._collect(event.header)

    # For the space

    def completed(self, key: str) -> Effects:
        """What was sent under a key is stored by everybody whom it concerns."""
        if key.startswith("s"):
            yield from self._established(key)
            return
        publication = self._publications.completed(key)
        if publication is not None:
            header = publication.header
            yield from (Published(ticket, header.stamp) for ticket in publication.tickets)
            yield from self._settled(header.event)

    def refused(self, message: PublicationRefused) -> Effects:
        """An owner has another content under the event's IRI."""
        publication = self._publications.withdraw(message.event, message.position)
        if publication is not None:
            for key in sorted(publication.keys):
                yield Withdraw(key)
            yield from (PublishRefused(ticket, message.event, message.origin) for ticket in publication.tickets)
            yield from self._settled(message.event)

    def answer_settled(self, message: AskSettled) -> Effects:
        if not self._publications.is_waiting(message):
            yield ToNode(message.asker, EventSettled(message.event))

    def candidate(self, message: CandidateFound) -> Effects:
        """An event came through a chain: hand it over, or collect it first."""
        event = message.header.event
        keys = [key for key in message.keys if (event, key) not in self._accepted]
        if not self._subscriptions.ids(keys):
            return
        was_known = self._collections.get(event) is not None
        is_news = self._collections.add(message.header, keys, message.rows)
        found = self._collections.get(event)
        if found is not None and found.rows is not None:
            if is_news:
                yield from self._arrived(found)
        elif not was_known or message.round:
            yield from self._collect(message.header)

    def found(self, message: QuadsFound) -> Effects:
        """Quadruples of an event that is being collected. When it is whole, it is handed over."""
        if self._collections.gather(message.event, message.rows):
            found = self._collections.get(message.event)
            yield from self._arrived(found) if found is not None else ()

    # Private

    def _stamp(self, seen: Mapping[str, int]) -> Stamp:
        self._position += 1
        self._storage.put(GATEWAY, _POSITION, b"%d" % self._position)
        return stamp(self._me.id, self._position, seen)

    def _header(self, event: Event, rows: Rows, digest: bytes, seen: Mapping[str, int]) -> EventHeader:
        whole = self._strategy.for_event(len(rows), size_of(rows)) is PublicationStrategy.OSMA
        time, source = event.time.isoformat(), event.source
        return EventHeader(event.graph.value, self._stamp(seen), self._me, len(rows), time, digest, whole, source)

    def _established(self, key: str) -> Effects:
        known = self._subscriptions.get(key.partition("/")[2])
        if known is not None and key == f"s{known.sent.stamp.position}/{known.id}":
            self._subscriptions.put(ClientSubscription(known.id, known.sent, is_established=True))
            yield Established(known.id, known.sent.stamp)

    def _settled(self, event: str) -> Effects:
        for asker in self._publications.finish(event):
            yield ToNode(asker, EventSettled(event))

    def _collect(self, header: EventHeader) -> Effects:
        yield ToZones((event_bounds(header.event),), CollectEvent(header, self._me))

    def _arrived(self, event: Collected) -> Effects:
        ids = self._subscriptions.ids(event.keys)
        if ids:
            yield EventArrived(event.header, nquads_of(event.header.event, event.rows or ()), ids)
        else:
            self._collections.remove(event.header.event)


def _one_by_one(header: EventHeader, rows: Rows) -> list[ToOwners]:
    position = header.stamp.position
    return [
        ToOwners((point,), StoreQuad(header, row), f"p{position}.{number}")
        for number, (point, row) in enumerate(zip(points_of(header.event, rows), rows, strict=True))
    ]


def _as_a_whole(header: EventHeader, rows: Rows) -> list[ToOwners]:
    return [ToOwners(tuple(points_of(header.event, rows)), StoreEvent(header, rows), f"p{header.stamp.position}")]
