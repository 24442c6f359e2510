"""Housekeeping: for how long things are kept, and the snapshot that makes the next start short."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from triplewire.errors import SnapshotError
from triplewire.node.broker.state import BrokerState
from triplewire.node.matching import snapshots
from triplewire.store import retention
from triplewire.store.disk import Connection
from triplewire.store.retention import Retention, Trimmed
from triplewire.store.tables import idempotency_keys, registry
from triplewire.store.tables.registry import SubscriptionRecord

# Removes events, which are all up to a position, from wherever they are beside the log.
Removal = Callable[[Sequence[str], int], Awaitable[None]]
_log = logging.getLogger(__name__)
# Changes are compiled anew after a kill; up to a tenth of all that takes little time.
_SHARE = 10


class Housekeeping:
    """What applies to the whole folder."""

    def __init__(self, state: BrokerState) -> None:
        self._state = state
        # How many changes of the matchers are in the snapshot.
        self._kept = 0

    async def trim(self, kept: Retention, first: Removal | None = None, last: int | None = None) -> Trimmed:
        """Remove what retention no longer keeps, but nothing behind the position `last`. `first` removes it elsewhere.

        In this order: if the process ends in between, the log still has what is to be removed, and it is done again.
        """
        state = self._state
        now = state.date.time()
        due = await state.store.read(lambda tx: retention.due(tx, kept, now, state.log_bytes, last=last))
        if due.graphs and first is not None:
            await first(due.graphs, due.floor)
        trimmed = await state.store.write(lambda tx: self._cut(tx, due.floor, now - kept.keys), self._trimmed)
        for record in state.index:
            await self._expire(record, now)
        await self.save_snapshot_if_due()
        return trimmed

    def save_snapshot(self) -> None:
        """Write down what is compiled, so that the next start is short. Takes a moment; not for the event loop."""
        matchers, folder = self._state.matchers, self._state.store.folder
        changes = matchers.changes
        if changes == self._kept or len(matchers) < snapshots.WORTH:
            return
        try:
            snapshots.write(folder, matchers, self._state.index)
        except (SnapshotError, OSError) as problem:
            # Nothing depends on it but the length of the next start.
            _log.warning("the compiled subscriptions are not kept: %s", problem)
        else:
            self._kept = changes

    async def save_snapshot_if_due(self) -> None:
        """The same, if much has changed since the last time."""
        matchers = self._state.matchers
        if matchers.changes - self._kept > len(matchers) // _SHARE:
            await asyncio.to_thread(self.save_snapshot)

    def _cut(self, tx: Connection, floor: int, keys_before: float) -> Trimmed:
        idempotency_keys.forget_before(tx, keys_before)
        return retention.cut(tx, floor)

    def _trimmed(self, trimmed: Trimmed) -> None:
        self._state.log_bytes -= trimmed.size
        for number in trimmed.outbox_bytes:
            self._state.index.change(number, gap=trimmed.floor)
        self._state.index.release(trimmed.outbox_bytes)

    async def _expire(self, record: SubscriptionRecord, now: float) -> None:
        if record.options.retention is None:
            return
        state = self._state
        before = now - record.options.retention
        sizes = await state.store.write(lambda tx: retention.expire(tx, record.number, before), state.index.release)
        if sizes:
            fresh = await state.store.read(lambda tx: registry.find(tx, record.number))
            if fresh is not None:
                state.index.change(record.number, gap=fresh.gap)
