"""`compact`: few large files instead of many small ones, no row twice, and `quads` in lexicographic order.

`quads` is range-partitioned and sorted by predicate, object and subject: a pattern names its predicate nearly always,
so that it reads few files, and in them few row groups. It is made anew from `events` each time. Events that were
published more than once are deduplicated (see `deduplication`). All of it is one commit.

A table becomes several parts, so that the next job has several tasks, of row groups that a task can read alone. What
was replaced stays, out of sight of readers that list a table, for those that have it open.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from triplewire.errors import InputError
from triplewire.pipeline.failures import explained
from triplewire.pipeline.jobs.gauges import ByTasks
from triplewire.pipeline.jobs.run_records import RunStart, new_run_id, publish
from triplewire.pipeline.jobs.task_runner import NoListener, ProgressListener, TaskResults, run_step
from triplewire.pipeline.lake.dataframes import count_rows, read_table, rows_in, stage, uncompressed_bytes
from triplewire.pipeline.lake.folder import Lake, existing_lake, open_lake
from triplewire.pipeline.lake.table_writers import Part
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS, QUADS, REJECTS, SCHEMAS
from triplewire.pipeline.paths import local_path
from triplewire.pipeline.progress import Counts
from triplewire.pipeline.quads import QUAD_COLUMNS, explode_quads
from triplewire.pipeline.split_tasks import TaskReport
from triplewire.rdf.limits import MIB

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COMPACTED = (EVENTS, NOTIFICATIONS, REJECTS, QUADS)
# Before compression, since that is what the next job works on: small parts while there are few, then larger ones.
_PART_BYTES, _SMALL_PARTS, _LARGEST_PART_BYTES = 64 * MIB, 64, 1024 * MIB
_WEEK_HOURS = 168.0
_ORDER = {
    EVENTS: ["event"],
    NOTIFICATIONS: ["subscription", "event"],
    REJECTS: ["file", "line"],
    QUADS: ["predicate", "object", "subject", "event"],
}


class CompactRequest(Struct, frozen=True, kw_only=True):
    """Which tables of which lake, and for how many hours what was replaced is kept for those who read it."""

    lake: str
    tables: tuple[str, ...] = COMPACTED
    keep_hours: float = _WEEK_HOURS


class CompactedTable(Struct, frozen=True):
    """What became of a table."""

    table: str
    files_before: int
    files_after: int
    rows: int


class Compaction(Struct, frozen=True):
    """What became of each table, and how many rows of events had another content than the first.

    `removed` counts files that were replaced long enough ago, by this compaction or an earlier one.
    """

    tables: list[CompactedTable]
    conflicts: int = 0
    removed: int = 0


def compact(spark: SparkSession, request: CompactRequest, listener: ProgressListener | None = None) -> Compaction:
    """Rewrite tables, all as one commit. A table without data stays as it is."""
    unknown = [table for table in request.tables if table not in COMPACTED]
    if unknown:
        raise InputError(wanted=f"tables of {', '.join(COMPACTED)}", found=", ".join(unknown))
    existing_lake(local_path(request.lake))
    with open_lake(local_path(request.lake)) as lake:
        tables = [table for table in COMPACTED if table in request.tables and _has_data(lake, table)]
        done = _compacted(spark, lake, tables, listener or NoListener()) if tables else Compaction([])
        return replace(done, removed=lake.forget(time.time() - 3_600 * request.keep_hours))


def _has_data(lake: Lake, table: str) -> bool:
    return bool(lake.files(EVENTS if table == QUADS else table))


def _compacted(spark: SparkSession, lake: Lake, tables: list[str], listener: ProgressListener) -> Compaction:
    started, run_id = datetime.now(UTC), new_run_id("compact")
    with lake.drafting(run_id) as staging, explained():
        rewriter = _Rewriter(spark, lake, staging, run_id, listener)
        conflicts: list[Part] = []
        if EVENTS in tables:
            conflicts = rewriter.stage_conflicts()
            tables = _with_dependents(lake, tables) if conflicts else tables
        rewritten = [part for table in tables for part in rewriter.rewrite(table)]
        old = {table: lake.files(table) for table in tables}
        counts = Counts(rows_in(rewritten, EVENTS), rows_in(rewritten, NOTIFICATIONS), rows_in(conflicts, REJECTS))
        removes = [f"{table}/{path.name}" for table, paths in old.items() for path in paths]
        start = RunStart(run=run_id, job="compact", inputs=tables, started=started)
        run = publish(
            lake, start, None, TaskResults([TaskReport([*rewritten, *conflicts], counts, {})]), removes=removes
        )
    done = [
        CompactedTable(table, len(old[table]), len(lake.files(table)), rows_in(rewritten, table)) for table in tables
    ]
    return Compaction(done, run.rejects)


def _with_dependents(lake: Lake, tables: list[str]) -> list[str]:
    """Notifications and quads of a content that is lost must go with it."""
    more = [table for table in (NOTIFICATIONS, QUADS) if lake.files(table)]
    return [table for table in COMPACTED if table in (*tables, *more)]


class _Rewriter:
    """The steps of a compaction: each leaves files in the staging folder."""

    def __init__(self, spark: SparkSession, lake: Lake, staging: Path, run: str, listener: ProgressListener) -> None:
        self._spark = spark
        self._lake = lake
        self._staging = staging
        self._run = run
        self._listener = listener
        self._lost: DataFrame | None = None

    def stage_conflicts(self) -> list[Part]:
        """Find out which rows of events have another content than the first, and stage rejects for them."""
        from triplewire.pipeline.jobs.deduplication import conflict_rejects, conflicting_events

        kept_apart = self._staging / "lost.spark"

        def act() -> list[Part]:
            conflicting_events(self._spark, self._lake).drop("payload").write.parquet(str(kept_apart.resolve()))
            self._lost = self._spark.read.parquet(str(kept_apart.resolve()))
            return stage(conflict_rejects(self._lost, self._run), self._staging, REJECTS, f"{self._run}-conflicts")

        parts = self._step("comparing the contents of events", self._all(EVENTS), act)
        self._lost = self._lost if parts else None
        return parts

    def rewrite(self, table: str) -> list[Part]:
        """Stage a table anew."""
        order, parts = _ORDER[table], parts_of(uncompressed_bytes(self._lake, EVENTS if table == QUADS else table))
        frame = self._frame(table).repartitionByRange(parts, *order).sortWithinPartitions(*order)
        rows = frame.select(*SCHEMAS[table].names)
        return self._step(f"compacting {table}", self._all(table), lambda: stage(rows, self._staging, table, self._run))

    def _frame(self, table: str) -> DataFrame:
        from triplewire.pipeline.jobs.deduplication import first_events, first_notifications

        if table == EVENTS:
            return first_events(self._spark, self._lake)
        if table == NOTIFICATIONS:
            return first_notifications(self._spark, self._lake, self._lost)
        if table == QUADS:
            events = self._staged_events() or first_events(self._spark, self._lake)
            return events.select("payload", "run").mapInArrow(explode_quads, QUAD_COLUMNS)
        return read_table(self._spark, self._lake, table)

    def _staged_events(self) -> DataFrame | None:
        folder = self._staging / EVENTS
        return self._spark.read.parquet(str(folder.resolve())) if folder.exists() else None

    def _step(self, doing: str, whole: Counts, act: Callable[[], list[Part]]) -> list[Part]:
        return run_step(self._spark, self._listener, doing, ByTasks(whole=whole), act)

    def _all(self, table: str) -> Counts:
        rows = count_rows(self._lake, EVENTS if table == QUADS else table)
        kinds = {NOTIFICATIONS: Counts(matches=rows), REJECTS: Counts(rejects=rows)}
        return kinds.get(table, Counts(events=rows))


def parts_of(size: int) -> int:
    """Into how many parts a table of so many bytes goes.

    >>> [parts_of(size * MIB) for size in (1, 200, 4_096, 16_384, 1_048_576)]
    [1, 4, 64, 64, 1024]
    """
    small, large = -(-size // _PART_BYTES), -(-size // _LARGEST_PART_BYTES)
    return max(1, min(small, _SMALL_PARTS), large)
