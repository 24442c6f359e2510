"""What is done with each micro-batch, whatever its source: fill, publish as one commit, deliver.

A driver that is killed at any moment repeats its last micro-batch when it comes back. If the commit was decided, it is
not filled again, else nothing of it was visible; either way its notifications are delivered, which does no harm twice.
A repeat is known by its inputs (see `committed_inputs`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from triplewire.errors import BadInputRefused, InputError, LakeError, PipelineError, StreamStopped
from triplewire.pipeline.failures import explained
from triplewire.pipeline.jobs.event_rows import EventRows
from triplewire.pipeline.jobs.run_records import RunStart, publish
from triplewire.pipeline.jobs.stream.committed_inputs import CommittedInputs, commit_of, committed_inputs, stamp
from triplewire.pipeline.jobs.stream.index_refresh import RefreshedIndex
from triplewire.pipeline.jobs.stream.request import StreamRequest
from triplewire.pipeline.jobs.stream.stop_signal import StopSignal
from triplewire.pipeline.jobs.table_fill import TableFill
from triplewire.pipeline.jobs.task_runner import ProgressListener, TaskResults
from triplewire.pipeline.lake.commit_names import CommitName
from triplewire.pipeline.lake.event_lake import Lake
from triplewire.pipeline.lake.table_writers import Draft
from triplewire.pipeline.sources.files import SourceFile, source_file
from triplewire.pipeline.sources.options import DEFAULT_READ_OPTIONS, ReadOptions
from triplewire.pipeline.sources.split_reader import Reject
from triplewire.pipeline.storage.location import Location
from triplewire.pipeline.strategies.strategy import Strategy

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class StreamSummary(Struct, frozen=True):
    """What a stream has done while it was watched. `delivered` counts notifications, by sink and with repeats."""

    lake: str
    batches: int = 0
    events: int = 0
    matches: int = 0
    rejects: int = 0
    delivered: int = 0
    quarantined: dict[str, str] = {}


class FilledBatch(Struct, frozen=True):
    """What the tasks did, where it came from, and what could not be read at all."""

    results: TaskResults
    inputs: list[str]
    rejects: list[Reject] = []


Fill = Callable[[TableFill], FilledBatch]


def fill_from_files(files: list[SourceFile], missing: list[Reject]) -> Fill:
    """Fill a micro-batch from files."""
    paths = sorted([*(file.path for file in files), *(reject.file for reject in missing if reject.file)])
    return lambda tables: FilledBatch(tables.from_files(files), paths, missing)


def fill_from_rows(rows: EventRows, inputs: list[str], rejects: list[Reject]) -> Fill:
    """Fill a micro-batch from rows of events."""
    return lambda tables: FilledBatch(tables.from_rows(rows), inputs, rejects)


def not_again(tables: TableFill) -> FilledBatch:
    """For a micro-batch that the lake has, and that is taken only to be delivered."""
    raise PipelineError(wanted=f"the {tables.step} in the lake", found="that it was removed meanwhile")


class MicroBatch(Struct, frozen=True):
    """What there is to do: `fill`, or `passed_over` for one that the lake has already.

    `inputs` name exactly what it reads. If the lake has other ones under its number, `instead` says what to do.
    """

    number: int
    inputs: list[str]
    fill: Fill
    passed_over: Callable[[], None] = lambda: None
    instead: Callable[[CommittedInputs], str] = lambda _: "--name OTHER --out ANOTHER_LAKE"


class MicroBatches:
    """Takes one micro-batch after the other, on whatever thread they come."""

    def __init__(
        self, spark: SparkSession, lake: Lake, request: StreamRequest, listener: ProgressListener, stop: StopSignal
    ) -> None:
        self._spark = spark
        self._lake = lake
        self._request = request
        self._listener = listener
        self._stop = stop
        self._index = RefreshedIndex(spark, request, lake)
        self._busy = threading.Lock()
        self.summary = StreamSummary(lake.root.uri)
        self.failure: BaseException | None = None

    def take(self, batch: MicroBatch) -> None:
        """Take a micro-batch."""
        with self._one_at_a_time():
            self._take(batch)

    def take_files(self, paths: list[str], reading: ReadOptions = DEFAULT_READ_OPTIONS) -> None:
        """Take the files that the lake does not have. Notifications of those that it has are delivered again."""
        with self._one_at_a_time():
            found, missing = _existing(paths, reading)
            known = self.committed
            again = sorted({number for file in found if (number := known.number(file)) is not None})
            fresh = [file for file in found if known.number(file) is None]
            gone = [reject for reject in missing if reject.file and not known.knows(reject.file)]
            for number in again:
                self._deliver(commit_of(self._request.name, number))
            if fresh or gone:
                stamps = [*map(stamp, fresh), *(str(reject.file) for reject in gone)]
                self._take(MicroBatch(known.next, stamps, fill_from_files(fresh, gone)))

    @cached_property
    def committed(self) -> CommittedInputs:
        """What the lake has of this stream."""
        return committed_inputs(self._lake, self._request.name)

    @contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        with self._busy:
            if self._stop.asked:
                raise StreamStopped("the stream stops")
            try:
                yield
            except BaseException as error:
                # What crosses Spark on its way back to the caller loses its type and gains a stack.
                self.failure = error
                raise

    def wait(self) -> None:
        """Wait for the micro-batch that is under way."""
        with self._busy:
            return

    def _take(self, batch: MicroBatch) -> None:
        commit = commit_of(self._request.name, batch.number)
        if self._lake.has(commit):
            self._require_repeat(batch, self._lake.run_row(commit).stamps)
            batch.passed_over()
        else:
            self._fill(batch, commit)
            self.committed.add(batch.number, batch.inputs)
        self._deliver(commit)

    def _require_repeat(self, batch: MicroBatch, known: list[str]) -> None:
        if batch.inputs == known:
            return
        lake, name = self._lake, self._request.name
        raise LakeError(
            wanted=f"in micro-batch {batch.number} of the stream {name} what the lake has of it, {_shown(known)}",
            found=f"{_shown(batch.inputs)}: its checkpoint was removed or changed. "
            f"Put it back as {lake.streams / name}, or begin another stream: {batch.instead(self.committed)}",
            source=lake.root.uri,
        )

    def _deliver(self, commit: CommitName) -> None:
        for sink in self._request.sinks:
            count = sink.deliver(self._spark, self._lake, commit, self._stop)
            self.summary = msgspec.structs.replace(self.summary, delivered=self.summary.delivered + count)

    def _tables(self, strategy: Strategy, draft: Draft, batch: MicroBatch) -> TableFill:
        return TableFill(
            spark=self._spark,
            strategy=strategy,
            draft=draft,
            step=f"micro-batch {batch.number}",
            strict=self._request.strict,
            listener=self._listener,
        )

    def _fill(self, batch: MicroBatch, commit: CommitName) -> None:
        request, number, started = self._request, batch.number, datetime.now(UTC)
        loaded = self._index.current()
        with self._lake.drafting(commit) as draft, explained():
            filled = batch.fill(self._tables(loaded.strategy, draft, batch))
            if request.strict and filled.rejects:
                raise BadInputRefused(len(filled.rejects), tuple(str(r.reason) for r in filled.rejects[:3]))
            rejects = [*filled.rejects, *self._index.unrecorded_rejects()]
            # Workers keep who is quarantined, and say so again with every micro-batch.
            results = filled.results.without(self.summary.quarantined)
            start = RunStart(
                run=request.name,
                job="stream",
                inputs=filled.inputs,
                stamps=batch.inputs,
                batch=number,
                started=started,
            )
            run = publish(self._lake, draft, start, loaded.strategy, results, rejects)
        # Another driver of the same stream may have been first.
        self._require_repeat(batch, run.stamps)
        so_far = self.summary
        self.summary = msgspec.structs.replace(
            so_far,
            batches=so_far.batches + 1,
            events=so_far.events + run.events,
            matches=so_far.matches + run.matches,
            rejects=so_far.rejects + run.rejects,
            quarantined={**so_far.quarantined, **filled.results.quarantined},
        )


def _existing(paths: list[str], reading: ReadOptions) -> tuple[list[SourceFile], list[Reject]]:
    """The files that are there; one that is gone is a reject."""
    found, missing = [], []
    for path in paths:
        try:
            found.append(source_file(Location.of(path, reading.storage), reading))
        except (FileNotFoundError, InputError) as problem:
            # Gone since it was listed: it will not come back by waiting.
            missing.append(Reject(path, None, None, None, str(problem)))
    return found, missing


def _shown(inputs: list[str]) -> str:
    more = f" and {len(inputs) - 1} more" if len(inputs) > 1 else ""
    return f"{inputs[0]}{more}" if inputs else "nothing"
