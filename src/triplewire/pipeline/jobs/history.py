"""`backfill` and `replay`: subscriptions over events that the lake has already.

A backfill adds to the lake the notifications that it lacks: the identity of a notification is (subscription, event), so
that doing it again adds nothing. A replay answers "what would have fired" into a lake of its own.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from triplewire.errors import InputError, LakeError
from triplewire.pipeline.index import IndexRef, index_at
from triplewire.pipeline.jobs.matching import REPLICATE, Outcome, driver_parts, new_run_id, run_of
from triplewire.pipeline.jobs.running import explained, versions
from triplewire.pipeline.jobs.subscribing import Subscribed, read_all, read_taxonomy, subscribe
from triplewire.pipeline.lake.folder import Lake, existing_lake, open_lake, require_room
from triplewire.pipeline.lake.frames import read_table, rows_in, stage
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS, Run
from triplewire.pipeline.matching import match

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


def backfill(spark: SparkSession, request: BackfillRequest) -> Outcome:
    """Add the notifications that the lake lacks."""
    existing_lake(Path(request.lake))
    with open_lake(Path(request.lake)) as lake:
        run_id = request.run_id or new_run_id("backfill")
        if lake.has(run_id):
            return Outcome(run_of(lake, run_id), str(lake.root), repeated=True)
        read = read_all(request.subscriptions, strict=request.strict)
        subscribed = subscribe(read, read_taxonomy(request.taxonomy), lake.indexes, strict=request.strict)
        events = read_table(spark, lake, EVENTS)
        found = match(events, subscribed.index)
        if lake.files(NOTIFICATIONS):
            known = read_table(spark, lake, NOTIFICATIONS).select("subscription", "event")
            found = found.join(known, ["subscription", "event"], "left_anti")
        return _published(lake, run_id, "backfill", subscribed, _once(found), events, [str(lake.root)])


def replay(spark: SparkSession, request: ReplayRequest) -> Outcome:
    """Write what would have fired into another lake."""
    source = existing_lake(Path(request.lake))
    with open_lake(Path(request.out)) as lake:
        run_id = request.run_id or new_run_id("replay")
        require_room(lake, run_id)
        subscribed = _replayed(request, source, lake)
        events = _within(read_table(spark, source, EVENTS), request)
        found = _once(match(events, subscribed.index))
        return _published(lake, run_id, "replay", subscribed, found, events, [str(source.root)])


def _replayed(request: ReplayRequest, source: Lake, lake: Lake) -> Subscribed:
    if bool(request.subscriptions) == bool(request.index):
        raise InputError("a replay wants either subscriptions or the version of an index, found both or neither")
    if request.index is not None:
        return Subscribed(_past_index(source, request.index), [])
    read = read_all(request.subscriptions, strict=request.strict)
    return subscribe(read, read_taxonomy(request.taxonomy), lake.indexes, strict=request.strict)


def _past_index(source: Lake, version: str) -> IndexRef:
    known = sorted(path.name for path in source.indexes.glob("[0-9a-f]*"))
    if version not in known:
        raise LakeError(f"{source.root}: wanted the index {version}, found {', '.join(known) or 'none'}")
    return index_at(source.indexes / version)


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


def _published(
    lake: Lake,
    run_id: str,
    job: str,
    subscribed: Subscribed,
    found: DataFrame,
    events: DataFrame,
    inputs: list[str],
) -> Outcome:
    from pyspark.sql import functions as F  # noqa: N812

    started = datetime.now(UTC)
    with lake.drafting(run_id) as staging, explained():
        parts = stage(found.withColumn("run", F.lit(run_id)), staging, NOTIFICATIONS, run_id)
        count = events.count()
    ours, sparks = versions()
    index = subscribed.index
    run = Run(
        run=run_id,
        job=job,
        batch=None,
        strategy=REPLICATE,
        index=index.version,
        taxonomy=index.taxonomy_version,
        subscriptions=index.subscriptions,
        events=count,
        matches=rows_in(parts, NOTIFICATIONS),
        rejects=len(subscribed.rejects),
        quarantined=0,
        inputs=inputs,
        started=started,
        finished=datetime.now(UTC),
        triplewire=ours,
        spark=sparks,
    )
    lake.publish(run_id, run_id, [*parts, *driver_parts(lake, run_id, run, subscribed.rejects)])
    return Outcome(run, str(lake.root))
