"""`match`: files of events and subscriptions in, a lake out, all of it or nothing."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
from msgspec import Struct

from triplewire.pipeline.jobs.running import Done, Nobody, Watcher, quarantine_rejects, run_order, versions
from triplewire.pipeline.jobs.subscribing import Subscribed, read_all, read_taxonomy, subscribe
from triplewire.pipeline.lake.folder import Lake, open_lake, require_room
from triplewire.pipeline.lake.tables import REJECTS, RUNS, SCHEMAS, Run
from triplewire.pipeline.lake.writing import Part, write_small
from triplewire.pipeline.placement import place
from triplewire.pipeline.sources.files import find_files
from triplewire.pipeline.sources.reading import Reject
from triplewire.pipeline.sources.splits import plan
from triplewire.pipeline.tasks import Order

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


class Outcome(Struct, frozen=True):
    """What a run did. `repeated` says that the lake had it already."""

    run: Run
    lake: str
    quarantined: dict[str, str] = {}
    repeated: bool = False


def match_files(spark: SparkSession, request: MatchRequest, watcher: Watcher | None = None) -> Outcome:
    """Match, and publish the run."""
    files = find_files(request.events)
    with open_lake(Path(request.out)) as lake:
        run_id = request.run_id or new_run_id("match")
        if not request.append:
            require_room(lake, run_id)
        if lake.has(run_id):
            return Outcome(run_of(lake, run_id), str(lake.root), repeated=True)
        if request.strategy != REPLICATE:
            from triplewire.pipeline.jobs.strategic import match_by_strategy

            return match_by_strategy(spark, request, run_id, lake, files, watcher or Nobody())
        subscribed = _subscribed(request, lake)
        started = datetime.now(UTC)
        tasks = plan(files, spark.sparkContext.defaultParallelism)
        index = place(spark, subscribed.index)
        with lake.drafting(run_id) as staging:
            order = Order(tasks, index, str(staging.resolve()), run_id, request.strict)
            done = run_order(spark, order, watcher or Nobody(), "matching")
        run = described(run_id, "match", None, subscribed, done, [file.path for file in files], started)
        publish(lake, run_id, run, done, subscribed.rejects)
        return Outcome(run, str(lake.root), done.quarantined)


def _subscribed(request: MatchRequest, lake: Lake) -> Subscribed:
    read = read_all(request.subscriptions, strict=request.strict)
    return subscribe(read, read_taxonomy(request.taxonomy), lake.indexes, strict=request.strict)


def new_run_id(job: str) -> str:
    """A name for a run that nobody has named."""
    now = datetime.now(UTC)
    return f"{job}-{now:%Y%m%dT%H%M%S}-{hashlib.sha256(str(now.timestamp()).encode()).hexdigest()[:6]}"


def described(
    run_id: str,
    job: str,
    batch: int | None,
    subscribed: Subscribed,
    done: Done,
    inputs: list[str],
    started: datetime,
) -> Run:
    """The row of a run."""
    ours, sparks = versions()
    counts, index = done.counts, subscribed.index
    return Run(
        run=run_id,
        job=job,
        batch=batch,
        strategy=REPLICATE,
        index=index.version,
        taxonomy=index.taxonomy_version,
        subscriptions=index.subscriptions,
        events=counts.events,
        matches=counts.matches,
        rejects=counts.rejects + len(subscribed.rejects) + len(done.quarantined),
        quarantined=len(done.quarantined),
        inputs=inputs,
        started=started,
        finished=datetime.now(UTC),
        triplewire=ours,
        spark=sparks,
    )


def publish(lake: Lake, commit: str, run: Run, done: Done, rejects: list[Reject]) -> None:
    """Publish what the tasks wrote, the driver's rejects and the row of the run."""
    parts = [part for report in done.reports for part in report.parts]
    parts += driver_parts(lake, commit, run, [*rejects, *quarantine_rejects(done.quarantined)])
    lake.publish(commit, run.run, parts)


def driver_parts(lake: Lake, commit: str, run: Run, rejects: list[Reject]) -> list[Part]:
    """Write the row of a run, and the rejects that the driver met, into the staging folder."""
    staging = lake.root / ".staging" / commit
    parts = [Part(RUNS, f"{commit}.parquet", 1)]
    write_small(staging / RUNS / parts[0].name, pa.Table.from_pylist([msgspec.structs.asdict(run)], SCHEMAS[RUNS]))
    if rejects:
        parts.append(Part(REJECTS, f"{commit}-driver.parquet", len(rejects)))
        rows = [{**msgspec.structs.asdict(reject), "run": run.run} for reject in rejects]
        write_small(staging / REJECTS / parts[1].name, pa.Table.from_pylist(rows, SCHEMAS[REJECTS]))
    return parts


def run_of(lake: Lake, commit: str) -> Run:
    """The row of a commit that was made before."""
    import pyarrow.parquet as pq

    [row] = pq.read_table(lake.table(RUNS) / f"{commit}.parquet").to_pylist()
    return msgspec.convert(row, Run)
