"""`compact`: few large files instead of many small ones, no row twice, and `quads` in lexicographic order.

`quads` is range-partitioned and sorted by predicate, object and subject: a pattern names its predicate nearly always,
so that it reads few files, and in them few row groups. Events that were published more than once are deduplicated
(see `deduplication`). What is new is rewritten, with what it touches (see `compaction_scope`); all of it is one commit.

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
from triplewire.pipeline.jobs.compaction_scope import (
    QuadScope,
    commits_with_events,
    files_with,
    of_commits,
    quad_scope,
    scope_of,
)
from triplewire.pipeline.jobs.gauges import ByTasks
from triplewire.pipeline.jobs.run_records import RunStart, new_run_id, publish
from triplewire.pipeline.jobs.task_runner import NoListener, ProgressListener, TaskResults, run_step
from triplewire.pipeline.lake.commit_names import CommitName
from triplewire.pipeline.lake.dataframes import read_files, read_parts, rows_in, stage, uncompressed_bytes
from triplewire.pipeline.lake.delta_tables import TableFile
from triplewire.pipeline.lake.event_lake import Lake, existing_lake, open_lake
from triplewire.pipeline.lake.states import LakeState
from triplewire.pipeline.lake.table_writers import ROWS_A_GROUP, Draft, Part
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
    """Which tables of which lake: what is new in them, and what that touches, or all that they have (`full`)."""

    lake: str
    tables: tuple[str, ...] = COMPACTED
    full: bool = False
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
    tables = [table for table in COMPACTED if table in request.tables]
    return _compacted(spark, lake, state, tables, listener or NoListener(), full=request.full)


def _compacted(
    spark: SparkSession, lake: Lake, state: LakeState, tables: list[str], listener: ProgressListener, *, full: bool
) -> Compaction:
    started, run_id = datetime.now(UTC), new_run_id("compact")
    with lake.redrafting(run_id) as draft, explained():
        rewriter = _Rewriter(spark, state, draft, run_id, listener)
        rewriter.choose(tables, full=full)
        conflicts = rewriter.stage_conflicts()
        rewritten = [part for table in COMPACTED if table in rewriter.files for part in rewriter.rewrite(table)]
        if not rewriter.files:
            return Compaction([])
        counts = Counts(rows_in(rewritten, EVENTS), rows_in(rewritten, NOTIFICATIONS), rows_in(conflicts, REJECTS))
        start = RunStart(run=run_id, job="compact", inputs=sorted(rewriter.files), started=started)
        results = TaskResults([TaskReport([*rewritten, *conflicts], counts, {})])
        run = publish(
            lake,
            draft,
            start,
            None,
            results,
            removes={name: files for name, files in rewriter.files.items() if files},
            covers=rewriter.covers,
            seen=state.version(QUADS),
        )
    return Compaction([rewriter.done(table, rewritten) for table in COMPACTED if table in rewriter.files], run.rejects)


class _Rewriter:
    """The steps of a compaction: each leaves files in the draft. `files` are those that go, by table."""

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
        self._quads = QuadScope([])
        self.files: dict[str, list[TableFile]] = {}

    @property
    def covers(self) -> list[CommitName]:
        """The commits that `quads` has afterwards."""
        if QUADS not in self.files:
            return []
        return commits_with_events(self._state) if self._quads.commits is None else self._quads.commits

    def choose(self, tables: list[str], *, full: bool) -> None:
        """Find out which files are to be rewritten."""
        for table in tables:
            if table == QUADS:
                self._choose_quads(QuadScope(None) if full else quad_scope(self._state))
            elif files := self._state.files(table) if full else scope_of(self._spark, self._state, table):
                self.files[table] = files

    def _choose_quads(self, scope: QuadScope) -> None:
        if not self._state.files(EVENTS) or scope.commits == []:
            return
        self._quads = scope
        every = self._state.files(QUADS)
        self.files[QUADS] = every if scope.is_whole else [file for file in every if file.rows < ROWS_A_GROUP]

    def stage_conflicts(self) -> list[Part]:
        """Find out which rows of events have another content than the first, and stage rejects for them.

        Notifications and quads of a content that is lost must go with it, wherever they are.
        """
        from triplewire.pipeline.jobs.deduplication import conflict_rejects, conflicting_events

        files = self.files.get(EVENTS, [])
        if not files:
            return []

        def act() -> list[Part]:
            # Contradictions are few, and asked for more than once.
            self._lost = conflicting_events(self._spark, self._state, files).drop("payload").localCheckpoint()
            return stage(conflict_rejects(self._lost, self._run), self._draft, REJECTS)

        parts = self._step("comparing the contents of events", EVENTS, act)
        if not parts:
            self._lost = None
            return []
        self.files |= {NOTIFICATIONS: every} if (every := self._state.files(NOTIFICATIONS)) else {}
        if self._state.files(QUADS):
            self._choose_quads(QuadScope(None))
        return parts

    def rewrite(self, table: str) -> list[Part]:
        """Stage a table anew, as far as its files are chosen."""
        order = _ORDER[table]
        frame = self._frame(table).repartitionByRange(self._parts(table), *order).sortWithinPartitions(*order)
        rows = frame.select(*SCHEMAS[table].names)
        parts = self._step(f"compacting {table}", table, lambda: stage(rows, self._draft, table))
        if table == EVENTS:
            self._events = parts
        return parts

    def done(self, table: str, rewritten: list[Part]) -> CompactedTable:
        """What became of a table."""
        new = [part for part in rewritten if part.table == table]
        before = len(self._state.files(table))
        after = before - len(self.files[table]) + len(new)
        stays = self._state.count(table) - sum(file.rows for file in self.files[table])
        return CompactedTable(table, before, after, stays + rows_in(new, table))

    def _parts(self, table: str) -> int:
        files = self._quad_sources() if table == QUADS else self.files[table]
        size = uncompressed_bytes(self._state, EVENTS if table == QUADS else table, files)
        return parts_of(size)

    def _frame(self, table: str) -> DataFrame:
        from triplewire.pipeline.jobs.deduplication import first_events, first_notifications

        files = self.files[table]
        if table == EVENTS:
            return first_events(self._spark, self._state, files)
        if table == NOTIFICATIONS:
            return first_notifications(self._spark, self._state, files, self._lost)
        if table == QUADS:
            made = self._new_events().select("payload", "run", "batch").mapInArrow(explode_quads, QUAD_COLUMNS)
            small = [] if self._quads.is_whole else files
            return made.unionByName(read_files(self._spark, self._state, QUADS, small)) if small else made
        return read_files(self._spark, self._state, table, files)

    def _quad_sources(self) -> list[TableFile]:
        """The files of events that quads are to be made of."""
        files = self._state.files(EVENTS)
        return files if self._quads.commits is None else files_with(files, self._quads.commits)

    def _new_events(self) -> DataFrame:
        """The events whose quads are lacking, each once."""
        from triplewire.pipeline.jobs.deduplication import first_events

        sources = self._quad_sources()
        if not self._events:
            return self._first_of(first_events(self._spark, self._state, sources))
        rewritten = {file.path for file in self.files[EVENTS]}
        rows = read_parts(self._spark, self._state.root, self._events, SCHEMAS[EVENTS].names)
        untouched = [file for file in sources if file.path not in rewritten]
        if untouched:
            rows = rows.unionByName(read_files(self._spark, self._state, EVENTS, untouched))
        return rows if self._quads.commits is None else of_commits(rows, self._quads.commits)

    def _first_of(self, events: DataFrame) -> DataFrame:
        """Those of the lacking commits, save events that an earlier commit has brought."""
        if self._quads.commits is None:
            return events
        every = read_files(self._spark, self._state, EVENTS, self._state.files(EVENTS), ["event", "run", "batch"])
        covered = [commit for commit in commits_with_events(self._state) if commit not in set(self._quads.commits)]
        known = of_commits(every, covered).select("event")
        return of_commits(events, self._quads.commits).join(known, "event", "left_anti")

    def _step(self, doing: str, table: str, act: Callable[[], list[Part]]) -> list[Part]:
        counted = EVENTS if table == QUADS else table
        files = self._quad_sources() if table == QUADS else self.files[table]
        rows = sum(file.rows for file in files)
        kinds = {NOTIFICATIONS: Counts(matches=rows), REJECTS: Counts(rejects=rows)}
        gauge = ByTasks(whole=kinds.get(counted, Counts(events=rows)))
        return run_step(self._spark, self._listener, doing, gauge, act)


def parts_of(size: int) -> int:
    """Into how many parts a table of so many bytes goes.

    >>> [parts_of(size * MIB) for size in (1, 200, 4_096, 16_384, 1_048_576)]
    [1, 4, 64, 64, 1024]
    """
    small, large = -(-size // _PART_BYTES), -(-size // _LARGEST_PART_BYTES)
    return max(1, min(small, _SMALL_PARTS), large)
