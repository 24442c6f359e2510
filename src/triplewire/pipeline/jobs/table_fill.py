"""Fill the tables of one commit, in its draft, by any strategy, for batches and micro-batches alike.

Files go the short way where the strategy can match splits: tasks read them and write the tables, and no event passes
through Spark. Elsewhere, and for messages, assembled events and events of a node's log, events are rows: they are
written first, then read back and matched, so that whatever made them is not asked again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from triplewire.pipeline.api_modes import parallelism
from triplewire.pipeline.jobs.event_rows import EventRows, files_as_rows, refuse, separate_rejects
from triplewire.pipeline.jobs.gauges import ByBytes, ByTasks
from triplewire.pipeline.jobs.task_runner import ProgressListener, TaskResults, run_step
from triplewire.pipeline.lake.dataframes import read_parts, rows_in, stage
from triplewire.pipeline.lake.table_writers import Draft, Part
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS, REJECTS
from triplewire.pipeline.progress import Counts, read_quarantined
from triplewire.pipeline.rows import EVENT_SCHEMA
from triplewire.pipeline.sources.files import SourceFile
from triplewire.pipeline.sources.splits import plan_tasks
from triplewire.pipeline.split_tasks import TaskReport
from triplewire.pipeline.strategies.strategy import Strategy

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class TableFill(Struct, frozen=True, kw_only=True):
    """Where a commit's tables are filled.

    `step` is what a listener is shown. A strict fill ends at bad input.
    """

    spark: SparkSession
    strategy: Strategy
    draft: Draft
    step: str
    strict: bool
    listener: ProgressListener

    def from_files(self, files: list[SourceFile]) -> TaskResults:
        """Fill the tables from files of events."""
        if not files:
            return TaskResults([])
        tasks = plan_tasks(files, parallelism(self.spark))
        reports = self.strategy.match_splits(self.spark, tasks, self.draft, strict=self.strict)
        if reports is None:
            return self.from_rows(separate_rejects(files_as_rows(self.spark, files)))
        gauge = ByBytes(self.draft.progress, sum(split.end - split.start for task in tasks for split in task))
        rows = run_step(self.spark, self.listener, self.step, gauge, reports.collect)
        return TaskResults([msgspec.msgpack.decode(row.report, type=TaskReport) for row in rows])

    def from_rows(self, rows: EventRows) -> TaskResults:
        """Fill the tables from rows of events."""
        parts = run_step(
            self.spark,
            self.listener,
            "reading",
            ByTasks(),
            lambda: [*self._stage(rows.events, EVENTS), *self._stage(rows.rejects, REJECTS)],
        )
        if self.strict:
            refuse(self.draft.lake, parts)
        if rows_in(parts, EVENTS):
            parts += self._match([part for part in parts if part.table == EVENTS])
        counts = Counts(*(rows_in(parts, table) for table in (EVENTS, NOTIFICATIONS, REJECTS)))
        return TaskResults([TaskReport(parts, counts, read_quarantined(self.draft.progress))])

    def _match(self, events: list[Part]) -> list[Part]:
        kept = read_parts(self.spark, self.draft.lake, events, EVENT_SCHEMA.names)
        found = self.strategy.match(kept, self.draft.progress)
        gauge = ByTasks(self.draft.progress)
        return run_step(self.spark, self.listener, self.step, gauge, lambda: self._stage(found, NOTIFICATIONS))

    def _stage(self, rows: DataFrame, table: str) -> list[Part]:
        return stage(rows, self.draft, table)
