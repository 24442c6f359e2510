"""Events: they are published, and found again in the log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from triplewire.node.access.grants import readable, require_publishable, visible
from triplewire.node.access.rate_limits import EVENTS_BURST, Buckets
from triplewire.node.broker.admission import Admission
from triplewire.node.broker.publish_queue import PublishQueue
from triplewire.node.broker.publish_step import PublishResult, Submission, accept
from triplewire.node.broker.state import BrokerState
from triplewire.node.matching.catch_up import CatchUp
from triplewire.node.matching.catch_up_step import event_of
from triplewire.rdf.events import Event
from triplewire.rdf.limits import MIB
from triplewire.store.disk import Connection
from triplewire.store.tables import log
from triplewire.store.tables.identities import Client, Grant
from triplewire.store.tables.log import Record
from triplewire.wire.answers import Receipt

# So much of the log is looked at at a time.
NEWEST_BYTES = 32 * MIB


# A record of the log, and its event as a client may see it.
Seen = tuple[Record, Event]


class Replication(Protocol):
    """Where events are stored besides: in the space of several nodes."""

    def require_room(self) -> None:
        """Before anything is written: `DiskFull` if it could not be stored there."""
        ...

    async def stored(self, receipts: Sequence[Receipt]) -> None:
        """Wait until events of the log are stored there, too."""
        ...


class Events:
    """Publishing and reading events. `followers` are called with what is new, on the writer's thread.

    With a `replication`, receipts come when that has the events as well.
    """

    def __init__(self, state: BrokerState, catch_up: CatchUp) -> None:
        self.followers: list[Callable[[Sequence[Record]], None]] = []
        self.replication: Replication | None = None
        self._state = state
        self._catch_up = catch_up
        self.buckets = Buckets(state.clock, EVENTS_BURST)
        self.admission = Admission(state, catch_up)
        self._queue = PublishQueue(
            state.store,
            lambda tx, submissions: accept(tx, state.matchers, submissions, self.admission),
            self.committed,
        )

    async def publish(
        self, client: Client, events: Sequence[Event], *, key: str | None = None, digest: bytes = b""
    ) -> tuple[Receipt, ...]:
        """Store events; the receipts come when they are on the disk."""
        self._state.know(client)
        for event in events:
            require_publishable(event, client.rights.publish)
        self.buckets.take(client, len(events))
        if self.replication is not None:
            self.replication.require_room()
        submission = Submission(client.id, events, self._state.date.time(), key, digest)
        receipts = await self._queue.publish(submission)
        if self.replication is not None:
            await self.replication.stored(receipts)
        return receipts

    async def publish_remote(self, submission: Submission) -> tuple[Receipt, ...]:
        """Store what was published at another node: it was allowed and counted there."""
        return await self._queue.publish(submission)

    async def find(self, client: Client, graph: str) -> Seen | None:
        """An event and its record, as far as the client may read it."""
        record = await self._state.store.read(lambda tx: log.find(tx, graph))
        return None if record is None else seen(record, readable(client))

    async def after(self, client: Client, position: int, limit: int) -> list[Seen]:
        """What follows a position in the log, as far as the client may read it."""
        grant = readable(client)
        records = await self._state.store.read(lambda tx: log.after(tx, position, limit))
        return [found for record in records if (found := seen(record, grant)) is not None]

    async def newest(self, client: Client, limit: int, most_bytes: int = NEWEST_BYTES) -> list[Seen]:
        """The newest events of the log in order, as far as the client may read them."""
        grant = readable(client)
        records = await self._state.store.read(lambda tx: log.newest(tx, limit, most_bytes))
        return [found for record in records if (found := seen(record, grant)) is not None]

    def committed(self, accepted: PublishResult) -> None:
        """After a commit, on the writer's thread: count what is new, call followers, and wake readers that wait."""
        counters = self._state.counters
        counters.published += len(accepted.records)
        receipts = sum(len(outcome) for outcome in accepted.outcomes if isinstance(outcome, tuple))
        counters.repeated += receipts - len(accepted.records)
        counters.candidates += self._state.matchers.take_candidates()
        self._state.log_bytes += sum(len(record.nquads) for record in accepted.records)
        for follower in self.followers:
            follower(accepted.records)
        self._catch_up.note_entries(accepted.entries, accepted.records)
        self._catch_up.quarantine(self._state.matchers)


def seen(record: Record, grant: Grant) -> Seen | None:
    """What a grant leaves of a record's event, or None if nothing."""
    event = visible(event_of(record), grant)
    return None if event is None else (record, event)


def data_at(tx: Connection, position: int, grant: Grant) -> bytes | None:
    """What a grant leaves of the event at a position, as N-Quads; None where nothing is left, or nothing is kept."""
    record = log.at(tx, position)
    found = None if record is None else seen(record, grant)
    return None if found is None else found[1].nquads
