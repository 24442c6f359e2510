"""Log replay: reads what was published here again from the log, for recalls of other super-peers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from msgspec import Struct

from triplewire.network.effects import Replay
from triplewire.network.messages import Publication
from triplewire.node.broker.broker import Broker
from triplewire.node.transport.rate_limited_log import RateLimitedLog
from triplewire.rdf.limits import MIB
from triplewire.store.disk import Connection
from triplewire.store.tables import log
from triplewire.store.tables.log import Record

_log = logging.getLogger(__name__)

BATCH = 500
BATCH_BYTES = 8 * MIB
_STEP = 50
# Called with a ticket, the publications, and up to which position they are complete.
OnReplayed = Callable[[int, list[Publication], int], None]


class LogReplay:
    """Reads one batch for each request; the super-peer requests the next."""

    def __init__(self, broker: Broker, member: str, announced: Callable[[], int], on_replayed: OnReplayed) -> None:
        self._broker = broker
        self._member = member
        self._announced = announced
        self._on_replayed = on_replayed
        self._queue: asyncio.Queue[Replay] = asyncio.Queue()
        self._limited_log = RateLimitedLog(_log)

    def add(self, replay: Replay) -> None:
        self._queue.put_nowait(replay)

    async def run(self) -> None:
        """Serve requests, one after the other, until cancelled."""
        while True:
            replay = await self._queue.get()
            # What follows `announced` will be passed to the super-peer anyway.
            end = self._announced()
            part = await self._broker.store.read(lambda tx, after=replay.after: read(tx, after))  # type: ignore[misc]
            if replay.after < part.floor:
                gap = (replay.after + 1, part.floor)
                self._limited_log.warning("gap", "events %d to %d were recalled, but retention has removed them", *gap)
            upto = end if part.is_last else min(end, part.records[-1].position)
            found = [record for record in part.records if record.origin is None and record.position <= upto]
            self._on_replayed(replay.ticket, [publication_of(record, self._member) for record in found], upto)


class LogPart(Struct, frozen=True):
    """A part of the log. Up to `floor` retention has removed everything; nothing follows the last part."""

    floor: int
    records: list[Record]
    is_last: bool


def read(tx: Connection, after: int) -> LogPart:
    """The records after a position: at most a batch of records or bytes."""
    records: list[Record] = []
    size = 0
    while len(records) < BATCH and size < BATCH_BYTES:
        more = log.after(tx, records[-1].position if records else after, _STEP)
        records += more
        size += sum(len(record.nquads) for record in more)
        if len(more) < _STEP:
            return LogPart(log.floor(tx), records, True)
    return LogPart(log.floor(tx), records, False)


def publication_of(record: Record, member: str) -> Publication:
    """A record of our own log as a publication."""
    return Publication(
        member, record.position, record.graph, record.publisher, record.time, record.source, record.nquads
    )
