"""`match`: files of events and subscriptions in, a lake out, all of it or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from triplewire.pipeline.failures import explained
from triplewire.pipeline.jobs.run_records import Outcome, RunStart, new_run_id, publish
from triplewire.pipeline.jobs.subscription_loading import load_subscriptions
from triplewire.pipeline.jobs.table_fill import TableFill
from triplewire.pipeline.jobs.task_runner import NoListener, ProgressListener
from triplewire.pipeline.lake.commit_names import CommitName
from triplewire.pipeline.lake.event_lake import open_lake, require_room
from triplewire.pipeline.sources.files import find_files
from triplewire.pipeline.sources.options import DEFAULT_READ_OPTIONS, ReadOptions
from triplewire.pipeline.storage.location import Location
from triplewire.pipeline.strategies.catalog import REPLICATE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
    storage: dict[str, str] = {}


def match_files(spark: SparkSession, request: MatchRequest, listener: ProgressListener | None = None) -> Outcome:
    """Match, and publish the run."""
    files = find_files(request.events, request.reading)
    lake = open_lake(Location.of(request.out, request.storage).absolute())
    commit = CommitName(request.run_id or new_run_id("match"))
    if not request.append:
        require_room(lake, commit.run)
    if lake.has(commit):
        return Outcome(lake.run_row(commit), lake.root.uri, repeated=True)
    loaded = load_subscriptions(spark, request, lake.indexes, request.strategy)
    start = RunStart(run=commit.run, job="match", inputs=[file.path for file in files])
    with lake.drafting(commit) as draft, explained():
        fill = TableFill(
            spark=spark,
            strategy=loaded.strategy,
            draft=draft,
            step="matching",
            strict=request.strict,
            listener=listener or NoListener(),
        )
        results = fill.from_files(files)
        run = publish(lake, draft, start, loaded.strategy, results, loaded.rejects)
    return Outcome(run, lake.root.uri, results.quarantined)
