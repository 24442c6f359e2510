"""`compact`: few large files instead of many small ones, no row twice, and `quads` in lexicographic order.

`quads` is range-partitioned and sorted by predicate, object and subject: a pattern names its predicate nearly always,
so that it reads few files, and in them few row groups. It is made anew from `events` each time. Events that were
published more than once are deduplicated (see `deduplication`). All of it is one commit.

A table becomes several parts, so that the next job has several tasks, of row groups that a task can read alone. What
was replaced stays where it is for those that have it open, and for `--as-of`, until `vacuum` removes it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from triplewire.errors import InputError
from triplewire.pipeline.failures import explained
from triplewire.pipeline.jobs.gauges import ByTasks
from triplewire.pipeline.jobs.run_records import RunStart, new_run_id, publish
from triplewire.pipeline.jobs.task_runner import NoListener, ProgressListener, TaskResults, run_step
from triplewire.pipeline.lake.dataframes import read_parts, read_table, rows_in, stage, uncompressed_bytes
from triplewire.pipeline.lake.event_lake import Lake, existing_lake, open_lake
from triplewire.pipeline.lake.states import LakeState
from triplewire.pipeline.lake.table_writers import Draft, Part
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS, QUADS, REJECTS, SCHEMAS
from triplewire.pipeline.progress import Counts
from triplewire.pipeline.quads import QUAD_COLUMNS, explode_quads
from triplewire.pipeline.split_tasks import TaskReport
from triplewire.pipeline.storage.location import Location
from triplewire.rdf.limits import MIB

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COMPACTED = (EVENTS, NOTIFICATIONS, REJECTS, QUADS)
# Before compression, since that is what the next job works on: small parts while there are few, then larger ones.
_PART_BYTES, _SMALL_PARTS, _LARGEST_PART_BYTES = 64 * MIB, 64, 1024 * MIB
_ORDER = {
    EVENTS: ["time", "event"],
    NOTIFICATIONS: ["subscription", "event"],
    REJECTS: ["file", "line"],
    QUADS: ["predicate", "object", "subject", "event"],
}


class CompactRequest(Struct, frozen=True, kw_only=True):
    """Which tables of which lake."""

    lake: str
    tables: tuple[str, ...] = COMPACTED
    storage: dict[str, str] = {}


class CompactedTable(Struct, frozen=True):
    """What became of a table."""

    table: str
    files_before: int
    files_after: int
    rows: int


class Compaction(Struct, frozen=True):
    """What became of each table, and how many rows of events had another content than the first."""

    tables: list[CompactedTable]
    conflicts: int = 0


def compact(spark: SparkSession, request: CompactRequest, listener: ProgressListener | None = None) -> Compaction:
    """Rewrite tables, all as one commit. A table without data stays as it is."""
    unknown = [table for table in request.tables if table not in COMPACTED]
    if unknown:
        raise InputError(wanted=f"tables of {', '.join(COMPACTED)}", found=", ".join(unknown))
    root = Location.of(request.lake, request.storage).absolute()
    existing_lake(root)
    lake = open_lake(root)
    state = lake.state()
    tables = [table for table in COMPACTED if table in request.tables and _has_data(state, table)]
    return _compacted(spark, lake, state, tables, listener or NoListener()) if tables else Compaction([])


def _has_data(state: LakeState, table: str) -> bool:
    return bool(state.files(EVENTS if table == QUADS else table))


def _compacted(
    spark: SparkSession, lake: Lake, state: LakeState, tables: list[str], listener: ProgressListener
) -> Compaction:
    started, run_id = datetime.now(UTC), new_run_id("compact")
    with lake.redrafting(run_id) as draft, explained():
        rewriter = _Rewriter(spark, state, draft, run_id, listener)
        conflicts: list[Part] = []
        if EVENTS in tables:
            conflicts = rewriter.stage_conflicts()
            tables = _with_dependents(state, tables) if conflicts else tables
        rewritten = [part for table in tables for part in rewriter.rewrite(table)]
        old = {table: state.files(table) for table in tables}
        counts = Counts(rows_in(rewritten, EVENTS), rows_in(rewritten, NOTIFICATIONS), rows_in(conflicts, REJECTS))
        start = RunStart(run=run_id, job="compact", inputs=tables, started=started)
        results = TaskResults([TaskReport([*rewritten, *conflicts], counts, {})])
        run = publish(lake, draft, start, None, results, removes={name: files for name, files in old.items() if files})
    done = [
        CompactedTable(
            table, len(old[table]), sum(part.table == table for part in rewritten), rows_in(rewritten, table)
        )
        for table in tables
    ]
    return Compaction(done, run.rejects)


def _with_dependents(state: LakeState, tables: list[str]) -> list[str]:
    """Notifications and quads of a content that is lost must go with it."""
    more = [table for table in (NOTIFICATIONS, QUADS) if state.files(table)]
    return [table for table in COMPACTED if table in (*tables, *more)]


class _Rewriter:
    """The steps of a compaction: each leaves files in the draft."""

    def __init__(
        self, spark: SparkSession, state: LakeState, draft: Draft, run: str, listener: ProgressListener
    ) -> None:
        self._spark = spark
        self._state = state
        self._draft = draft
        self._run = run
        self._listener = listener
        self._lost: DataFrame | None = None
        self._events: list[Part] = []

    def stage_conflicts(self) -> list[Part]:
        """Find out which rows of events have another content than the first, and stage rejects for them."""
        from triplewire.pipeline.jobs.deduplication import conflict_rejects, conflicting_events

        def act() -> list[Part]:
            # Contradictions are few, and asked for more than once.
            self._lost = conflicting_events(self._spark, self._state).drop("payload").localCheckpoint()
            return stage(conflict_rejects(self._lost, self._run), self._draft, REJECTS)

        parts = self._step("comparing the contents of events", self._all(EVENTS), act)
        self._lost = self._lost if parts else None
        return parts

    def rewrite(self, table: str) -> list[Part]:
        """Stage a table anew."""
        order = _ORDER[table]
        count = parts_of(uncompressed_bytes(self._state, EVENTS if table == QUADS else table))
        frame = self._frame(table).repartitionByRange(count, *order).sortWithinPartitions(*order)
        rows = frame.select(*SCHEMAS[table].names)
        parts = self._step(f"compacting {table}", self._all(table), lambda: stage(rows, self._draft, table))
        if table == EVENTS:
            self._events = parts
        return parts

    def _frame(self, table: str) -> DataFrame:
        from triplewire.pipeline.jobs.deduplication import first_events, first_notifications

        if table == EVENTS:
            return first_events(self._spark, self._state)
        if table == NOTIFICATIONS:
            return first_notifications(self._spark, self._state, self._lost)
        if table == QUADS:
            return self._kept_events().select("payload", "run", "batch").mapInArrow(explode_quads, QUAD_COLUMNS)
        return read_table(self._spark, self._state, table)

    def _kept_events(self) -> DataFrame:
        from triplewire.pipeline.jobs.deduplication import first_events

        if self._events:
            return read_parts(self._spark, self._state.root, self._events, SCHEMAS[EVENTS].names)
        return first_events(self._spark, self._state)

    def _step(self, doing: str, whole: Counts, act: Callable[[], list[Part]]) -> list[Part]:
        return run_step(self._spark, self._listener, doing, ByTasks(whole=whole), act)

    def _all(self, table: str) -> Counts:
        rows = self._state.count(EVENTS if table == QUADS else table)
        kinds = {NOTIFICATIONS: Counts(matches=rows), REJECTS: Counts(rejects=rows)}
        return kinds.get(table, Counts(events=rows))


def parts_of(size: int) -> int:
    """Into how many parts a table of so many bytes goes.

    >>> [parts_of(size * MIB) for size in (1, 200, 4_096, 16_384, 1_048_576)]
    [1, 4, 64, 64, 1024]
    """
    small, large = -(-size // _PART_BYTES), -(-size // _LARGEST_PART_BYTES)
    return max(1, min(small, _SMALL_PARTS), large)
