"""`backfill` and `replay`: subscriptions over events that the lake has already.

A backfill adds to the lake the notifications that it lacks: the identity of a notification is (subscription, event), so
that doing it again adds nothing. A replay answers "what would have fired" into a lake of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from triplewire.algebra.subscriptions import Subscription
from triplewire.errors import InputError, LakeError
from triplewire.pipeline.failures import explained
from triplewire.pipeline.jobs.gauges import ByBytes, ByTasks, Gauge
from triplewire.pipeline.jobs.history_scope import candidates
from triplewire.pipeline.jobs.run_records import Outcome, RunStart, new_run_id, publish
from triplewire.pipeline.jobs.subscription_loading import LoadedSubscriptions, load_subscriptions
from triplewire.pipeline.jobs.task_runner import NoListener, ProgressListener, TaskResults, run_step
from triplewire.pipeline.lake.commit_names import CommitName
from triplewire.pipeline.lake.dataframes import payload_bytes, read_files, read_table, rows_in, stage
from triplewire.pipeline.lake.event_lake import Lake, existing_lake, open_lake, require_room
from triplewire.pipeline.lake.states import LakeState
from triplewire.pipeline.lake.table_writers import Part
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS
from triplewire.pipeline.period import ALWAYS, Period
from triplewire.pipeline.progress import Counts, read_quarantined
from triplewire.pipeline.rows import EVENT_SCHEMA
from triplewire.pipeline.split_tasks import TaskReport
from triplewire.pipeline.storage.location import Location
from triplewire.pipeline.strategies.index_store import find_in, known_versions
from triplewire.pipeline.strategies.strategy import Strategy

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class BackfillRequest(Struct, frozen=True, kw_only=True):
    """Which subscriptions to run over which lake's history."""

    lake: str
    subscriptions: tuple[str, ...]
    taxonomy: str | None = None
    strict: bool = False
    run_id: str | None = None
    storage: dict[str, str] = {}


class ReplayRequest(Struct, frozen=True, kw_only=True):
    """What to replay: files of subscriptions, or the index of a version that a run of the lake has used."""

    lake: str
    out: str
    subscriptions: tuple[str, ...] = ()
    taxonomy: str | None = None
    index: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: str | None = None
    strict: bool = False
    run_id: str | None = None
    storage: dict[str, str] = {}


def backfill(spark: SparkSession, request: BackfillRequest, listener: ProgressListener | None = None) -> Outcome:
    """Add the notifications that the lake lacks."""
    root = Location.of(request.lake, request.storage).absolute()
    existing_lake(root)
    lake = open_lake(root)
    commit = CommitName(request.run_id or new_run_id("backfill"))
    if lake.has(commit):
        return Outcome(lake.run_row(commit), lake.root.uri, repeated=True)
    loaded = load_subscriptions(spark, request, lake.indexes)
    state = lake.state()

    def lacking(found: DataFrame) -> DataFrame:
        if not state.files(NOTIFICATIONS):
            return found
        known = read_table(spark, state, NOTIFICATIONS, ["subscription", "event"])
        return found.join(known, ["subscription", "event"], "left_anti")

    rematch = _Rematch(state, lake, commit, "backfill", loaded, lacking)
    return _published(spark, rematch, _History(spark, state, ALWAYS), listener or NoListener())


def replay(spark: SparkSession, request: ReplayRequest, listener: ProgressListener | None = None) -> Outcome:
    """Write what would have fired into another lake."""
    source = existing_lake(Location.of(request.lake, request.storage).absolute())
    lake = open_lake(Location.of(request.out, request.storage).absolute())
    commit = CommitName(request.run_id or new_run_id("replay"))
    require_room(lake, commit.run)
    if lake.has(commit):
        return Outcome(lake.run_row(commit), lake.root.uri, repeated=True)
    loaded = _replayed(spark, request, source, lake)
    state = source.state(request.as_of)
    history = _History(spark, state, Period(request.since, request.until))
    rematch = _Rematch(state, lake, commit, "replay", loaded, lambda found: found)
    return _published(spark, rematch, history, listener or NoListener())


class _Rematch(Struct, frozen=True):
    """A run over events that `source` has, whose notifications, or those that `wanted` leaves of them, go to `lake`."""

    source: LakeState
    lake: Lake
    commit: CommitName
    job: str
    loaded: LoadedSubscriptions
    wanted: Callable[[DataFrame], DataFrame]


def _replayed(spark: SparkSession, request: ReplayRequest, source: Lake, lake: Lake) -> LoadedSubscriptions:
    if bool(request.subscriptions) == bool(request.index):
        raise InputError(
            subject="a replay", wanted="either subscriptions or the version of an index", found="both or neither"
        )
    if request.index is not None:
        return LoadedSubscriptions(_past_strategy(source, request.index), [])
    return load_subscriptions(spark, request, lake.indexes)


def _past_strategy(source: Lake, version: str) -> Strategy:
    found = find_in(source.indexes, version)
    if found is None:
        known = ", ".join(known_versions(source.indexes)) or "none"
        raise LakeError(wanted=f"the index {version}", found=str(known), source=source.root.uri)
    return found


class _History:
    """The events of a lake in a period."""

    def __init__(self, spark: SparkSession, state: LakeState, period: Period) -> None:
        self._spark = spark
        self._state = state
        self._period = period
        every = state.files(EVENTS)
        if not every:
            raise LakeError(wanted=f"data in the table {EVENTS}", found="none", source=state.root.uri)
        # By what Delta was told of each file.
        self._files = [file for file in every if period.meets(file.low.get("time"), file.high.get("time"))]

    def events(self) -> DataFrame:
        """All of them."""
        return self._period.of(read_files(self._spark, self._state, EVENTS, self._files, EVENT_SCHEMA.names))

    def candidates(self, subscriptions: list[Subscription]) -> DataFrame | None:
        """Those that can matter to some subscriptions; None if that is no small part of them."""
        found = candidates(self._spark, self._state, subscriptions, self._files) if subscriptions else None
        return None if found is None else self._period.of(found)

    def count(self) -> int:
        """How many there are, whether they are looked at or told by what Delta knows."""
        if self._period.is_always:
            return sum(file.rows for file in self._files)
        return self._period.of(read_files(self._spark, self._state, EVENTS, self._files, ["time"])).count()


def _once(found: DataFrame) -> DataFrame:
    return found.dropDuplicates(["subscription", "event"])


def _published(spark: SparkSession, rematch: _Rematch, history: _History, listener: ProgressListener) -> Outcome:
    lake = rematch.lake
    start = RunStart(run=rematch.commit.run, job=rematch.job, inputs=[rematch.source.root.uri])
    with lake.drafting(rematch.commit) as draft, explained():
        some = history.candidates(rematch.loaded.subscriptions)
        events = history.events() if some is None else some
        found = rematch.loaded.strategy.match(events, draft.progress)
        rows = _once(rematch.wanted(found))

        def act() -> tuple[list[Part], int]:
            return stage(rows, draft, NOTIFICATIONS), history.count()

        gauge: Gauge = ByTasks(draft.progress)
        if some is None:
            gauge = ByBytes(draft.progress, payload_bytes(rematch.source))
        parts, count = run_step(spark, listener, f"{rematch.job}: matching", gauge, act)
        counts = Counts(events=count, matches=rows_in(parts, NOTIFICATIONS))
        results = TaskResults([TaskReport(parts, counts, read_quarantined(draft.progress))])
        run = publish(lake, draft, start, rematch.loaded.strategy, results, rematch.loaded.rejects)
    return Outcome(run, lake.root.uri, results.quarantined)
