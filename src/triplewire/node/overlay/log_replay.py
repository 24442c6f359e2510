"""Replaying: what was published here is read again from the log, for those who have recalled it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from msgspec import Struct

from triplewire.network.effects import Replay
from triplewire.network.messages import Publication
from triplewire.node.broker.broker import Broker
from triplewire.node.transport.rate_limited_log import Seldom
from triplewire.rdf.limits import MIB
from triplewire.store.disk import Connection
from triplewire.store.tables import log
from triplewire.store.tables.log import Record

_log = logging.getLogger(__name__)

BATCH = 500
BATCH_BYTES = 8 * MIB
_STEP = 50
# Of a ticket: what was published, and up to which position.
Told = Callable[[int, list[Publication], int], None]


class Replaying:
    """Reads one batch for each request; whoever asked asks again where there is more."""

    def __init__(self, broker: Broker, member: str, told_to: Callable[[], int], told: Told) -> None:
        self._broker = broker
        self._member = member
        self._told_to = told_to
        self._told = told
        self._queue: asyncio.Queue[Replay] = asyncio.Queue()
        self._seldom = Seldom(_log)

    def add(self, replay: Replay) -> None:
        self._queue.put_nowait(replay)

    async def run(self) -> None:
        """Read what is asked for, one after the other, until cancelled."""
        while True:
            replay = await self._queue.get()
            # Beyond what the super-peer was told of, it will be told.
            end = self._told_to()
            part = await self._broker.store.read(lambda tx, after=replay.after: read(tx, after))  # type: ignore[misc]
            if replay.after < part.floor:
                gap = (replay.after + 1, part.floor)
                self._seldom.warning("gap", "events %d to %d were recalled, but retention has removed them", *gap)
            upto = end if part.is_last else min(end, part.records[-1].position)
            found = [record for record in part.records if record.origin is None and record.position <= upto]
            self._told(replay.ticket, [publication_of(record, self._member) for record in found], upto)


class Part(Struct, frozen=True):
    """A part of the log. Up to `floor` retention has removed everything; nothing follows the last part."""

    floor: int
    records: list[Record]
    is_last: bool


def read(tx: Connection, after: int) -> Part:
    """What follows a position: not too many records, nor too many bytes."""
    records: list[Record] = []
    size = 0
    while len(records) < BATCH and size < BATCH_BYTES:
        more = log.after(tx, records[-1].position if records else after, _STEP)
        records += more
        size += sum(len(record.nquads) for record in more)
        if len(more) < _STEP:
            return Part(log.floor(tx), records, True)
    return Part(log.floor(tx), records, False)


def publication_of(record: Record, member: str) -> Publication:
    """A record of our own log as it travels."""
    return Publication(
        member, record.position, record.graph, record.publisher, record.time, record.source, record.nquads
    )
