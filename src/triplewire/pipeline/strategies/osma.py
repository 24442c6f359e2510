"""One step: an event goes whole to every part that one of its quads leads to, and is matched against that part.

A subscription lives in one part (see `partitions`), so the part of the first matching quad is the only one that can
notify. A task opens the snapshot of its own part and nothing else of the index but the routes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.core.broadcast import Broadcast
from pyspark.sql import DataFrame

from triplewire.pipeline.index import IndexRef
from triplewire.pipeline.matching import match_batch
from triplewire.pipeline.placement import matcher_of, place
from triplewire.pipeline.progress import Counts, TaskProgress
from triplewire.pipeline.rows import EVENT_COLUMNS, EVENT_SCHEMA, MATCH_COLUMNS
from triplewire.pipeline.strategies.fingerprints import quads_in
from triplewire.pipeline.strategies.prepared import Parts
from triplewire.pipeline.strategies.routes import Routes

Task = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

_PART = "part"


def osma(df: DataFrame, prepared: Parts, progress_folder: str | None = None) -> DataFrame:
    """The notifications of a batch or a stream of events."""
    spark = df.sparkSession
    indexes = [place(spark, index, progress_folder) for index in prepared.indexes]
    routes = spark.sparkContext.broadcast(prepared.routes())
    events = df.select(*EVENT_SCHEMA.names)
    routed = events.mapInArrow(_routing(routes, prepared.seed, progress_folder), f"{EVENT_COLUMNS}, {_PART} int")
    at_home = routed.repartitionById(prepared.parts, routed[_PART])
    return at_home.mapInArrow(_matching(indexes, progress_folder), MATCH_COLUMNS)


def _routing(routes: Broadcast[Routes], seed: int, progress_folder: str | None) -> Task:
    def route(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        progress = TaskProgress(progress_folder)
        for batch in batches:
            rows, parts = routes.value.of(quads_in(batch, seed))
            progress.add(Counts(events=len(batch)))
            if rows.size:
                yield batch.take(pa.array(rows)).append_column(_PART, pa.array(parts, pa.int32()))

    return route


def _matching(indexes: list[IndexRef], progress_folder: str | None) -> Task:
    def match(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        tallies: dict[int, TaskProgress] = {}
        for batch in batches:
            for part in pc.unique(batch.column(_PART)).to_pylist():
                here = batch.filter(pc.equal(batch.column(_PART), part))
                # A part may take all the room that a worker has.
                matcher = matcher_of(indexes[part], most_open=1)
                found = match_batch(matcher, here)
                progress = tallies.setdefault(part, TaskProgress(progress_folder))
                progress.add(Counts(matches=len(found)))
                progress.quarantine(matcher.quarantined)
                yield from found.to_batches()

    return match
