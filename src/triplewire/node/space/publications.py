"""Publications: what is published at the node goes from its log into the space, in order, until all of it is stored.

The log is followed from a watermark, which is saved: everything up to it is stored in the space, and once more in a
replica. Whatever ends in between, the node's process or the worker's, what follows the watermark is published again,
which changes nothing where it was stored already.

Resource handling: so many events are under way at a time. Beyond that they wait in the log, and are read from there.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence

import msgspec

from triplewire.errors import DiskFull, EventConflict, SpaceUnavailable, StoreError
from triplewire.node.broker.broker import Broker
from triplewire.node.space.worker_messages import Conflict, Publish
from triplewire.rdf.limits import MIB
from triplewire.store.tables import log, metadata
from triplewire.store.tables.log import Record

_log = logging.getLogger(__name__)

_MOST = 2_000
_MOST_BYTES = 32 * MIB
_CHUNK = 256
_MOST_CONFLICTS = 10_000
_SAVE_SECONDS = 1.0
_LOOK_SECONDS = 0.1


class Publications:
    """Follows a broker's log for a space. `say` hands a publication to the worker."""

    def __init__(self, broker: Broker, space: str, say: Callable[[Publish], None], seconds: float) -> None:
        self._broker = broker
        self._name = f"space {space} watermark"
        self._conflicts_name = f"space {space} conflicts"
        self._say = say
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._sent = 0
        self._saved = (0, 0)
        self._under_way: dict[int, Publish] = {}
        self._bytes = 0
        self._conflicts: dict[int, tuple[str, str]] = {}
        self._waiting: dict[int, list[asyncio.Future[None]]] = {}
        self._is_behind = asyncio.Event()

    @property
    def watermark(self) -> int:
        """The position up to which everything is stored in the space."""
        return min(self._under_way) - 1 if self._under_way else self._sent

    @property
    def saved_watermark(self) -> int:
        """The watermark that a restart goes on from. What is behind it has to stay in the log."""
        return self._saved[0]

    @property
    def under_way(self) -> int:
        return len(self._under_way)

    async def begin(self) -> None:
        """Begin to follow, where the watermark was saved."""
        self._sent = int(await self._broker.store.read(lambda tx: metadata.get(tx, self._name)) or 0)
        conflicts = await self._broker.store.read(lambda tx: metadata.get(tx, self._conflicts_name))
        if conflicts is not None:
            self._conflicts = msgspec.msgpack.decode(conflicts, type=dict[int, tuple[str, str]])
        self._saved = (self._sent, len(self._conflicts))
        self._broker.events.followers.append(self._committed)
        self._is_behind.set()

    def end(self) -> None:
        """Stop following."""
        if self._committed in self._broker.events.followers:
            self._broker.events.followers.remove(self._committed)

    def again(self) -> Iterable[Publish]:
        """What is under way, for a worker that was started again."""
        return list(self._under_way.values())

    # What the worker says

    def stored(self, position: int) -> None:
        """A publication is stored."""
        publication = self._under_way.pop(position, None)
        if publication is None:
            return
        self._bytes -= len(publication.nquads)
        self._wake(position)
        self._is_behind.set()

    def refused(self, conflict: Conflict) -> None:
        """The space has the event with another content. It stays in the log of this node, and is told as a conflict."""
        self._conflicts[conflict.ticket] = (conflict.wanted, conflict.found)
        while len(self._conflicts) > _MOST_CONFLICTS:
            del self._conflicts[next(iter(self._conflicts))]
        _log.warning("the event at %d is not in the space: it has another content there", conflict.ticket)
        self.stored(conflict.ticket)

    # For publishers

    async def wait(self, positions: Sequence[int]) -> None:
        """Wait until the events at these positions of the log are stored in the space."""
        try:
            async with asyncio.timeout(self._seconds):
                for position in positions:
                    await self._stored_at(position)
        except TimeoutError:
            raise SpaceUnavailable(
                wanted=f"the events in the space within {self._seconds:g} s",
                found="that some are not there yet",
                hint="they are in this node's log and will be stored; publishing them again changes nothing",
            ) from None
        for position in positions:
            if position in self._conflicts:
                wanted, found = self._conflicts[position]
                raise EventConflict(wanted=wanted, found=found)

    async def caught_up(self) -> None:
        """Wait until all of the log is stored in the space."""
        while self.watermark < await self._broker.store.read(log.head):
            await asyncio.sleep(_LOOK_SECONDS)

    async def _stored_at(self, position: int) -> None:
        if position <= self._sent and position not in self._under_way:
            return
        future: asyncio.Future[None] = self._loop.create_future()
        self._waiting.setdefault(position, []).append(future)
        await future

    # Following the log

    async def run(self) -> None:
        """Read from the log what was not handed over at once, until cancelled."""
        while True:
            await self._is_behind.wait()
            self._is_behind.clear()
            while self._has_room and await self._read_on():
                pass

    async def save(self) -> None:
        """Save the watermark now and then, until cancelled."""
        while True:
            await asyncio.sleep(_SAVE_SECONDS)
            try:
                await self.save_now()
            except DiskFull as problem:
                _log.warning("how far the space has come is not saved: %s", problem)
            except StoreError:
                return

    async def save_now(self) -> None:
        """Save how far it has come, if that has changed."""
        watermark, conflicts = self.watermark, msgspec.msgpack.encode(self._conflicts)
        if self._saved == (watermark, len(self._conflicts)):
            return
        await self._broker.store.write(lambda tx: metadata.put(tx, self._name, watermark))
        await self._broker.store.write(lambda tx: metadata.put(tx, self._conflicts_name, conflicts))
        self._saved = (watermark, len(self._conflicts))

    @property
    def _has_room(self) -> bool:
        return len(self._under_way) < _MOST and self._bytes < _MOST_BYTES

    async def _read_on(self) -> bool:
        after = self._sent
        floor = await self._broker.store.read(log.floor)
        if after < floor:
            _log.error("events %d to %d are not in the space: retention has removed them before", after + 1, floor)
            self._sent = after = floor
        records = await self._broker.store.read(lambda tx: log.after(tx, after, _CHUNK))
        self._publish(record for record in records if record.position > self._sent)
        return bool(records)

    def _committed(self, records: Sequence[Record]) -> None:
        """On the writer's thread."""
        if records and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._offered, records)

    def _offered(self, records: Sequence[Record]) -> None:
        if records[0].position == self._sent + 1 and self._has_room:
            self._publish(records)
        else:
            self._is_behind.set()

    def _publish(self, records: Iterable[Record]) -> None:
        for record in records:
            self._sent = record.position
            if record.origin is None:
                publication = Publish(record.position, record.graph, record.nquads, record.time, record.source)
                self._under_way[record.position] = publication
                self._bytes += len(record.nquads)
                self._say(publication)
            else:
                self._wake(record.position)

    def _wake(self, position: int) -> None:
        for future in self._waiting.pop(position, ()):
            if not future.done():
                future.set_result(None)
