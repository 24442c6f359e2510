"""A run of any job: its name, its row in `runs`, and how everything that it wrote becomes visible as one commit."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version

import msgspec
from msgspec import Struct, field

from triplewire.pipeline.jobs.task_runner import TaskResults
from triplewire.pipeline.lake.commit_names import CommitName
from triplewire.pipeline.lake.delta_tables import TableFile
from triplewire.pipeline.lake.event_lake import Lake
from triplewire.pipeline.lake.table_writers import Draft, write_rows
from triplewire.pipeline.lake.tables import REJECTS, Run
from triplewire.pipeline.sources.split_reader import Reject
from triplewire.pipeline.strategies.strategy import Strategy


class Outcome(Struct, frozen=True):
    """What a run did. `repeated` says that the lake had it already."""

    run: Run
    lake: str
    quarantined: dict[str, str] = {}
    repeated: bool = False


class RunStart(Struct, frozen=True, kw_only=True):
    """A run that has begun. A stream commits micro-batch by micro-batch; every other run is one commit of its name.

    `inputs` are for people to read, `stamps` are the same as exactly as a repeat is to be known by.
    """

    run: str
    job: str
    inputs: list[str]
    stamps: list[str] = []
    batch: int | None = None
    started: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def commit(self) -> CommitName:
        return CommitName(self.run, self.batch)


def new_run_id(job: str) -> str:
    """A name for a run that nobody has named."""
    now = datetime.now(UTC)
    return f"{job}-{now:%Y%m%dT%H%M%S}-{hashlib.sha256(str(now.timestamp()).encode()).hexdigest()[:6]}"


def publish(
    lake: Lake,
    draft: Draft,
    start: RunStart,
    strategy: Strategy | None,
    results: TaskResults,
    rejects: Sequence[Reject] = (),
    removes: Mapping[str, list[TableFile]] | None = None,
    covers: Sequence[CommitName] = (),
    seen: int = -1,
) -> Run:
    """Publish what the tasks wrote, the driver's rejects and the row of the run; `removes` are files that go with it.

    `covers` are commits that `quads` has with this one, if it still has the version that was `seen`. `strategy` is the
    one that was used, if any. Returns the row.
    """
    run = _row(start, strategy, results, len(rejects))
    parts = [part for report in results.reports for part in report.parts]
    rows = [msgspec.structs.asdict(reject) for reject in (*rejects, *_quarantine_rejects(results.quarantined))]
    ours = write_rows(msgspec.structs.replace(draft, run=run.run, batch=run.batch), REJECTS, rows)
    return lake.publish(start.commit, run, parts if ours is None else [*parts, ours], dict(removes or {}), covers, seen)


def _row(start: RunStart, strategy: Strategy | None, results: TaskResults, rejects: int) -> Run:
    index = None if strategy is None else strategy.index
    return Run(
        run=start.run,
        job=start.job,
        batch=start.batch,
        strategy="" if strategy is None else strategy.name,
        index=None if index is None else index.version,
        taxonomy=None if index is None else index.taxonomy_version,
        subscriptions=0 if index is None else index.subscriptions,
        events=results.counts.events,
        matches=results.counts.matches,
        rejects=results.counts.rejects + rejects + len(results.quarantined),
        quarantined=len(results.quarantined),
        inputs=start.inputs,
        started=start.started,
        finished=datetime.now(UTC),
        triplewire=version("triplewire"),
        spark=version("pyspark"),
        stamps=start.stamps,
    )


def _quarantine_rejects(quarantined: Mapping[str, str]) -> list[Reject]:
    """What a run keeps of subscriptions that exceeded their budget: each once, however many workers found out."""
    return [Reject(None, None, None, name, f"quarantined: {why}") for name, why in quarantined.items()]
