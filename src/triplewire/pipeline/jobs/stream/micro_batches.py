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

from triplewire.errors import BadInputRefused, LakeError, Stopping
from triplewire.pipeline.failures import explained
from triplewire.pipeline.jobs.run_records import RunStart, publish
from triplewire.pipeline.jobs.stream.committed_inputs import CommittedInputs, commit_of, recorded, stamp
from triplewire.pipeline.jobs.stream.filling import Draft, Fill, by_files, looked_at
from triplewire.pipeline.jobs.stream.index_refresh import WatchedIndex
from triplewire.pipeline.jobs.stream.request import StreamRequest
from triplewire.pipeline.jobs.stream.stop_signal import StopSignal
from triplewire.pipeline.jobs.task_runner import ProgressListener
from triplewire.pipeline.lake.folder import Lake
from triplewire.pipeline.sources.options import DEFAULT_READ_OPTIONS, ReadOptions

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
        self._watcher = listener
        self._stop = stop
        self._index = WatchedIndex(spark, request, lake)
        self._busy = threading.Lock()
        self.summary = StreamSummary(str(lake.root))
        self.failure: BaseException | None = None

    def take(self, batch: MicroBatch) -> None:
        """Take a micro-batch."""
        with self._one_at_a_time():
            self._take(batch)

    def take_files(self, paths: list[str], reading: ReadOptions = DEFAULT_READ_OPTIONS) -> None:
        """Take the files that the lake does not have. Notifications of those that it has are delivered again."""
        with self._one_at_a_time():
            found, missing = looked_at(paths, reading)
            known = self.recorded
            again = sorted({number for file in found if (number := known.number(file)) is not None})
            fresh = [file for file in found if known.number(file) is None]
            gone = [reject for reject in missing if reject.file and not known.knows(reject.file)]
            for number in again:
                self._deliver(commit_of(self._request.name, number))
            if fresh or gone:
                stamps = [*map(stamp, fresh), *(str(reject.file) for reject in gone)]
                self._take(MicroBatch(known.next, stamps, by_files(fresh, gone)))

    @cached_property
    def recorded(self) -> CommittedInputs:
        """What the lake has of this stream."""
        return recorded(self._lake, self._request.name)

    @contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        with self._busy:
            if self._stop.asked:
                raise Stopping("the stream stops")
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
            self._require_repeat(batch, self._lake.commit(commit).inputs)
            batch.passed_over()
        else:
            self._fill(batch, commit)
            self.recorded.add(batch.number, batch.inputs)
        self._deliver(commit)

    def _require_repeat(self, batch: MicroBatch, known: list[str]) -> None:
        if batch.inputs == known:
            return
        lake, name = self._lake, self._request.name
        raise LakeError(
            f"{lake.root}: wanted in micro-batch {batch.number} of the stream {name} what the lake has of it, "
            f"{_shown(known)}, found {_shown(batch.inputs)}: its checkpoint was removed or changed. Put it back as "
            f"{lake.streams / name}, or begin another stream: {batch.instead(self.recorded)}"
        )

    def _deliver(self, commit: str) -> None:
        for sink in self._request.sinks:
            count = sink.deliver(self._spark, self._lake, commit, self._stop)
            self.summary = msgspec.structs.replace(self.summary, delivered=self.summary.delivered + count)

    def _fill(self, batch: MicroBatch, commit: str) -> None:
        request, number, started = self._request, batch.number, datetime.now(UTC)
        indexed = self._index.current()
        with self._lake.drafting(commit) as staging, explained():
            draft = Draft(self._spark, request.name, commit, number, staging, indexed, request.strict, self._watcher)
            filled = batch.fill(draft)
            if request.strict and filled.rejects:
                raise BadInputRefused(len(filled.rejects), tuple(str(r.reason) for r in filled.rejects[:3]))
        rejects = [*filled.rejects, *self._index.untold()]
        # Workers keep who is quarantined, and say so again with every micro-batch.
        done = filled.done.without(self.summary.quarantined)
        begun = RunStart(
            run=request.name,
            job="stream",
            inputs=filled.inputs,
            stamps=batch.inputs,
            batch=number,
            commit=commit,
            started=started,
        )
        run = publish(self._lake, begun, indexed.prepared, done, rejects)
        so_far = self.summary
        self.summary = msgspec.structs.replace(
            so_far,
            batches=so_far.batches + 1,
            events=so_far.events + run.events,
            matches=so_far.matches + run.matches,
            rejects=so_far.rejects + run.rejects,
            quarantined={**so_far.quarantined, **filled.done.quarantined},
        )


def _shown(inputs: list[str]) -> str:
    more = f" and {len(inputs) - 1} more" if len(inputs) > 1 else ""
    return f"{inputs[0]}{more}" if inputs else "nothing"
