"""`match`: files of events and subscriptions in, a lake out, all of it or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from triplewire.pipeline.failures import explained
from triplewire.pipeline.jobs.run_records import Outcome, RunStart, new_run_id, publish, run_of
from triplewire.pipeline.jobs.subscription_loading import Subscribed, read_all, read_taxonomy, subscribe
from triplewire.pipeline.jobs.task_runner import NoListener, ProgressListener, run_tasks
from triplewire.pipeline.lake.folder import Lake, open_lake, require_room
from triplewire.pipeline.paths import local_path
from triplewire.pipeline.placement import place
from triplewire.pipeline.sources.files import find_files
from triplewire.pipeline.sources.options import DEFAULT_READ_OPTIONS, ReadOptions
from triplewire.pipeline.sources.splits import plan
from triplewire.pipeline.split_tasks import TaskSpec

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REPLICATE = "replicate"


class MatchRequest(Struct, frozen=True, kw_only=True):
    """What to match, and where to. `run_id` names the run: one that the lake has already is not run again."""

    events: tuple[str, ...]
    subscriptions: tuple[str, ...]
    out: str
    taxonomy: str | None = None
    strategy: str = REPLICATE
    strict: bool = False
    append: bool = False
    run_id: str | None = None
    reading: ReadOptions = DEFAULT_READ_OPTIONS


def match_files(spark: SparkSession, request: MatchRequest, listener: ProgressListener | None = None) -> Outcome:
    """Match, and publish the run."""
    files = find_files(request.events, request.reading)
    with open_lake(local_path(request.out)) as lake:
        run_id = request.run_id or new_run_id("match")
        if not request.append:
            require_room(lake, run_id)
        if lake.has(run_id):
            return Outcome(run_of(lake, run_id), str(lake.root), repeated=True)
        if request.strategy != REPLICATE:
            from triplewire.pipeline.jobs.strategic import match_by_strategy

            return match_by_strategy(spark, request, run_id, lake, files, listener or NoListener())
        subscribed = _subscribed(request, lake)
        begun = RunStart(run=run_id, job="match", inputs=[file.path for file in files])
        tasks = plan(files, spark.sparkContext.defaultParallelism)
        with lake.drafting(run_id) as drafted, explained():
            staging = str(drafted.resolve())
            order = TaskSpec(tasks, place(spark, subscribed.index, staging), staging, run_id, request.strict)
            done = run_tasks(spark, order, listener or NoListener(), "matching")
        run = publish(lake, begun, subscribed.index, done, subscribed.rejects)
        return Outcome(run, str(lake.root), done.quarantined)


def _subscribed(request: MatchRequest, lake: Lake) -> Subscribed:
    read = read_all(request.subscriptions, strict=request.strict)
    return subscribe(read, read_taxonomy(request.taxonomy), lake.indexes, strict=request.strict)
