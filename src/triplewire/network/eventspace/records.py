"""What a node has of compound events: their quadruples in its zones, and who waits for more of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from msgspec import Struct, field
from pyoxigraph import RdfFormat, parse

from triplewire.matching.evaluation.event_view import Row
from triplewire.network.can.space import Point, point_of
from triplewire.network.eventspace.causality import Stamp, StampIndex
from triplewire.network.eventspace.messages import EventHeader, SentRewriting, SpaceSubscription, SubscriptionKey
from triplewire.rdf.events import Event
from triplewire.rdf.limits import ANY_SIZE
from triplewire.rdf.terms import NamedNode, Quad, Triple


class StoredQuad(Struct, frozen=True):
    """A quadruple: its N-Quads line, its triple and the terms of it, and its place in the space."""

    line: bytes
    triple: Triple
    row: Row
    point: Point


class EventRecord(Struct):
    """One event here. `waiting` and `collectors` want the quadruples that are still to come, until it is `settled`.

    `sent` are the rewritings that went out from here: each needs to only once. `whole` if it was published so.
    """

    header: EventHeader
    quads: dict[bytes, StoredQuad] = field(default_factory=dict)
    waiting: dict[tuple[SubscriptionKey, SentRewriting], SpaceSubscription] = field(default_factory=dict)
    sent: dict[SubscriptionKey, set[SentRewriting]] = field(default_factory=dict)
    collectors: set[str] = field(default_factory=set)
    whole: bool = False
    settled: bool = False
    asked: bool = False

    @property
    def graph(self) -> NamedNode:
        return NamedNode(self.header.event)

    def add(self, quads: Iterable[StoredQuad]) -> list[StoredQuad]:
        """Store quadruples; returns those that were not there."""
        fresh = [quad for quad in quads if quad.line not in self.quads]
        self.quads.update((quad.line, quad) for quad in fresh)
        return fresh

    def remove(self, quads: Iterable[StoredQuad]) -> None:
        """Drop quadruples that others own now."""
        for quad in quads:
            del self.quads[quad.line]

    def settle(self) -> None:
        """Nothing more is to come."""
        self.settled = True
        self.waiting.clear()
        self.sent.clear()
        self.collectors.clear()


class EventRecords:
    """Records by the IRI of the event."""

    def __init__(self) -> None:
        self._records: dict[str, EventRecord] = {}
        self._stamps = StampIndex()

    def __iter__(self) -> Iterator[EventRecord]:
        return iter(self._records.values())

    def of(self, header: EventHeader) -> EventRecord:
        """The record of an event, new if there is none."""
        if header.event not in self._records:
            self._records[header.event] = EventRecord(header)
            self._stamps.add(header.event, header.stamp)
        return self._records[header.event]

    def get(self, event: str) -> EventRecord | None:
        return self._records.get(event)

    def forget(self, event: str) -> None:
        """Drop an event that retention has removed."""
        record = self._records.pop(event, None)
        if record is not None:
            self._stamps.remove(event, record.header.stamp)

    def following(self, subscribed: Stamp) -> list[EventRecord]:
        """The events that were published after a subscription was issued."""
        return [self._records[name] for name in self._stamps.following(subscribed)]


def quads_in(nquads: bytes) -> list[StoredQuad]:
    """The quadruples of an N-Quads text, in its order."""
    return [stored_quad(quad) for quad in parse(nquads, format=RdfFormat.N_QUADS)]


def stored_quad(quad: Quad) -> StoredQuad:
    return StoredQuad(f"{quad} .\n".encode(), quad.triple, (quad.subject, quad.predicate, quad.object), point_of(quad))


def assembled(header: EventHeader, triples: Iterable[Triple]) -> Event:
    """The event of a header and all its triples. Limits were applied where it was published."""
    time = datetime.fromisoformat(header.time)
    return Event.from_triples(header.event, triples, source=header.source, time=time, limits=ANY_SIZE)
