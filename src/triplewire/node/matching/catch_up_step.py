"""Catching up, as one step inside a transaction: a subscription reads the log from its frontier, a chunk at a time.

This is how history is replayed, and how a subscription goes on whose owner had stopped reading: while too much waits
for it, it is not matched at all, and what it missed is in the log. When its frontier reaches the head it becomes live
in that very transaction, so there is no gap and no repeat between history and what follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from triplewire.node.broker.publish_step import outbox_entries
from triplewire.node.matching.live_matchers import LiveMatchers
from triplewire.rdf.events import Event
from triplewire.rdf.limits import ANY_SIZE
from triplewire.store.disk import Connection
from triplewire.store.tables import log, outbox, registry
from triplewire.store.tables.log import Record
from triplewire.store.tables.outbox import OutboxEntry

CHUNK = 128


class CaughtUp(Struct, frozen=True):
    """How far a subscription has come. `frontier` is None once it is live; `gap` is what retention had removed."""

    frontier: int | None
    gap: int
    entries: tuple[OutboxEntry, ...] = ()


def catch_up(connection: Connection, number: int, alone: LiveMatchers) -> CaughtUp | None:
    """Match the next chunk of the log against a subscription, which is `alone` in its matchers.

    None means that there is nothing to do: it is live, or gone.
    """
    record = registry.find(connection, number)
    if record is None or record.frontier is None:
        return None
    floor = log.floor(connection)
    gap = floor if floor > record.frontier else 0
    records = log.after(connection, record.frontier, CHUNK)
    positions = {r.graph: r.position for r in records}
    entries = tuple(outbox_entries(alone, alone.matches(events_of(records)), positions))
    outbox.put(connection, entries)
    reached = records[-1].position if records else max(record.frontier, floor)
    frontier = None if reached >= log.head(connection) else reached
    registry.set_frontier(connection, number, frontier)
    if gap:
        registry.set_gap(connection, number, gap)
    return CaughtUp(frontier, gap, entries)


def events_of(records: Sequence[Record]) -> list[Event]:
    """The events of some records."""
    return [event_of(record) for record in records]


def event_of(record: Record) -> Event:
    """The event of a record."""
    time = datetime.fromisoformat(record.time)
    [event] = Event.parse(record.nquads, source=record.source, time=time, limits=ANY_SIZE)
    return event
