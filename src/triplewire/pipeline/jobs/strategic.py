"""`match --strategy osma|csma|auto`: the same run with another way for events and subscriptions to meet.

Rows pass through Spark here, since events have to travel to where their subscriptions are; the lake that comes out is
the same.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from triplewire.errors import BadInputRefused
from triplewire.pipeline.index import version_of
from triplewire.pipeline.jobs.matching import MatchRequest, Outcome, driver_parts
from triplewire.pipeline.jobs.running import explained, versions
from triplewire.pipeline.jobs.subscribing import read_all, read_taxonomy
from triplewire.pipeline.lake.folder import Lake
from triplewire.pipeline.lake.frames import rows_in, stage
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS, REJECTS, Run
from triplewire.pipeline.sources.datasource import register
from triplewire.pipeline.sources.files import SourceFile
from triplewire.pipeline.strategies import matched, prepare

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SHOWN = 3


def match_by_strategy(
    spark: SparkSession, request: MatchRequest, run_id: str, lake: Lake, files: list[SourceFile]
) -> Outcome:
    """Match with a strategy that moves events or quads, and publish the run."""
    from pyspark.sql import functions as F  # noqa: N812  as everybody names it

    read = read_all(request.subscriptions, strict=request.strict)
    taxonomy = read_taxonomy(request.taxonomy)
    prepared = prepare(spark, read.good, lake.indexes, request.strategy, taxonomy=taxonomy)
    started = datetime.now(UTC)
    run_column = F.lit(run_id)
    with lake.drafting(run_id) as staging, explained():
        rows = _events(spark, files)
        events = rows.where("problem is null").drop("problem")
        parts = stage(events.withColumn("run", run_column), staging, EVENTS, run_id)
        kept = spark.read.parquet(str((staging / EVENTS).resolve())) if parts else events
        found = matched(kept.select("event", "source", "time", "payload"), prepared)
        parts += stage(found.withColumn("run", run_column), staging, NOTIFICATIONS, run_id)
        parts += stage(_rejects(rows).withColumn("run", run_column), staging, REJECTS, run_id)
        _refuse(spark, request, staging / REJECTS, rows_in(parts, REJECTS))
    ours, sparks = versions()
    run = Run(
        run=run_id,
        job="match",
        batch=None,
        strategy=request.strategy,
        index=version_of(read.good, taxonomy),
        taxonomy=None if taxonomy is None else taxonomy.version,
        subscriptions=len(read.good),
        events=rows_in(parts, EVENTS),
        matches=rows_in(parts, NOTIFICATIONS),
        rejects=rows_in(parts, REJECTS) + len(read.bad),
        quarantined=0,
        inputs=[file.path for file in files],
        started=started,
        finished=datetime.now(UTC),
        triplewire=ours,
        spark=sparks,
    )
    lake.publish(run_id, run_id, [*parts, *driver_parts(lake, run_id, run, read.bad)])
    return Outcome(run, str(lake.root))


def _events(spark: SparkSession, files: list[SourceFile]) -> DataFrame:
    register(spark)
    reader = spark.read.format("triplewire").option("mode", "PERMISSIVE")
    return reader.load(files[0].path) if len(files) == 1 else reader.option("paths", _listed(files)).load()


def _listed(files: list[SourceFile]) -> str:
    return "\n".join(file.path for file in files)


def _rejects(rows: DataFrame) -> DataFrame:
    return rows.where("problem is not null").selectExpr(
        "source as file",
        "cast(nullif(regexp_extract(problem, '^line ([0-9]+):', 1), '') as long) as line",
        "event",
        "cast(null as string) as subscription",
        "problem as reason",
    )


def _refuse(spark: SparkSession, request: MatchRequest, folder: object, found: int) -> None:
    if request.strict and found:
        rows = spark.read.parquet(str(folder)).limit(_SHOWN).collect()
        raise BadInputRefused(found, tuple(f"{row.file}:{row.line or 0}: {row.reason}" for row in rows))
