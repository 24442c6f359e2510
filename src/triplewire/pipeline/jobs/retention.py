"""What goes from a lake, and when: `vacuum` files that nobody reads any more, `retain` rows that are too old.

`vacuum` removes files that were replaced, or that a run has left which was killed, once they are older than any reader
that may have them open, or any run that may still name them; indexes that no run has used go with them.

`retain` removes events before a moment, with their notifications and quads, and rejects of runs that began before it.
The rows of `runs` stay: a stream knows by them what it has read. It is one commit; the files go with a later `vacuum`.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from msgspec import Struct

from triplewire.pipeline.failures import explained
from triplewire.pipeline.jobs.gauges import ByTasks
from triplewire.pipeline.jobs.run_records import RunStart, new_run_id, publish
from triplewire.pipeline.jobs.task_runner import NoListener, ProgressListener, TaskResults, run_step
from triplewire.pipeline.lake.dataframes import read_files, rows_in, stage
from triplewire.pipeline.lake.delta_tables import LakeTable, TableFile
from triplewire.pipeline.lake.event_lake import open_lake
from triplewire.pipeline.lake.states import LakeState
from triplewire.pipeline.lake.table_writers import Draft, Part
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS, QUADS, REJECTS, RUNS, SCHEMAS, TABLES
from triplewire.pipeline.progress import Counts
from triplewire.pipeline.split_tasks import TaskReport
from triplewire.pipeline.storage.files import delete_file, delete_folder, list_files, list_folders
from triplewire.pipeline.storage.location import Location
from triplewire.pipeline.strategies.catalog import versions_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

WEEK_HOURS = 168.0


class VacuumRequest(Struct, frozen=True, kw_only=True):
    """For how many hours what was replaced, or left behind, is kept."""

    lake: str
    keep_hours: float = WEEK_HOURS
    storage: dict[str, str] = {}


class Vacuumed(Struct, frozen=True):
    """How many files of tables went, and how many indexes."""

    files: int
    indexes: int


class RetainRequest(Struct, frozen=True, kw_only=True):
    """Events before this moment go."""

    lake: str
    older_than: datetime
    storage: dict[str, str] = {}


class Retained(Struct, frozen=True):
    """How many rows of each table went."""

    removed: dict[str, int]


def vacuum(request: VacuumRequest) -> Vacuumed:
    """Remove for good what nobody needs any more."""
    lake = open_lake(Location.of(request.lake, request.storage).absolute())
    files = sum(LakeTable(lake.root, table).vacuum(request.keep_hours) for table in TABLES)
    before = datetime.now(UTC) - timedelta(hours=request.keep_hours)
    for folder in list_folders(lake.root / "_triplewire" / "progress"):
        if _is_older(folder, before):
            delete_folder(folder)
    used = {row["index"] for row in lake.state().rows(RUNS, ["index"])}
    unused = [
        folder
        for folder in list_folders(lake.indexes)
        if not used & set(versions_of([folder.name])) and _is_older(folder, before)
    ]
    for folder in unused:
        delete_folder(folder)
    return Vacuumed(files, len(unused))


def _is_older(folder: Location, before: datetime) -> bool:
    return all(file.modified < before for file in list_files(folder, recursive=True))


def retain(spark: SparkSession, request: RetainRequest, listener: ProgressListener | None = None) -> Retained:
    """Remove rows that are too old."""
    lake = open_lake(Location.of(request.lake, request.storage).absolute())
    moment = request.older_than
    cut = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    state, run_id, started = lake.state(), new_run_id("retain"), datetime.now(UTC)
    with lake.redrafting(run_id) as draft, explained():
        work = _Retention(spark, state, draft, cut)
        parts = run_step(spark, listener or NoListener(), "removing what is old", ByTasks(), work.stage)
        if not work.removes:
            return Retained({})
        start = RunStart(run=run_id, job="retain", inputs=[f"before {cut.isoformat()}"], started=started)
        results = TaskResults([TaskReport(parts, Counts(), {})])
        publish(lake, draft, start, None, results, removes=work.removes)
    gone = {table: sum(file.rows for file in files) - rows_in(parts, table) for table, files in work.removes.items()}
    return Retained(gone)


class _Retention:
    """Which files go, and what is written instead of those that hold also rows which stay."""

    def __init__(self, spark: SparkSession, state: LakeState, draft: Draft, cut: datetime) -> None:
        self._spark = spark
        self._state = state
        self._draft = draft
        self._cut = cut
        self.removes: dict[str, list[TableFile]] = {}

    def stage(self) -> list[Part]:
        from pyspark.sql import functions as F  # noqa: N812  as everybody names it

        old = self._touched(EVENTS)
        stays = F.col("time") >= F.lit(self._cut)
        parts = self._rewritten(EVENTS, old, stays)
        parts += self._rewritten(NOTIFICATIONS, self._touched(NOTIFICATIONS), stays)
        runs = [row["run"] for row in self._state.rows(RUNS, ["run", "started"]) if row["started"] < self._cut]
        later = {row["run"] for row in self._state.rows(RUNS, ["run", "started"]) if row["started"] >= self._cut}
        over = sorted(set(runs) - later)
        if over:
            parts += self._rewritten(REJECTS, self._state.files(REJECTS), ~F.col("run").isin(over))
        return [*parts, *(self._quads(old) if old else [])]

    def _touched(self, table: str) -> list[TableFile]:
        """Files that may hold rows before the moment, by what Delta was told of them."""
        return [file for file in self._state.files(table) if (low := file.low.get("time")) is None or low < self._cut]

    def _rewritten(self, table: str, files: list[TableFile], stays: object) -> list[Part]:
        if not files:
            return []
        rows = read_files(self._spark, self._state, table, files).where(stays)  # type: ignore[arg-type]
        parts = stage(rows, self._draft, table)
        if rows_in(parts, table) < sum(file.rows for file in files):
            self.removes[table] = files
            return parts
        for part in parts:
            delete_file(self._draft.lake / table / part.path)
        return []

    def _quads(self, old: list[TableFile]) -> list[Part]:
        from pyspark.sql import functions as F  # noqa: N812

        files = self._state.files(QUADS)
        if not files:
            return []
        gone: DataFrame = read_files(self._spark, self._state, EVENTS, old, ["event", "time"])
        names = gone.where(F.col("time") < F.lit(self._cut)).select("event").distinct()
        rows = read_files(self._spark, self._state, QUADS, files).join(names, "event", "left_anti")
        order = ["predicate", "object", "subject", "event"]
        sorted_rows = rows.repartitionByRange(len(files), *order).sortWithinPartitions(*order)
        self.removes[QUADS] = files
        return stage(sorted_rows.select(*SCHEMAS[QUADS].names), self._draft, QUADS)
