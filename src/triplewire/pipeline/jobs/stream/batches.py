"""What is done with each micro-batch, whatever its source: fill, publish as one commit, deliver.

A driver that is killed at any moment repeats its last micro-batch when it comes back. If the commit was decided, it is
not filled again, else nothing of it was visible; either way its notifications are delivered, which does no harm twice.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from triplewire.errors import BadInputRefused
from triplewire.pipeline.jobs.running import Watcher, explained
from triplewire.pipeline.jobs.runs import Begun, publish
from triplewire.pipeline.jobs.stream.asking import StreamRequest
from triplewire.pipeline.jobs.stream.filling import Draft, Fill
from triplewire.pipeline.jobs.stream.indexing import WatchedIndex
from triplewire.pipeline.jobs.stream.stopping import Stopping, StopSign
from triplewire.pipeline.lake.folder import Lake

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Streamed(Struct, frozen=True):
    """What a stream has done while it was watched. `delivered` counts notifications, by sink and with repeats."""

    lake: str
    batches: int = 0
    events: int = 0
    matches: int = 0
    rejects: int = 0
    delivered: int = 0
    quarantined: dict[str, str] = {}


class MicroBatches:
    """Takes one micro-batch after the other, on whatever thread they come."""

    def __init__(
        self, spark: SparkSession, lake: Lake, request: StreamRequest, watcher: Watcher, stop: StopSign
    ) -> None:
        self._spark = spark
        self._lake = lake
        self._request = request
        self._watcher = watcher
        self._stop = stop
        self._index = WatchedIndex(spark, request, lake)
        self._busy = threading.Lock()
        self.summary = Streamed(str(lake.root))
        self.failure: BaseException | None = None

    def take(self, number: int, fill: Fill, passed_over: Callable[[], None] = lambda: None) -> None:
        """Take a micro-batch. `passed_over` is called instead of `fill` for one that the lake has already."""
        with self._busy:
            try:
                self._take(number, fill, passed_over)
            except BaseException as error:
                # What crosses Spark on its way back to the caller loses its type and gains a stack.
                self.failure = error
                raise

    def wait(self) -> None:
        """Wait for the micro-batch that is under way."""
        with self._busy:
            return

    def _take(self, number: int, fill: Fill, passed_over: Callable[[], None]) -> None:
        if self._stop.asked:
            raise Stopping("the stream stops")
        commit = commit_of(self._request.name, number)
        if self._lake.has(commit):
            passed_over()
        else:
            self._fill(number, commit, fill)
        for sink in self._request.sinks:
            count = sink.deliver(self._spark, self._lake, commit, self._stop)
            self.summary = msgspec.structs.replace(self.summary, delivered=self.summary.delivered + count)

    def _fill(self, number: int, commit: str, fill: Fill) -> None:
        request, started = self._request, datetime.now(UTC)
        indexed = self._index.current()
        with self._lake.drafting(commit) as staging, explained():
            draft = Draft(self._spark, request.name, commit, number, staging, indexed, request.strict, self._watcher)
            filled = fill(draft)
            if request.strict and filled.rejects:
                raise BadInputRefused(len(filled.rejects), tuple(str(r.reason) for r in filled.rejects[:3]))
        rejects = [*filled.rejects, *self._index.untold()]
        # Workers keep who is quarantined, and say so again with every micro-batch.
        done = filled.done.without(self.summary.quarantined)
        begun = Begun(
            run=request.name, job="stream", inputs=filled.inputs, batch=number, commit=commit, started=started
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


def commit_of(name: str, number: int) -> str:
    """The name of a micro-batch's commit."""
    return f"{name}-{number:08}"
