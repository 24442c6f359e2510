"""One event, one content: which rows count where an event was published more than once.

Publishing an event again with the same content changes nothing: one row stays. With another content it is an error:
the content that came first stays, the rows with another one are lost, and so are the notifications that they caused.
First is what the run that started first has brought, then what has the earliest time, then by source and text.

A notification says which run it is from and which time its event has, not which content. Where one run brought two
contents with the same time, from one file perhaps, its notifications of that event stay, whichever content caused them.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812  as everybody names it

from triplewire.pipeline.lake.dataframes import read_files, read_table
from triplewire.pipeline.lake.delta_tables import TableFile
from triplewire.pipeline.lake.states import LakeState
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS, REJECTS, RUNS, SCHEMAS

_TURN = "turn"


def first_events(spark: SparkSession, state: LakeState, files: Sequence[TableFile]) -> DataFrame:
    """One row an event: the first. The files have all rows of these events."""
    rows = with_run_start(spark, state, EVENTS, files)
    return _first(rows, ["event"], [_TURN, "time", "source", "payload"]).drop(_TURN)


def conflicting_events(spark: SparkSession, state: LakeState, files: Sequence[TableFile]) -> DataFrame:
    """Rows of events whose content is not the first one's, each with the row that `kept` its place."""
    rows = with_run_start(spark, state, EVENTS, files)
    contents = rows.select("event", F.sha2("payload", 256).alias("content")).distinct()
    disputed = contents.groupBy("event").count().where("count > 1").select("event")
    turns = Window.partitionBy("event").orderBy(_TURN, "time", "source", "payload")
    kept = F.first(F.struct("run", "time", "source", "payload")).over(turns)
    ranked = rows.join(disputed, "event").withColumn("kept", kept)
    return ranked.where("payload != kept.payload").withColumn("kept", F.col("kept").dropFields("payload"))


def first_notifications(
    spark: SparkSession, state: LakeState, files: Sequence[TableFile], lost: DataFrame | None
) -> DataFrame:
    """One row a subscription and event, and none that only a lost content can have caused."""
    rows = with_run_start(spark, state, NOTIFICATIONS, files)
    if lost is not None:
        by_event = lost.groupBy("event").agg(F.first("kept").alias("kept"), F.collect_set("run").alias("lost_runs"))
        from_kept = "time = kept.time and (run = kept.run or not array_contains(lost_runs, run))"
        rows = rows.join(by_event, "event", "left").where(f"kept is null or ({from_kept})")
    return _first(rows, ["subscription", "event"], [_TURN, "time"]).select(*SCHEMAS[NOTIFICATIONS].names)


def conflict_rejects(lost: DataFrame, run: str) -> DataFrame:
    """A reject for each lost row."""
    wanted = F.concat(F.lit("wanted the content that this event has since run "), "kept.run", F.lit(" read "))
    found = F.concat(F.col("kept.source"), F.lit(", found another one in run "), F.col("run"))
    return lost.select(
        F.col("source").alias("file"),
        F.lit(None).cast("long").alias("line"),
        "event",
        F.lit(None).cast("string").alias("subscription"),
        F.concat(wanted, found).alias("reason"),
        F.lit(run).alias("run"),
        F.lit(None).cast("long").alias("batch"),
    ).select(*SCHEMAS[REJECTS].names)


def with_run_start(spark: SparkSession, state: LakeState, table: str, files: Sequence[TableFile]) -> DataFrame:
    """Files of a table, whose rows say when their run started."""
    started = read_table(spark, state, RUNS).groupBy("run").agg(F.min("started").alias(_TURN))
    return read_files(spark, state, table, files).join(F.broadcast(started), "run", "left")


def _first(rows: DataFrame, same: list[str], order: list[str]) -> DataFrame:
    place = F.row_number().over(Window.partitionBy(*same).orderBy(*order))
    return rows.withColumn("place", place).where("place = 1").drop("place")
