"""`match --strategy osma|csma|auto`: the same run with another way for events and subscriptions to meet.

Rows pass through Spark here, since events have to travel to where their subscriptions are; the lake that comes out is
the same.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from triplewire.pipeline.failures import explained
from triplewire.pipeline.jobs.event_rows import files_as_rows, refuse, separate_rejects
from triplewire.pipeline.jobs.gauges import ByTasks
from triplewire.pipeline.jobs.matching import MatchRequest
from triplewire.pipeline.jobs.run_records import Outcome, RunStart, publish
from triplewire.pipeline.jobs.subscription_loading import read_all, read_taxonomy
from triplewire.pipeline.jobs.task_runner import ProgressListener, TaskResults, run_step
from triplewire.pipeline.lake.dataframes import rows_in, stage
from triplewire.pipeline.lake.folder import Lake
from triplewire.pipeline.lake.table_writers import Part
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS, REJECTS
from triplewire.pipeline.progress import Counts, read_quarantined
from triplewire.pipeline.sources.files import SourceFile
from triplewire.pipeline.split_tasks import TaskReport
from triplewire.pipeline.strategies import Prepared, matched, prepare

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def match_by_strategy(
    spark: SparkSession,
    request: MatchRequest,
    run_id: str,
    lake: Lake,
    files: list[SourceFile],
    listener: ProgressListener,
) -> Outcome:
    """Match with a strategy that moves events or quads, and publish the run."""
    begun = RunStart(run=run_id, job="match", inputs=[file.path for file in files])
    read = read_all(request.subscriptions, strict=request.strict)
    taxonomy = read_taxonomy(request.taxonomy)
    prepared = prepare(spark, read.good, lake.indexes, request.strategy, taxonomy=taxonomy)
    with lake.drafting(run_id) as staging, explained():
        run_over = _Over(spark, staging, run_id, listener)
        parts = run_over.read(files)
        if request.strict:
            refuse(spark, staging / REJECTS, rows_in(parts, REJECTS))
        if rows_in(parts, EVENTS):
            parts += run_over.match(prepared)
        counts = Counts(*(rows_in(parts, table) for table in (EVENTS, NOTIFICATIONS, REJECTS)))
        done = TaskResults([TaskReport(parts, counts, read_quarantined(staging))])
        run = publish(lake, begun, prepared, done, read.bad)
    return Outcome(run, str(lake.root), done.quarantined)


class _Over(Struct, frozen=True):
    """The two steps of a run: events and rejects into the staging folder, then the events to their subscriptions."""

    spark: SparkSession
    staging: Path
    run: str
    listener: ProgressListener

    def read(self, files: list[SourceFile]) -> list[Part]:
        rows = separate_rejects(files_as_rows(self.spark, files))
        return run_step(
            self.spark,
            self.listener,
            "reading",
            ByTasks(),
            lambda: [*self._stage(rows.events, EVENTS), *self._stage(rows.rejects, REJECTS)],
        )

    def match(self, prepared: Prepared) -> list[Part]:
        kept = self.spark.read.parquet(str((self.staging / EVENTS).resolve()))
        found = matched(kept.drop("run"), prepared, str(self.staging.resolve()))
        gauge = ByTasks(self.staging)
        return run_step(self.spark, self.listener, "matching", gauge, lambda: self._stage(found, NOTIFICATIONS))

    def _stage(self, rows: DataFrame, table: str) -> list[Part]:
        from pyspark.sql import functions as F  # noqa: N812  as everybody names it

        return stage(rows.withColumn("run", F.lit(self.run)), self.staging, table, self.run)
