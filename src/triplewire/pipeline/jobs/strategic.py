"""`match --strategy osma|csma|auto`: the same run with another way for events and subscriptions to meet.

Rows pass through Spark here, since events have to travel to where their subscriptions are; the lake that comes out is
the same.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from triplewire.errors import BadInputRefused
from triplewire.pipeline.index import version_of
from triplewire.pipeline.jobs.gauges import ByTasks
from triplewire.pipeline.jobs.matching import MatchRequest, Outcome, driver_parts
from triplewire.pipeline.jobs.running import Watcher, explained, quarantine_rejects, run_step, versions
from triplewire.pipeline.jobs.subscribing import read_all, read_taxonomy
from triplewire.pipeline.lake.folder import Lake
from triplewire.pipeline.lake.frames import rows_in, stage
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS, REJECTS, Run
from triplewire.pipeline.lake.writing import Part
from triplewire.pipeline.sources.datasource import register
from triplewire.pipeline.sources.files import SourceFile
from triplewire.pipeline.strategies import Prepared, matched, prepare, strategy_of
from triplewire.pipeline.tally import quarantined_in

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SHOWN = 3


def match_by_strategy(
    spark: SparkSession, request: MatchRequest, run_id: str, lake: Lake, files: list[SourceFile], watcher: Watcher
) -> Outcome:
    """Match with a strategy that moves events or quads, and publish the run."""
    started = datetime.now(UTC)
    read = read_all(request.subscriptions, strict=request.strict)
    taxonomy = read_taxonomy(request.taxonomy)
    prepared = prepare(spark, read.good, lake.indexes, request.strategy, taxonomy=taxonomy)
    with lake.drafting(run_id) as staging, explained():
        run_over = _Over(spark, staging, run_id, watcher)
        parts = run_over.read(files)
        _refuse(spark, request, staging / REJECTS, rows_in(parts, REJECTS))
        if rows_in(parts, EVENTS):
            parts += run_over.match(prepared)
        quarantined = quarantined_in(staging)
        rejects = [*read.bad, *quarantine_rejects(quarantined)]
        ours, sparks = versions()
        run = Run(
            run=run_id,
            job="match",
            batch=None,
            strategy=strategy_of(prepared).value,
            index=version_of(read.good, taxonomy),
            taxonomy=None if taxonomy is None else taxonomy.version,
            subscriptions=len(read.good),
            events=rows_in(parts, EVENTS),
            matches=rows_in(parts, NOTIFICATIONS),
            rejects=rows_in(parts, REJECTS) + len(rejects),
            quarantined=len(quarantined),
            inputs=[file.path for file in files],
            started=started,
            finished=datetime.now(UTC),
            triplewire=ours,
            spark=sparks,
        )
        lake.publish(run_id, run_id, [*parts, *driver_parts(lake, run_id, run, rejects)])
    return Outcome(run, str(lake.root), quarantined)


class _Over(Struct, frozen=True):
    """The two steps of a run: events and rejects into the staging folder, then the events to their subscriptions."""

    spark: SparkSession
    staging: Path
    run: str
    watcher: Watcher

    def read(self, files: list[SourceFile]) -> list[Part]:
        rows = _events(self.spark, files)
        events = rows.where("problem is null").drop("problem")
        return run_step(
            self.spark,
            self.watcher,
            "reading",
            ByTasks(),
            lambda: [*self._stage(events, EVENTS), *self._stage(_rejects(rows), REJECTS)],
        )

    def match(self, prepared: Prepared) -> list[Part]:
        kept = self.spark.read.parquet(str((self.staging / EVENTS).resolve()))
        found = matched(kept.drop("run"), prepared, str(self.staging.resolve()))
        gauge = ByTasks(self.staging)
        return run_step(self.spark, self.watcher, "matching", gauge, lambda: self._stage(found, NOTIFICATIONS))

    def _stage(self, rows: DataFrame, table: str) -> list[Part]:
        from pyspark.sql import functions as F  # noqa: N812  as everybody names it

        return stage(rows.withColumn("run", F.lit(self.run)), self.staging, table, self.run)


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


def _refuse(spark: SparkSession, request: MatchRequest, folder: Path, found: int) -> None:
    if request.strict and found:
        rows = spark.read.parquet(str(folder)).limit(_SHOWN).collect()
        raise BadInputRefused(found, tuple(f"{row.file}:{row.line or 0}: {row.reason}" for row in rows))
