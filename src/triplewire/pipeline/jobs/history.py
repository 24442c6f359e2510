"""`backfill` and `replay`: subscriptions over events that the lake has already.

A backfill adds to the lake the notifications that it lacks: the identity of a notification is (subscription, event), so
that doing it again adds nothing. A replay answers "what would have fired" into a lake of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from triplewire.errors import InputError, LakeError
from triplewire.pipeline.failures import explained
from triplewire.pipeline.jobs.gauges import ByBytes
from triplewire.pipeline.jobs.run_records import Outcome, RunStart, new_run_id, publish, run_of
from triplewire.pipeline.jobs.subscription_loading import LoadedSubscriptions, load_subscriptions
from triplewire.pipeline.jobs.task_runner import NoListener, ProgressListener, TaskResults, run_step
from triplewire.pipeline.lake.dataframes import payload_bytes, read_table, rows_in, stage
from triplewire.pipeline.lake.folder import Lake, existing_lake, open_lake, require_room
from triplewire.pipeline.lake.table_writers import Part
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS
from triplewire.pipeline.paths import local_path
from triplewire.pipeline.progress import Counts, read_quarantined
from triplewire.pipeline.split_tasks import TaskReport
from triplewire.pipeline.strategies.catalog import strategy_at, versions_in
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


class ReplayRequest(Struct, frozen=True, kw_only=True):
    """What to replay: files of subscriptions, or the index of a version that a run of the lake has used."""

    lake: str
    out: str
    subscriptions: tuple[str, ...] = ()
    taxonomy: str | None = None
    index: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    strict: bool = False
    run_id: str | None = None


def backfill(spark: SparkSession, request: BackfillRequest, listener: ProgressListener | None = None) -> Outcome:
    """Add the notifications that the lake lacks."""
    existing_lake(local_path(request.lake))
    with open_lake(local_path(request.lake)) as lake:
        run_id = request.run_id or new_run_id("backfill")
        if lake.has(run_id):
            return Outcome(run_of(lake, run_id), str(lake.root), repeated=True)
        loaded = load_subscriptions(spark, request, lake.indexes)
        events = read_table(spark, lake, EVENTS)

        def lacking(found: DataFrame) -> DataFrame:
            if not lake.files(NOTIFICATIONS):
                return found
            known = read_table(spark, lake, NOTIFICATIONS).select("subscription", "event")
            return found.join(known, ["subscription", "event"], "left_anti")

        rematch = _Rematch(lake, lake, run_id, "backfill", loaded, lacking)
        return _published(spark, rematch, events, listener or NoListener())


def replay(spark: SparkSession, request: ReplayRequest, listener: ProgressListener | None = None) -> Outcome:
    """Write what would have fired into another lake."""
    source = existing_lake(local_path(request.lake))
    with open_lake(local_path(request.out)) as lake:
        run_id = request.run_id or new_run_id("replay")
        require_room(lake, run_id)
        loaded = _replayed(spark, request, source, lake)
        events = _within(read_table(spark, source, EVENTS), request)
        rematch = _Rematch(source, lake, run_id, "replay", loaded, lambda found: found)
        return _published(spark, rematch, events, listener or NoListener())


class _Rematch(Struct, frozen=True):
    """A run over events that `source` has, whose notifications, or those that `wanted` leaves of them, go to `lake`."""

    source: Lake
    lake: Lake
    run: str
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
    found = strategy_at(source.indexes, version)
    if found is None:
        known = ", ".join(versions_in(source.indexes)) or "none"
        raise LakeError(wanted=f"the index {version}", found=str(known), source=str(source.root))
    return found


def _within(events: DataFrame, request: ReplayRequest) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812  as everybody names it

    if request.since is not None:
        events = events.where(F.col("time") >= F.lit(_moment(request.since)))
    if request.until is not None:
        events = events.where(F.col("time") < F.lit(_moment(request.until)))
    return events


def _moment(time: datetime) -> datetime:
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time


def _once(found: DataFrame) -> DataFrame:
    return found.dropDuplicates(["subscription", "event"])


def _published(spark: SparkSession, rematch: _Rematch, events: DataFrame, listener: ProgressListener) -> Outcome:
    from pyspark.sql import functions as F  # noqa: N812

    lake = rematch.lake
    start = RunStart(run=rematch.run, job=rematch.job, inputs=[str(rematch.source.root)])
    with lake.drafting(rematch.run) as staging, explained():
        found = rematch.loaded.strategy.match(events, str(staging.resolve()))
        rows = _once(rematch.wanted(found)).withColumn("run", F.lit(rematch.run))

        def act() -> tuple[list[Part], int]:
            return stage(rows, staging, NOTIFICATIONS, rematch.run), events.count()

        gauge = ByBytes(staging, payload_bytes(rematch.source))
        parts, count = run_step(spark, listener, f"{rematch.job}: matching", gauge, act)
        counts = Counts(events=count, matches=rows_in(parts, NOTIFICATIONS))
        results = TaskResults([TaskReport(parts, counts, read_quarantined(staging))])
        run = publish(lake, start, rematch.loaded.strategy, results, rematch.loaded.rejects)
    return Outcome(run, str(lake.root), results.quarantined)
