"""`validate`: what of a lake's history does not conform to shapes, as rejects.

Each event is validated on its own, in tasks. A reject has the event, the file that it came from and what is wrong; the
event stays where it is. Doing it again adds nothing: the identity of such a reject is (event, reason).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from triplewire.errors import BadInputRefused
from triplewire.pipeline.failures import explained
from triplewire.pipeline.jobs.gauges import ByTasks
from triplewire.pipeline.jobs.run_records import Outcome, RunStart, new_run_id, publish, run_of
from triplewire.pipeline.jobs.task_runner import NoListener, ProgressListener, TaskResults, run_step
from triplewire.pipeline.lake.dataframes import count_rows, read_table, rows_in, stage
from triplewire.pipeline.lake.folder import Lake, existing_lake, open_lake
from triplewire.pipeline.lake.table_writers import Part
from triplewire.pipeline.lake.tables import EVENTS, REJECTS, SCHEMAS
from triplewire.pipeline.paths import local_path
from triplewire.pipeline.period import Period
from triplewire.pipeline.progress import Counts
from triplewire.pipeline.shapes import read_shapes, validating
from triplewire.pipeline.split_tasks import TaskReport

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_REJECTS = "file string, line long, event string, subscription string, reason string"
_SHOWN = 3


class ValidateRequest(Struct, frozen=True, kw_only=True):
    """A lake, and a file of shapes. A strict run fails with the first of what does not conform, and keeps nothing."""

    lake: str
    shapes: str
    since: datetime | None = None
    until: datetime | None = None
    strict: bool = False
    run_id: str | None = None


def validate(spark: SparkSession, request: ValidateRequest, listener: ProgressListener | None = None) -> Outcome:
    """Add the rejects that the lake lacks."""
    from pyspark.sql import functions as F  # noqa: N812  as everybody names it

    shapes = read_shapes(request.shapes)
    existing_lake(local_path(request.lake))
    with open_lake(local_path(request.lake)) as lake:
        run_id = request.run_id or new_run_id("validate")
        if lake.has(run_id):
            return Outcome(run_of(lake, run_id), str(lake.root), repeated=True)
        events = Period(request.since, request.until).of(read_table(spark, lake, EVENTS))
        found = _lacking(spark, lake, _found(events, shapes))
        start = RunStart(run=run_id, job="validate", inputs=[request.shapes])
        with lake.drafting(run_id) as staging, explained():

            def act() -> tuple[list[Part], int]:
                if request.strict:
                    _refuse(found)
                rows = found.withColumn("run", F.lit(run_id)).select(*SCHEMAS[REJECTS].names)
                return stage(rows, staging, REJECTS, run_id), events.select("event").distinct().count()

            gauge = ByTasks(whole=Counts(events=count_rows(lake, EVENTS)))
            parts, count = run_step(spark, listener or NoListener(), "validating", gauge, act)
            counts = Counts(events=count, rejects=rows_in(parts, REJECTS))
            run = publish(lake, start, None, TaskResults([TaskReport(parts, counts, {})]))
    return Outcome(run, str(lake.root))


def _found(events: DataFrame, shapes: bytes) -> DataFrame:
    """What does not conform; the same event in two places is validated once."""
    from pyspark.sql import functions as F  # noqa: N812

    once = events.groupBy("event", "payload").agg(F.min("source").alias("source"))
    return once.select("event", "source", "payload").mapInArrow(validating(shapes), _REJECTS)


def _lacking(spark: SparkSession, lake: Lake, found: DataFrame) -> DataFrame:
    if not lake.files(REJECTS):
        return found
    known = read_table(spark, lake, REJECTS).select("event", "reason")
    return found.join(known, ["event", "reason"], "left_anti")


def _refuse(found: DataFrame) -> None:
    rows = found.limit(_SHOWN).collect()
    if rows:
        raise BadInputRefused(len(rows), tuple(f"{row.file}: {row.event}: {row.reason}" for row in rows))
