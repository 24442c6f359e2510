"""Keeping: the taxonomy that events are read by, and for how long things are kept."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import SnapshotError
from triplewire.node import snapshots
from triplewire.node.core import Core
from triplewire.node.histories import Histories
from triplewire.store import facts, keys, registry, retention
from triplewire.store.disk import Connection
from triplewire.store.registry import SubscriptionRecord
from triplewire.store.retention import Retention, Trimmed

TAXONOMY = "taxonomy"
# Removes events, which are all up to a position, from wherever they are beside the log.
Removal = Callable[[Sequence[str], int], Awaitable[None]]
_log = logging.getLogger(__name__)
# Changes are compiled anew after a kill; up to a tenth of all that takes little time.
_SHARE = 10


class Keeping:
    """What applies to the whole folder."""

    def __init__(self, core: Core, histories: Histories) -> None:
        self._core = core
        self._histories = histories
        # How many changes of the audience are in the snapshot.
        self._kept = 0

    async def set_taxonomy(self, taxonomy: Taxonomy | None) -> None:
        """Read events by another taxonomy from now on."""
        text = None if taxonomy is None else "".join(f"{triple} .\n" for triple in taxonomy.triples)
        await self._core.write_alone(lambda tx: facts.put(tx, TAXONOMY, text), lambda _: self._took_taxonomy(taxonomy))

    async def trim(self, kept: Retention, first: Removal | None = None) -> Trimmed:
        """Remove what retention no longer keeps. `first` removes it elsewhere.

        In this order: if the process ends in between, the log still has what is to be removed, and it is done again.
        """
        core = self._core
        now = core.steady.time()
        due = await core.read(lambda tx: retention.due(tx, kept, now, core.log_bytes))
        if due.graphs and first is not None:
            await first(due.graphs, due.floor)
        trimmed = await core.write(lambda tx: self._cut(tx, due.floor, now - kept.keys), self._trimmed)
        for record in core.roster:
            await self._expire(record, now)
        await self.keep_compiled_if_due()
        return trimmed

    def keep_compiled(self) -> None:
        """Write down what is compiled, so that the next start is short. Takes a moment; not for the event loop."""
        audience, folder = self._core.audience, self._core.database.folder
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

    def _took_taxonomy(self, taxonomy: Taxonomy | None) -> None:
        self._core.taxonomy = taxonomy
        self._core.audience.set_taxonomy(taxonomy)
        self._histories.set_taxonomy(taxonomy)

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
        sizes = await core.write(lambda tx: retention.expire(tx, record.number, before), core.roster.release)
        if sizes:
            fresh = await core.read(lambda tx: registry.find(tx, record.number))
            if fresh is not None:
                core.roster.change(record.number, gap=fresh.gap)
