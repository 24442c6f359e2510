"""What lies in some zones, as it goes from one node to another: subscriptions, quadruples, and who waits for more.

Exported and merged, it is state, not messages: what a subscription and a quadruple in it had to say to each other was
said where they came from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from triplewire.network.can.geometry.space import Bounds, Point, Zone, bounds_of, exactly
from triplewire.network.eventspace.chains import index_bounds, next_bounds, received
from triplewire.network.eventspace.chunks import (
    COLLECTORS,
    OUTBOX,
    REMOVED,
    SUBSCRIPTIONS,
    WAITING,
    AddEvent,
    AddQuads,
    Delete,
    Operation,
    Put,
    RemoveEvent,
    apply,
    chunked,
    encoded_chunk,
    operations_in,
    pages,
    with_headers,
)
from triplewire.network.eventspace.messages import CollectEvent, MatchRewritten
from triplewire.network.eventspace.quads import event_bounds
from triplewire.network.eventspace.storage import SpaceStorage
from triplewire.network.eventspace.zones.subscription_index import (
    SubscriptionIndex,
    bounds_in,
    journal_key,
    key_in,
    subscription_in,
)
from triplewire.network.eventspace.zones.waiting import (
    Waiting,
    collector_in,
    collector_key,
    rewritten_in,
    rewritten_key,
)
from triplewire.rdf.terms import NamedNode

_ENCODER = msgspec.msgpack.Encoder()

# How many quadruples are read at a time.
_PAGE = 2_000
# How many points tell where a zone is best split.
_SAMPLE = 10_000


class ZoneContents:
    """The contents of zones in a storage, and what is in memory of them."""

    def __init__(self, storage: SpaceStorage, subscriptions: SubscriptionIndex, waiting: Waiting) -> None:
        self._storage = storage
        self._subscriptions = subscriptions
        self._waiting = waiting

    def points(self, zone: Zone) -> list[Point]:
        """Where the quadruples of a zone lie; of very many, a sample at even distances."""
        step = self._storage.count(zone) // _SAMPLE + 1
        return [point for number, point in enumerate(self._quads(zone)) if number % step == 0]

    def export(self, zones: Sequence[Zone], *, with_outbox: bool, with_past: bool = False) -> Iterator[bytes]:
        """All that lies in these zones, as chunks; if wanted, with what is to be sent and who has done waiting."""
        records = [*self._records(zones), *(self._outbox() if with_outbox else ())]
        return chunked(self._groups(zones, [*records, *(self._past(zones) if with_past else ())]))

    def merge(self, chunk: bytes) -> None:
        """Add what was exported elsewhere, or do what was done there. The same again changes nothing."""
        for operation in operations_in(chunk):
            if isinstance(operation, Put):
                self._merge_record(operation)
            elif isinstance(operation, Delete) and operation.table == SUBSCRIPTIONS:
                self._subscriptions.drop(key_in(operation.key))
            elif isinstance(operation, Delete) and operation.table in (WAITING, COLLECTORS):
                self._waiting.remove_key(operation.table, operation.key)
            else:
                apply(operation, self._storage)

    def restrict(self, chunk: bytes, zones: Sequence[Zone]) -> bytes:
        """What of a chunk lies in some zones, without what is to be sent; nothing if that is nothing."""
        headers: dict[str, AddEvent] = {}
        kept: list[Operation] = []
        for operation in operations_in(chunk):
            if isinstance(operation, AddEvent):
                headers[operation.event] = operation
            elif isinstance(operation, AddQuads):
                points = tuple(point for point in operation.points if any(point in zone for zone in zones))
                events = dict.fromkeys(point[0][1:-1].decode() for point in points)
                kept.extend(headers[event] for event in events if event in headers)
                kept.extend([AddQuads(points)] if points else [])
            elif isinstance(operation, RemoveEvent) or _concerns(operation, zones):
                kept.append(operation)
        return encoded_chunk(kept) if kept else b""

    def adopt(self, chunk: bytes) -> None:
        """Take over only what a chunk says of messages that are to be sent."""
        for operation in operations_in(chunk):
            if isinstance(operation, Put | Delete) and operation.table == OUTBOX:
                apply(operation, self._storage)

    def discard(self, zone: Zone, kept: Sequence[Zone]) -> None:
        """Drop what lies in a zone, and what was there for its sake: no zone that is kept needs it."""
        for subscription in list(self._subscriptions):
            if not touches(kept, index_bounds(subscription)):
                self._subscriptions.drop(subscription.key)
        for key, _, bounds in list(self._subscriptions.removals()):
            if not touches(kept, bounds):
                self._storage.delete(REMOVED, key)
        for message in list(self._waiting.all()):
            if not touches(kept, waiting_bounds(message)):
                self._waiting.remove(message)
        events = {point[0] for point in self._quads(zone)}
        self._storage.remove_quads(zone)
        for graph in events:
            if not self._storage.quads(bounds_of(graph=exactly(graph)), limit=1):
                self._storage.remove_event(graph[1:-1].decode())

    # Private

    def _quads(self, zone: Zone) -> Iterator[Point]:
        page = self._storage.quads(zone, limit=_PAGE)
        while page:
            yield from page
            page = self._storage.quads(zone, page[-1], _PAGE) if len(page) == _PAGE else []

    def _groups(self, zones: Sequence[Zone], records: Sequence[Put]) -> Iterator[Sequence[Operation]]:
        """The operations that make all of it, those that belong together in one group.

        Quadruples are read as they are asked for; what else is here is little, and was read before.
        """
        for record in records:
            yield (record,)
        for zone in zones:
            for page in pages(self._quads(zone)):
                yield with_headers(page, self._storage)

    def _records(self, zones: Sequence[Zone]) -> Iterator[Put]:
        for key, value, bounds in self._subscriptions.removals():
            if touches(zones, bounds):
                yield Put(REMOVED, key, value)
        for subscription in self._subscriptions:
            if touches(zones, index_bounds(subscription)):
                yield Put(SUBSCRIPTIONS, journal_key(subscription.key), _ENCODER.encode(subscription))
        for message in self._waiting.all():
            if touches(zones, waiting_bounds(message)):
                yield _as_record(message)

    def _past(self, zones: Sequence[Zone]) -> Iterator[Put]:
        for message in self._waiting.past:
            if touches(zones, waiting_bounds(message)):
                yield _as_record(message)

    def _outbox(self) -> Iterator[Put]:
        return (Put(OUTBOX, key, value) for key, value in self._storage.items(OUTBOX))

    def _merge_record(self, record: Put) -> None:
        if record.table == SUBSCRIPTIONS:
            self._subscriptions.add(subscription_in(record.value))
        elif record.table == REMOVED:
            self._subscriptions.remove(key_in(record.key), bounds_in(record.value))
        elif record.table == WAITING:
            self._waiting.add(rewritten_in(record.value))
        elif record.table == COLLECTORS:
            self._waiting.add(collector_in(record.value))
        else:
            apply(record, self._storage)


def touches(zones: Sequence[Zone], bounds: Sequence[Bounds]) -> bool:
    return any(zone.touches(box) for zone in zones for box in bounds)


def waiting_bounds(message: MatchRewritten | CollectEvent) -> tuple[Bounds, ...]:
    """Where the quadruples lie that somebody waits for."""
    if isinstance(message, CollectEvent):
        return (event_bounds(message.header.event),)
    rewriting, graph = message.rewriting, NamedNode(message.header.event)
    return next_bounds(message.subscription, rewriting.chain, received(rewriting), graph)


def _concerns(record: Put | Delete, zones: Sequence[Zone]) -> bool:
    """Whether a record has to do with some zones. That one is gone is told to everybody."""
    if isinstance(record, Delete) or record.table == OUTBOX:
        return record.table != OUTBOX
    return touches(zones, _record_bounds(record))


def _record_bounds(record: Put) -> tuple[Bounds, ...]:
    if record.table == REMOVED:
        return bounds_in(record.value)
    if record.table == SUBSCRIPTIONS:
        return index_bounds(subscription_in(record.value))
    message = rewritten_in(record.value) if record.table == WAITING else collector_in(record.value)
    return waiting_bounds(message)


def _as_record(message: MatchRewritten | CollectEvent) -> Put:
    if isinstance(message, MatchRewritten):
        return Put(WAITING, rewritten_key(message), _ENCODER.encode(message))
    return Put(COLLECTORS, collector_key(message), _ENCODER.encode(message))
