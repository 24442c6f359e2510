"""`report`: what the subscriptions of a lake have done: which fire, how often, when, together with which, at what cost.

A subscription fires once an event, however many rows or solutions there are. Which ones are silent, and what each costs
the matcher, can only be said of subscriptions that are named: costs are candidates that the matcher verifies for each
of them in a sample of the events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.explain import explain
from triplewire.matching.matcher import Matcher
from triplewire.pipeline.failures import explained
from triplewire.pipeline.jobs.gauges import ByTasks
from triplewire.pipeline.jobs.questions.past import PastRequest, past_events
from triplewire.pipeline.jobs.subscription_loading import read_all, read_taxonomy
from triplewire.pipeline.jobs.task_runner import NoListener, ProgressListener, run_step
from triplewire.pipeline.lake.dataframes import read_table
from triplewire.pipeline.lake.states import LakeState
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS
from triplewire.pipeline.payloads import match_payloads
from triplewire.pipeline.progress import Counts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SAMPLE = 2_000
# Pairs are looked for among those that fire most: with m of them at one event there are m * (m - 1) / 2.
_PAIRED = 200
_MOST_BUCKETS = 60
_HOUR, _DAY = 3_600, 86_400
_WIDTHS = (1, 10, 60, 600, _HOUR, 6 * _HOUR, _DAY, 7 * _DAY, 30 * _DAY, 365 * _DAY)


class ReportRequest(PastRequest, frozen=True, kw_only=True):
    """Which subscriptions should be in the lake, and how many pairs are named."""

    subscriptions: tuple[str, ...] = ()
    taxonomy: str | None = None
    most: int = 20


class Fired(Struct, frozen=True):
    """A subscription that fired, at how many events, with how many solutions in all, and when."""

    subscription: str
    events: int
    solutions: int
    lanes: list[str]
    first: datetime
    last: datetime


class Together(Struct, frozen=True):
    """Two subscriptions that fired at the same events. `share` is of the events at which either of them did."""

    first: str
    second: str
    events: int
    share: float


class Bucket(Struct, frozen=True):
    """A piece of time, from `start` on: its events, those at which something fired, and how often it did."""

    start: datetime
    events: int
    matched: int
    notifications: int


class Cost(Struct, frozen=True):
    """What a subscription costs: `candidates` were verified for it in the sample, of which `matches` were any."""

    subscription: str
    lane: str
    unindexed: bool
    candidates: int
    matches: int


class Report(Struct, frozen=True):
    """All of it. `silent` and `costs` are known if subscriptions were named; both begin with the dearest."""

    events: int
    matched: int
    notifications: int
    bucket_seconds: int
    fired: list[Fired]
    together: list[Together]
    over_time: list[Bucket]
    silent: list[str] | None = None
    costs: list[Cost] | None = None
    sample: int = 0


def report(spark: SparkSession, request: ReportRequest, listener: ProgressListener | None = None) -> Report:
    """Look at the lake."""
    named = None
    if request.subscriptions:
        named = read_all(request.subscriptions, strict=False, storage=request.storage).good
    taxonomy = read_taxonomy(request.taxonomy, request.storage)
    state = request.state()

    def act() -> Report:
        events = past_events(spark, request, state, ["event", "time", "payload"])
        found = _measured(_once(events), _notifications(spark, request, state), request.most)
        if named is None:
            return found
        costs, sample = _costs(events, named, Matcher(taxonomy))
        fired = {row.subscription for row in found.fired}
        silent = [cost.subscription for cost in costs if cost.subscription not in fired]
        return msgspec.structs.replace(found, silent=silent, costs=costs, sample=sample)

    with explained():
        return run_step(
            spark, listener or NoListener(), "reporting", ByTasks(whole=Counts(events=state.count(EVENTS))), act
        )


def _once(rows: DataFrame) -> DataFrame:
    """Each event once, with the earliest time that it has."""
    from pyspark.sql import functions as F  # noqa: N812  as everybody names it

    return rows.groupBy("event").agg(F.min("time").alias("time"))


def _notifications(spark: SparkSession, request: ReportRequest, state: LakeState) -> DataFrame:
    """One row a subscription and event."""
    from pyspark.sql import functions as F  # noqa: N812

    if not state.files(NOTIFICATIONS):
        none = "subscription string, event string, time timestamp, lane string, solutions long"
        return spark.createDataFrame([], none)
    rows = request.period.of(read_table(spark, state, NOTIFICATIONS))
    return rows.groupBy("subscription", "event").agg(
        F.min("time").alias("time"), F.first("lane").alias("lane"), F.max(F.size("solutions")).alias("solutions")
    )


def _measured(events: DataFrame, notifications: DataFrame, most: int) -> Report:
    from pyspark.sql import functions as F  # noqa: N812

    notifications = notifications.persist()
    try:
        total, begin, end = events.agg(F.count("*"), F.min("time"), F.max("time")).collect()[0]
        fired = _fired(notifications)
        width = _width(begin, end)
        return Report(
            events=total,
            matched=notifications.select("event").distinct().count(),
            notifications=sum(row.events for row in fired),
            bucket_seconds=width,
            fired=fired,
            together=_together(notifications, fired, most),
            over_time=_over_time(events, notifications, width),
        )
    finally:
        notifications.unpersist()


def _fired(notifications: DataFrame) -> list[Fired]:
    from pyspark.sql import functions as F  # noqa: N812

    rows = notifications.groupBy("subscription").agg(
        F.count("*").alias("events"),
        F.sum("solutions").alias("solutions"),
        F.array_sort(F.collect_set("lane")).alias("lanes"),
        F.min("time").alias("first"),
        F.max("time").alias("last"),
    )
    return sorted((Fired(**row.asDict()) for row in rows.collect()), key=lambda f: (-f.events, f.subscription))


def _together(notifications: DataFrame, fired: Sequence[Fired], most: int) -> list[Together]:
    from pyspark.sql import functions as F  # noqa: N812

    frequent = [row.subscription for row in fired[:_PAIRED]]
    counts = {row.subscription: row.events for row in fired}
    rows = notifications.where(F.col("subscription").isin(frequent))
    one, other = (rows.select(F.col("subscription").alias(name), "event") for name in ("first", "second"))
    pairs = one.join(other, "event").where("first < second").groupBy("first", "second").count()
    best = pairs.orderBy(F.desc("count"), "first", "second").limit(most).collect()
    return [_pair(row["first"], row["second"], row["count"], counts) for row in best]


def _pair(first: str, second: str, events: int, counts: Mapping[str, int]) -> Together:
    return Together(first, second, events, events / (counts[first] + counts[second] - events))


def _width(begin: datetime | None, end: datetime | None) -> int:
    """The seconds of a bucket, so that there are few.

    >>> _width(datetime(2024, 1, 1), datetime(2024, 1, 2))
    3600
    """
    seconds = 0.0 if begin is None or end is None else (end - begin).total_seconds()
    return next((width for width in _WIDTHS if seconds / width <= _MOST_BUCKETS), _WIDTHS[-1])


def _over_time(events: DataFrame, notifications: DataFrame, width: int) -> list[Bucket]:
    from pyspark.sql import functions as F  # noqa: N812

    start = F.timestamp_seconds(F.floor(F.unix_timestamp("time") / width) * width).alias("start")
    all_of = events.groupBy(start).agg(F.count("*").alias("events"))
    # An event's own time counts, also where a notification was written with the time of another row of it.
    notified = notifications.drop("time").join(events, "event").groupBy(start)
    matched = notified.agg(F.count_distinct("event").alias("matched"), F.count("*").alias("notifications"))
    rows = all_of.join(matched, "start", "left").na.fill(0, ["matched", "notifications"]).orderBy("start").collect()
    return [Bucket(**row.asDict()) for row in rows]


def _costs(events: DataFrame, named: Sequence[Subscription], matcher: Matcher) -> tuple[list[Cost], int]:
    """What each subscription costs in a sample, which depends on nothing but the events' names."""
    from pyspark.sql import functions as F  # noqa: N812

    for subscription in named:
        matcher.add(msgspec.structs.replace(subscription, owner=subscription.id))
    sample = events.orderBy(F.xxhash64("event"), "event").limit(_SAMPLE).select("payload").toArrow()
    matches: dict[str, int] = {}
    for batch in sample.to_batches():
        for name in match_payloads(matcher, batch.column("payload")).matches["subscription"].to_pylist():
            matches[name] = matches.get(name, 0) + 1
    candidates: Mapping[Any, int] = matcher.costs()
    costs = [_cost(subscription, candidates, matches) for subscription in named]
    return sorted(costs, key=lambda c: (-c.candidates, -c.unindexed, c.subscription)), len(sample)


def _cost(subscription: Subscription, candidates: Mapping[Any, int], matches: Mapping[str, int]) -> Cost:
    explanation, name = explain(subscription), subscription.id
    return Cost(name, explanation.lane, explanation.unindexed, candidates.get(name, 0), matches.get(name, 0))
