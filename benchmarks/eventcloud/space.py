"""Members of a simulated space that own their zones from the start, on storages that count what is changed.

A member finds in its journal what it would find after a restart: its zone, and the records of its neighbours. The rest
of the space it gets to know as a real one does, by routing and from receipts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from msgspec import Struct, field

from benchmarks.eventcloud.costs import StorageWork
from benchmarks.eventcloud.tiling import tiling
from benchmarks.eventcloud.workload import Workload
from triplewire.network.can.geometry.space import Point
from triplewire.network.can.messages import Address, Claim, Record
from triplewire.network.can.timings import Timings
from triplewire.network.eventspace.member import SpaceMember
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.store.space.database import SpaceDatabase
from triplewire.testing.memory_storage import MemoryStorage

# At least so many events are the sample by which zones are cut, and so many for each zone.
_SAMPLE, _SAMPLE_A_ZONE = 400, 8
_GETS = frozenset({"get", "items", "event"})
_SEARCHES = frozenset({"events_following", "quads", "quads_in"})
# From so many nodes on heartbeats are slower, in proportion.
_FAST_HEARTBEATS = 8


class CountingStorage:
    """A storage that counts what is asked of it."""

    def __init__(self, storage: Any, most_in_batch: int = 256) -> None:
        self.most_in_batch = most_in_batch
        self.work = StorageWork()
        self._storage = storage

    def __getattr__(self, name: str) -> Any:
        if name in _GETS:
            self.work.gets += 1
        elif name in _SEARCHES:
            self.work.searches += 1
        return getattr(self._storage, name)

    def put(self, table: str, key: bytes, value: bytes) -> None:
        self.work.puts += 1
        self._storage.put(table, key, value)

    def delete(self, table: str, key: bytes) -> None:
        self.work.puts += 1
        self._storage.delete(table, key)

    def add_event(self, event: str, header: bytes, horizon: Mapping[str, int]) -> bool:
        self.work.adds += 1
        return bool(self._storage.add_event(event, header, horizon))

    def add_quads(self, points: Sequence[Point]) -> list[Point]:
        self.work.adds += len(points)
        added: list[Point] = self._storage.add_quads(points)
        return added


class NoStorage(Struct):
    """For a machine that keeps nothing: it need not gather what it does."""

    most_in_batch: int = 1
    work: StorageWork = field(default_factory=StorageWork)

    def commit(self) -> None:
        """There is nothing to make sure of."""


class Broker:
    """The process of a node that decides. It sends nothing to others."""

    def flush(self, _now: float) -> tuple[()]:
        return ()


@contextmanager
def space_of(
    workload: Workload, nodes: int, strategy: PublicationStrategy, *, durable: bool
) -> Iterator[dict[str, tuple[SpaceMember, CountingStorage]]]:
    """Members and their storages by name, not started yet. Durable ones have their storages on the disk."""
    zones = tiling(nodes, workload.points(max(_SAMPLE, _SAMPLE_A_ZONE * nodes)))
    records = [
        Record(f"n{number}", f"n{number}", incarnation=1, claims=(Claim(zone, 1),)) for number, zone in enumerate(zones)
    ]
    members = {}
    with tempfile.TemporaryDirectory(prefix="triplewire-bench-") as folder:
        storages = [SpaceDatabase(Path(folder) / record.id) if durable else MemoryStorage() for record in records]
        try:
            for record, storage in zip(records, storages, strict=True):
                _furnish(storage, record, records)
                members[record.id] = _member(record, CountingStorage(storage), strategy, nodes)
            yield members
        finally:
            for storage in storages:
                if isinstance(storage, SpaceDatabase):
                    storage.close()


def _furnish(storage: Any, record: Record, records: Sequence[Record]) -> None:
    """Write a node's journal, as its ownership would have: its own claims, and its neighbours."""
    storage.put("claims", b"self", msgspec.msgpack.encode((1, "in", record.claims, (), ())))
    for other in records:
        if other.claims[0].zone.adjoins(record.claims[0].zone):
            storage.put("neighbours", other.id.encode(), msgspec.msgpack.encode((other, False, False)))
    storage.commit()


def _member(
    record: Record, storage: CountingStorage, strategy: PublicationStrategy, nodes: int
) -> tuple[SpaceMember, CountingStorage]:
    address = Address(record.id, record.address)
    member = SpaceMember(address, storage, Random(record.id), _timings(nodes), strategy)
    return member, storage


def _timings(nodes: int) -> Timings:
    """The defaults, but for heartbeats: each has the records of all neighbours, which are many in a large space."""
    slower, usual = max(1.0, nodes / _FAST_HEARTBEATS), Timings()
    return Timings(
        heartbeat=usual.heartbeat * slower,
        fresh_for=usual.fresh_for * slower,
        suspect_after=usual.suspect_after * slower,
        fail_after=usual.fail_after * slower,
    )
