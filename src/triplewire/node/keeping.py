"""Housekeeping: for how long things are kept, and the snapshot that makes the next start short."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from triplewire.errors import SnapshotError
from triplewire.node import snapshots
from triplewire.node.core import Core
from triplewire.store import keys, registry, retention
from triplewire.store.disk import Connection
from triplewire.store.registry import SubscriptionRecord
from triplewire.store.retention import Retention, Trimmed

# Removes events, which are all up to a position, from wherever they are beside the log.
Removal = Callable[[Sequence[str], int], Awaitable[None]]
_log = logging.getLogger(__name__)
# Changes are compiled anew after a kill; up to a tenth of all that takes little time.
_SHARE = 10


class Keeping:
    """What applies to the whole folder."""

    def __init__(self, core: Core) -> None:
        self._core = core
        # How many changes of the audience are in the snapshot.
        self._kept = 0

    async def trim(self, kept: Retention, first: Removal | None = None) -> Trimmed:
        """Remove what retention no longer keeps. `first` removes it elsewhere.

        In this order: if the process ends in between, the log still has what is to be removed, and it is done again.
        """
        core = self._core
        now = core.steady.time()
        due = await core.store.read(lambda tx: retention.due(tx, kept, now, core.log_bytes))
        if due.graphs and first is not None:
            await first(due.graphs, due.floor)
        trimmed = await core.store.write(lambda tx: self._cut(tx, due.floor, now - kept.keys), self._trimmed)
        for record in core.roster:
            await self._expire(record, now)
        await self.keep_compiled_if_due()
        return trimmed

    def keep_compiled(self) -> None:
        """Write down what is compiled, so that the next start is short. Takes a moment; not for the event loop."""
        audience, folder = self._core.audience, self._core.store.folder
        changes = audience.changes
        if changes == self._kept or len(audience) < snapshots.WORTH:
            return
        try:
            snapshots.write(folder, audience, self._core.roster)
        except (SnapshotError, OSError) as problem:
            # Nothing depends on it but the length of the next start.
            _log.warning("the compiled subscriptions are not kept: %s", problem)
        else:
            self._kept = changes

    async def keep_compiled_if_due(self) -> None:
        """The same, if much has changed since the last time."""
        audience = self._core.audience
        if audience.changes - self._kept > len(audience) // _SHARE:
            await asyncio.to_thread(self.keep_compiled)

    def _cut(self, tx: Connection, floor: int, keys_before: float) -> Trimmed:
        keys.forget_before(tx, keys_before)
        return retention.cut(tx, floor)

    def _trimmed(self, trimmed: Trimmed) -> None:
        self._core.log_bytes -= trimmed.size
        for number in trimmed.notices:
            self._core.roster.change(number, gap=trimmed.floor)
        self._core.roster.release(trimmed.notices)

    async def _expire(self, record: SubscriptionRecord, now: float) -> None:
        if record.options.retention is None:
            return
        core = self._core
        before = now - record.options.retention
        sizes = await core.store.write(lambda tx: retention.expire(tx, record.number, before), core.roster.release)
        if sizes:
            fresh = await core.store.read(lambda tx: registry.find(tx, record.number))
            if fresh is not None:
                core.roster.change(record.number, gap=fresh.gap)
