"""Events that pass through Spark as rows: what is whole, what is none, and what is staged of both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
from msgspec import Struct

from triplewire.errors import BadInputRefused
from triplewire.pipeline.api_modes import parallelism
from triplewire.pipeline.lake.states import file_batches
from triplewire.pipeline.lake.table_writers import Part
from triplewire.pipeline.lake.tables import REJECTS
from triplewire.pipeline.rows import EVENT_SCHEMA
from triplewire.pipeline.sources.datasource import PERMISSIVE, PROBLEM_COLUMNS, rows_of_split
from triplewire.pipeline.sources.files import SourceFile
from triplewire.pipeline.sources.splits import Task, plan_tasks
from triplewire.pipeline.storage.location import Location

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SHOWN = 3


class EventRows(Struct, frozen=True):
    """Whole events (event, source, time, payload), and what is none, with the columns of `rejects`."""

    events: DataFrame
    rejects: DataFrame


def separate_rejects(rows: DataFrame) -> EventRows:
    """Part rows of event, source, time, payload and problem."""
    bad = rows.where("problem IS NOT NULL").selectExpr(
        "source AS file",
        "CAST(nullif(regexp_extract(problem, '^line ([0-9]+):', 1), '') AS long) AS line",
        "event",
        "CAST(NULL AS string) AS subscription",
        "problem AS reason",
    )
    return EventRows(rows.where("problem IS NULL").select(*EVENT_SCHEMA.names), bad)


def files_as_rows(spark: SparkSession, files: list[SourceFile]) -> DataFrame:
    """Rows of event, source, time, payload and problem.

    As `spark.read.format("triplewire")` gives them, which is planned by the Python of the workers on the driver's host,
    where it need not be.
    """
    tasks = plan_tasks(files, parallelism(spark))
    return spark.range(0, len(tasks), 1, len(tasks)).mapInArrow(_reading(tasks), PROBLEM_COLUMNS)


def _reading(tasks: list[Task]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    message = msgspec.msgpack.encode(tasks)

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        asked = msgspec.msgpack.decode(message, type=list[Task])
        for number in (number for batch in batches for number in batch.column(0).to_pylist()):
            for split in asked[number]:
                yield from rows_of_split(split, PERMISSIVE)

    return read


def refuse(lake: Location, parts: list[Part]) -> None:
    """End a strict run with the first of the rejects that were staged, if there are any."""
    found = [part for part in parts if part.table == REJECTS]
    if found:
        rows = next(file_batches(lake / REJECTS / found[0].path, REJECTS)).slice(0, _SHOWN).to_pylist()
        reasons = tuple(f"{row['file']}:{row['line'] or 0}: {row['reason']}" for row in rows)
        raise BadInputRefused(sum(part.rows for part in found), reasons)
