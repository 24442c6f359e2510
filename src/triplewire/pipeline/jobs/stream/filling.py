"""Fill the tables of a micro-batch: from files, read by the tasks themselves, or from rows that pass through Spark.

Files go the short way as long as every task has the whole index. Messages, events that were put together, events of a
node's log, and everything under another strategy are rows.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from triplewire.errors import InputError
from triplewire.pipeline.index import IndexRef
from triplewire.pipeline.jobs.event_rows import EventRows, files_as_rows, refuse, separate_rejects
from triplewire.pipeline.jobs.gauges import ByTasks
from triplewire.pipeline.jobs.stream.index_refresh import Indexed
from triplewire.pipeline.jobs.task_runner import ProgressListener, TaskResults, run_step, run_tasks
from triplewire.pipeline.lake.dataframes import rows_in, stage
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS, REJECTS
from triplewire.pipeline.placement import place
from triplewire.pipeline.progress import Counts, read_quarantined
from triplewire.pipeline.rows import EVENT_SCHEMA
from triplewire.pipeline.sources.files import SourceFile, source_file
from triplewire.pipeline.sources.options import DEFAULT_READ_OPTIONS, ReadOptions
from triplewire.pipeline.sources.split_reader import Reject
from triplewire.pipeline.sources.splits import plan
from triplewire.pipeline.split_tasks import TaskReport, TaskSpec
from triplewire.pipeline.strategies import matched

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Draft(Struct, frozen=True):
    """A micro-batch that is being filled. `run` is the stream's name, `commit` that of this micro-batch."""

    spark: SparkSession
    run: str
    commit: str
    number: int
    staging: Path
    indexed: Indexed
    strict: bool
    listener: ProgressListener

    @property
    def doing(self) -> str:
        return f"micro-batch {self.number}"


class Filled(Struct, frozen=True):
    """What the tasks did, where it came from, and what could not be read at all."""

    done: TaskResults
    inputs: list[str]
    rejects: list[Reject] = []


Fill = Callable[[Draft], Filled]


def by_files(found: list[SourceFile], missing: list[Reject]) -> Fill:
    """Fill from files."""
    paths = sorted([*(file.path for file in found), *(reject.file for reject in missing if reject.file)])

    def fill(draft: Draft) -> Filled:
        index = draft.indexed.prepared
        if not isinstance(index, IndexRef):
            done = _from_rows(draft, separate_rejects(files_as_rows(draft.spark, found))) if found else TaskResults([])
            return Filled(done, paths, missing)
        tasks = plan(found, draft.spark.sparkContext.defaultParallelism)
        staging = str(draft.staging.resolve())
        order = TaskSpec(tasks, place(draft.spark, index, staging), staging, draft.run, draft.strict)
        return Filled(run_tasks(draft.spark, order, draft.listener, draft.doing), paths, missing)

    return fill


def by_rows(rows: EventRows, inputs: list[str], rejects: list[Reject]) -> Fill:
    """Fill from what has arrived."""
    return lambda draft: Filled(_from_rows(draft, rows), inputs, rejects)


def _from_rows(draft: Draft, rows: EventRows) -> TaskResults:
    from pyspark.sql import functions as F  # noqa: N812  as everybody names it

    run, staging = F.lit(draft.run), draft.staging
    parts = stage(rows.events.withColumn("run", run), staging, EVENTS, draft.commit)
    if parts:
        # Read back what was written: whatever made the events is not asked again.
        kept = draft.spark.read.parquet(str((staging / EVENTS).resolve())).select(*EVENT_SCHEMA.names)
        found = matched(kept, draft.indexed.prepared, str(staging.resolve())).withColumn("run", run)
        parts += run_step(
            draft.spark,
            draft.listener,
            draft.doing,
            ByTasks(staging),
            lambda: stage(found, staging, NOTIFICATIONS, draft.commit),
        )
    parts += stage(rows.rejects.withColumn("run", run), staging, REJECTS, draft.commit)
    counts = Counts(*(rows_in(parts, table) for table in (EVENTS, NOTIFICATIONS, REJECTS)))
    if draft.strict:
        refuse(draft.spark, staging / REJECTS, counts.rejects)
    return TaskResults([TaskReport(parts, counts, read_quarantined(staging))])


def looked_at(paths: list[str], reading: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[list[SourceFile], list[Reject]]:
    """Look at files; one that is gone is a reject."""
    found, missing = [], []
    for path in paths:
        try:
            found.append(source_file(Path(path), reading))
        except (FileNotFoundError, InputError) as problem:
            # Gone since it was listed: it will not come back by waiting.
            missing.append(Reject(path, None, None, None, str(problem)))
    return found, missing
