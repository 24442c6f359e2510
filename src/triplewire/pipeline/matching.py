"""`match(df, snapshot)`: events in, matches out, as a function from DataFrame to DataFrame.

Every task maps the whole index (the strategy `replicate`); what runs inside is the matcher, on a batch of payloads at a
time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import InputError
from triplewire.matching.matcher import Matcher
from triplewire.pipeline.index import IndexRef, index_of_snapshot
from triplewire.pipeline.payloads import match_payloads
from triplewire.pipeline.placement import matcher_of, place
from triplewire.pipeline.progress import Counts, TaskProgress
from triplewire.pipeline.rows import EVENT_SCHEMA, MATCH_COLUMNS, MATCH_SCHEMA

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Batches = Iterable[pa.RecordBatch]


def match(
    df: DataFrame,
    snapshot: IndexRef | str | os.PathLike[str],
    taxonomy: Taxonomy | None = None,
    *,
    progress_folder: str | None = None,
) -> DataFrame:
    """Match every event of a DataFrame against an index.

    `df` has the columns event, source, time and payload (N-Quads), as `spark.read.format("triplewire")` gives them;
    `snapshot` is a folder that `Matcher.save` or `build_index` wrote. The result has subscription, event, time,
    solutions and lane. A payload that is no sound event fails the query with its event and line: filter such rows out
    before. With `progress_folder`, which they share with the driver, tasks write there how far they are.
    """
    index = snapshot if isinstance(snapshot, IndexRef) else index_of_snapshot(snapshot, taxonomy)
    _require_columns(df)
    return df.select(*EVENT_SCHEMA.names).mapInArrow(
        matching(place(df.sparkSession, index, progress_folder), progress_folder), MATCH_COLUMNS
    )


def matching(index: IndexRef, progress_folder: str | None = None) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    """The function that runs in the tasks."""

    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        matcher, progress = matcher_of(index), TaskProgress(progress_folder)
        for batch in batches:
            found = match_batch(matcher, batch)
            progress.add(Counts(len(batch), len(found), 0, batch.column("payload").nbytes))
            progress.quarantine(matcher.quarantined)
            yield from found.to_batches()

    return run


def match_batch(matcher: Matcher, batch: pa.RecordBatch) -> pa.Table:
    """The matches of a batch of events."""
    found = match_payloads(matcher, batch.column("payload"))
    if found.bad:
        bad = found.bad[0]
        name = batch.column("event")[bad.row].as_py()
        raise InputError(f"payload line {bad.line}: {bad.reason}", source=f"event {name}")
    return _match_rows(found.matches, batch.column("time").take(pa.array(found.rows)))


def _match_rows(matches: pa.Table, times: pa.Array) -> pa.Table:
    columns = [
        matches["subscription"],
        matches["event"],
        times.cast(MATCH_SCHEMA.field("time").type),
        matches["solutions"],
        matches["lane"],
    ]
    return pa.Table.from_arrays(columns, schema=MATCH_SCHEMA)


def _require_columns(df: DataFrame) -> None:
    missing = [name for name in EVENT_SCHEMA.names if name not in df.columns]
    if missing:
        raise InputError(f"wanted the columns {', '.join(EVENT_SCHEMA.names)}, found no {' and no '.join(missing)}")
