"""`validate`: what of a lake's history does not conform to shapes, as rejects.

Each event is validated on its own, in tasks. A reject has the event, the file that it came from and what is wrong; the
event stays where it is. Doing it again adds nothing: the identity of such a reject is (event, reason).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from triplewire.errors import BadInputRefused
from triplewire.pipeline.failures import explained
from triplewire.pipeline.jobs.gauges import ByTasks
from triplewire.pipeline.jobs.questions.past import PastRequest, past_events
from triplewire.pipeline.jobs.run_records import Outcome, RunStart, new_run_id, publish
from triplewire.pipeline.jobs.task_runner import NoListener, ProgressListener, TaskResults, run_step
from triplewire.pipeline.lake.commit_names import CommitName
from triplewire.pipeline.lake.dataframes import read_table, rows_in, stage
from triplewire.pipeline.lake.event_lake import open_lake
from triplewire.pipeline.lake.states import LakeState
from triplewire.pipeline.lake.table_writers import Part
from triplewire.pipeline.lake.tables import EVENTS, REJECTS
from triplewire.pipeline.progress import Counts
from triplewire.pipeline.shapes import read_shapes, validating
from triplewire.pipeline.split_tasks import TaskReport
from triplewire.pipeline.storage.copies import files_here

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_REJECTS = "file string, line long, event string, subscription string, reason string"
_SHOWN = 3


class ValidateRequest(PastRequest, frozen=True, kw_only=True):
    """A file of shapes. A strict run fails with the first of what does not conform, and keeps nothing."""

    shapes: str
    strict: bool = False
    run_id: str | None = None


def validate(spark: SparkSession, request: ValidateRequest, listener: ProgressListener | None = None) -> Outcome:
    """Add the rejects that the lake lacks."""
    with files_here([request.shapes], request.storage) as copies:
        shapes = read_shapes(copies.paths[0], request.shapes)
    state = request.state()
    lake = open_lake(state.root)
    commit = CommitName(request.run_id or new_run_id("validate"))
    if lake.has(commit):
        return Outcome(lake.run_row(commit), lake.root.uri, repeated=True)
    events = past_events(spark, request, state, ["event", "source", "time", "payload"])
    found = _lacking(spark, lake.state(), _found(events, shapes))
    start = RunStart(run=commit.run, job="validate", inputs=[request.shapes])
    with lake.drafting(commit) as draft, explained():

        def act() -> tuple[list[Part], int]:
            if request.strict:
                _refuse(found)
            return stage(found, draft, REJECTS), events.select("event").distinct().count()

        gauge = ByTasks(whole=Counts(events=state.count(EVENTS)))
        parts, count = run_step(spark, listener or NoListener(), "validating", gauge, act)
        counts = Counts(events=count, rejects=rows_in(parts, REJECTS))
        run = publish(lake, draft, start, None, TaskResults([TaskReport(parts, counts, {})]))
    return Outcome(run, lake.root.uri)


def _found(events: DataFrame, shapes: bytes) -> DataFrame:
    """What does not conform; the same event in two places is validated once."""
    from pyspark.sql import functions as F  # noqa: N812  as everybody names it

    once = events.groupBy("event", "payload").agg(F.min("source").alias("source"))
    return once.select("event", "source", "payload").mapInArrow(validating(shapes), _REJECTS)


def _lacking(spark: SparkSession, state: LakeState, found: DataFrame) -> DataFrame:
    if not state.files(REJECTS):
        return found
    known = read_table(spark, state, REJECTS, ["event", "reason"])
    return found.join(known, ["event", "reason"], "left_anti").select(*found.columns)


def _refuse(found: DataFrame) -> None:
    rows = found.limit(_SHOWN).collect()
    if rows:
        raise BadInputRefused(len(rows), tuple(f"{row.file}: {row.event}: {row.reason}" for row in rows))
