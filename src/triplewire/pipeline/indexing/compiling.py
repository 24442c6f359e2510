"""Rows become parts of an index. What cannot be parsed, or is refused, becomes a reject with its place.

Many rows are compiled in Spark's tasks, some at a time: what a task is sent and what it returns has to pass through the
driver, so that no storage is needed which both see, and all is the same over Spark Connect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
from msgspec import Struct

from triplewire.errors import TriplewireError
from triplewire.languages.entries import BadEntry, SubscriptionEntry
from triplewire.languages.files import parse_entry
from triplewire.matching import Compiler
from triplewire.pipeline.indexing.rows import entries_in
from triplewire.pipeline.sources.split_reader import Reject

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Below that, a job takes longer than compiling them here.
WORTH_A_JOB = 20_000
# Spark sends rows along with their task, which may have 128 MiB.
_ROWS_A_JOB = 100_000
_COLUMNS = "part binary, refused binary"


class Refused(Struct, frozen=True):
    """A row that is not subscribed, and how a strict run shows it."""

    reject: Reject
    shown: str


class CompiledRows(Struct, frozen=True):
    """Parts for `Matcher.add_parts`, in the order of the rows, and what is not in them."""

    parts: list[bytes]
    refused: list[Refused]


def compile_rows(spark: SparkSession | None, table: pa.Table) -> CompiledRows:
    """Compile the rows of a table: in tasks if they are many and there is a session."""
    if not table.num_rows:
        return CompiledRows([], [])
    if spark is None or table.num_rows < WORTH_A_JOB:
        return _compiled(table.to_batches())
    slices = (table.slice(start, _ROWS_A_JOB) for start in range(0, table.num_rows, _ROWS_A_JOB))
    found = [compiled for some in slices for compiled in _compiled_in_tasks(spark, some)]
    return CompiledRows(
        [part for compiled in found for part in compiled.parts], [r for compiled in found for r in compiled.refused]
    )


def refused_entry(entry: BadEntry) -> Refused:
    """The refusal of what could not be read."""
    reject = Reject(entry.source, entry.place or None, None, entry.id, str(entry.error))
    return Refused(reject, str(entry.error))


def _compiled_in_tasks(spark: SparkSession, table: pa.Table) -> list[CompiledRows]:
    rows = spark.createDataFrame(table).mapInArrow(_compile_in_task, _COLUMNS).toArrow()
    return [
        CompiledRows([row["part"]], msgspec.msgpack.decode(row["refused"], type=list[Refused]))
        for row in rows.to_pylist()
    ]


def _compile_in_task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    compiled = _compiled(batches)
    columns = {"part": compiled.parts, "refused": [msgspec.msgpack.encode(compiled.refused) for _ in compiled.parts]}
    yield pa.RecordBatch.from_pydict({name: pa.array(values, pa.binary()) for name, values in columns.items()})


def _compiled(batches: Iterable[pa.RecordBatch]) -> CompiledRows:
    compiler, refused = Compiler(), []
    for batch in batches:
        for entry in entries_in(batch):
            problem = _added(entry, compiler)
            if problem is not None:
                refused.append(problem)
    return CompiledRows([compiler.part()], refused)


def _added(entry: SubscriptionEntry, compiler: Compiler) -> Refused | None:
    found = parse_entry(entry)
    if isinstance(found, BadEntry):
        return refused_entry(found)
    try:
        compiler.add(found)
    except TriplewireError as problem:
        reject = Reject(entry.file, entry.place or None, None, entry.id, str(problem))
        return Refused(reject, f"{entry.id}: {problem}")
    return None
