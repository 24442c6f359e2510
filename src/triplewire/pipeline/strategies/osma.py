"""One step: an event goes whole to every part that one of its quads leads to, and is matched against that part.

A subscription lives in one part (see `partitions`), so the part of the first matching quad is the only one that can
notify. A task opens the snapshot of its own part and nothing else of the index but the routes.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from secrets import randbits
from typing import TYPE_CHECKING, ClassVar

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.pipeline.api_modes import carry, parallelism
from triplewire.pipeline.index import IndexRef, index_at, version_of
from triplewire.pipeline.lake.table_writers import Draft
from triplewire.pipeline.payloads import match_batch
from triplewire.pipeline.placement import located_file, matcher_of, place, reaches_tasks
from triplewire.pipeline.progress import Counts, TaskProgress
from triplewire.pipeline.rows import EVENT_COLUMNS, EVENT_SCHEMA, MATCH_COLUMNS
from triplewire.pipeline.sources.splits import Task
from triplewire.pipeline.storage.location import Location
from triplewire.pipeline.strategies.capacity import index_bytes, least_memory, parts_for
from triplewire.pipeline.strategies.fingerprints import quads_in
from triplewire.pipeline.strategies.partitions import Partitioning, Routes, options_of, partitioned, routes_of
from triplewire.pipeline.strategies.prepared_folders import FORMAT, prepared_once, save_part

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Batches = Iterator[pa.RecordBatch]

_ROUTES = "routes.npz"
_PART = "part"


class Osma(Struct, frozen=True):
    """The index in parts, and the routes that lead events there. `seed` is the one that keys are made with."""

    folder: str
    version: str
    seed: int
    subscriptions: int
    parts: int
    masks: tuple[int, ...]
    open_parts: tuple[int, ...]
    format: int = FORMAT

    name: ClassVar[str] = "osma"

    @classmethod
    def prepare(
        cls,
        spark: SparkSession,
        subscriptions: Sequence[Subscription],
        root: Path,
        taxonomy: Taxonomy | None = None,
        parts: int | None = None,
    ) -> Osma:
        number = _fitting_parts(spark, subscriptions) if parts is None else parts
        return prepare_parts(subscriptions, taxonomy, root, number)

    @property
    def index(self) -> IndexRef:
        return IndexRef(self.folder, self.version, self.subscriptions, self.part_indexes[0].taxonomy_version)

    @property
    def part_indexes(self) -> list[IndexRef]:
        """The index of each part."""
        names = _part_names(self.version, self.seed, self.parts)
        return [index_at(Path(self.folder) / name) for name in names]

    def routes(self) -> Routes:
        """What leads events to parts."""
        path = located_file(Path(self.folder) / _ROUTES, self._carried_routes)
        with np.load(path, allow_pickle=False) as stored:
            keys, parts = stored["keys"], stored["parts"]
        return routes_of(Partitioning(np.zeros(0, np.int32), keys, parts, self.masks, self.open_parts), self.parts)

    @property
    def _carried_routes(self) -> str:
        return f"triplewire-routes-{self.version}-{self.seed:016x}.npz"

    def match(self, events: DataFrame, progress_folder: Location | str | None = None) -> DataFrame:
        spark = events.sparkSession
        indexes = [place(spark, index, progress_folder) for index in self.part_indexes]
        if not reaches_tasks(spark, progress_folder):
            carry(spark, self._carried_routes, partial(shutil.copyfile, Path(self.folder).resolve() / _ROUTES))
        routing = _routing(msgspec.structs.replace(self, folder=str(Path(self.folder).resolve())), progress_folder)
        routed = events.select(*EVENT_SCHEMA.names).mapInArrow(routing, f"{EVENT_COLUMNS}, {_PART} int")
        at_home = routed.repartitionById(self.parts, routed[_PART])
        return at_home.mapInArrow(_matching(indexes, progress_folder), MATCH_COLUMNS)

    def match_splits(self, spark: SparkSession, tasks: list[Task], draft: Draft, *, strict: bool) -> None:
        """Events have to travel to their parts."""


def prepare_parts(subscriptions: Sequence[Subscription], taxonomy: Taxonomy | None, root: Path, parts: int) -> Osma:
    """Distribute the subscriptions over parts, and save an index for each."""
    version = version_of(subscriptions, taxonomy)

    def write(draft: Path, folder: Path) -> Osma:
        seed = randbits(63)
        found = partitioned([options_of(subscription, seed) for subscription in subscriptions], parts)
        np.savez(draft / _ROUTES, keys=found.keys, parts=found.parts)
        for number, name in enumerate(_part_names(version, seed, parts)):
            members = np.flatnonzero(found.part_of == number).tolist()
            save_part((subscriptions[member] for member in members), taxonomy, draft, name)
        return Osma(str(folder), version, seed, len(subscriptions), parts, found.masks, found.open_parts)

    return prepared_once(root / f"{version}-osma-{parts}", Osma, write)


def _fitting_parts(spark: SparkSession, subscriptions: Sequence[Subscription]) -> int:
    return parts_for(index_bytes(subscriptions), least_memory(spark), parallelism(spark))


def _part_names(version: str, seed: int, parts: int) -> list[str]:
    """Names are versions, and hosts keep what they unpack by version: two partitionings of one index share none."""
    return [f"{version}-{seed:016x}-part-{number:05}" for number in range(parts)]


# One: a worker serves one index at a time, and routes of the last one are of no use.
@lru_cache(maxsize=1)
def _routes_of(prepared: Osma) -> Routes:
    return prepared.routes()


def _routing(prepared: Osma, progress_folder: Location | str | None) -> Callable[[Batches], Batches]:
    def route(batches: Batches) -> Batches:
        routes, progress = _routes_of(prepared), TaskProgress(progress_folder)
        for batch in batches:
            rows, parts = routes.of(quads_in(batch, prepared.seed))
            progress.add(Counts(events=len(batch)))
            if rows.size:
                yield batch.take(pa.array(rows)).append_column(_PART, pa.array(parts, pa.int32()))

    return route


def _matching(indexes: list[IndexRef], progress_folder: Location | str | None) -> Callable[[Batches], Batches]:
    def match(batches: Batches) -> Batches:
        by_part: dict[int, TaskProgress] = {}
        for batch in batches:
            for part in pc.unique(batch.column(_PART)).to_pylist():
                here = batch.filter(pc.equal(batch.column(_PART), part))
                # A part may take all the room that a worker has.
                matcher = matcher_of(indexes[part], most_open=1)
                found = match_batch(matcher, here)
                progress = by_part.setdefault(part, TaskProgress(progress_folder))
                progress.add(Counts(matches=len(found)))
                progress.quarantine(matcher.quarantined)
                yield from found.to_batches()

    return match
