"""`backfill` and `replay`: subscriptions over events that the lake has already.

A backfill adds to the lake the notifications that it lacks: the identity of a notification is (subscription, event), so
that doing it again adds nothing. A replay answers "what would have fired" into a lake of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from triplewire.errors import InputError, LakeError
from triplewire.pipeline.failures import explained
from triplewire.pipeline.jobs.gauges import ByBytes
from triplewire.pipeline.jobs.run_records import Outcome, RunStart, new_run_id, publish
from triplewire.pipeline.jobs.subscription_loading import LoadedSubscriptions, load_subscriptions
from triplewire.pipeline.jobs.task_runner import NoListener, ProgressListener, TaskResults, run_step
from triplewire.pipeline.lake.commit_names import CommitName
from triplewire.pipeline.lake.dataframes import payload_bytes, read_table, rows_in, stage
from triplewire.pipeline.lake.event_lake import Lake, existing_lake, open_lake, require_room
from triplewire.pipeline.lake.states import LakeState
from triplewire.pipeline.lake.table_writers import Part
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS
from triplewire.pipeline.period import Period
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
    events = read_table(spark, state, EVENTS, EVENT_SCHEMA.names)

    def lacking(found: DataFrame) -> DataFrame:
        if not state.files(NOTIFICATIONS):
            return found
        known = read_table(spark, state, NOTIFICATIONS, ["subscription", "event"])
        return found.join(known, ["subscription", "event"], "left_anti")

    rematch = _Rematch(state, lake, commit, "backfill", loaded, lacking)
    return _published(spark, rematch, events, listener or NoListener())


def replay(spark: SparkSession, request: ReplayRequest, listener: ProgressListener | None = None) -> Outcome:
    """Write what would have fired into another lake."""
    source = existing_lake(Location.of(request.lake, request.storage).absolute())
    lake = open_lake(Location.of(request.out, request.storage).absolute())
    commit = CommitName(request.run_id or new_run_id("replay"))
    require_room(lake, commit.run)
    loaded = _replayed(spark, request, source, lake)
    state = source.state(request.as_of)
    events = Period(request.since, request.until).of(read_table(spark, state, EVENTS, EVENT_SCHEMA.names))
    rematch = _Rematch(state, lake, commit, "replay", loaded, lambda found: found)
    return _published(spark, rematch, events, listener or NoListener())


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


def _once(found: DataFrame) -> DataFrame:
    return found.dropDuplicates(["subscription", "event"])


def _published(spark: SparkSession, rematch: _Rematch, events: DataFrame, listener: ProgressListener) -> Outcome:
    lake = rematch.lake
    start = RunStart(run=rematch.commit.run, job=rematch.job, inputs=[rematch.source.root.uri])
    with lake.drafting(rematch.commit) as draft, explained():
        found = rematch.loaded.strategy.match(events, draft.progress)
        rows = _once(rematch.wanted(found))

        def act() -> tuple[list[Part], int]:
            return stage(rows, draft, NOTIFICATIONS), events.count()

        gauge = ByBytes(draft.progress, payload_bytes(rematch.source))
        parts, count = run_step(spark, listener, f"{rematch.job}: matching", gauge, act)
        counts = Counts(events=count, matches=rows_in(parts, NOTIFICATIONS))
        results = TaskResults([TaskReport(parts, counts, read_quarantined(draft.progress))])
        run = publish(lake, draft, start, rematch.loaded.strategy, results, rematch.loaded.rejects)
    return Outcome(run, lake.root.uri, results.quarantined)
