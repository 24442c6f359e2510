"""The log of a node as a stream: it goes on after the last position that is in the lake.

The driver reads pages into a file beside the lake's checkpoints, and the tasks read that file: the node's secret stays
with the driver. An event's source is the node's address, its time the one at which it was read.

How far the stream has come is written down before a micro-batch is filled, and after all is done with it:

    STREAM/offsets/NUMBER     which positions the micro-batch holds
    STREAM/commits/NUMBER     it is in the lake, and delivered

A stream that delivers to a node publishes events itself, its notifications. It passes those over in a log: one that
follows and feeds the same node would set itself off for ever.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from triplewire.errors import LakeError, PipelineError
from triplewire.pipeline.jobs.event_rows import files_as_rows, separate_rejects
from triplewire.pipeline.jobs.stream.committed_inputs import commit_of, end_of
from triplewire.pipeline.jobs.stream.follower_thread import followed
from triplewire.pipeline.jobs.stream.micro_batches import (
    Fill,
    FilledBatch,
    MicroBatch,
    MicroBatches,
    fill_from_rows,
    not_again,
)
from triplewire.pipeline.jobs.stream.notification_events import NAMES
from triplewire.pipeline.jobs.stream.request import EventLog, NodeLog, StreamRequest
from triplewire.pipeline.jobs.stream.retry import with_retries
from triplewire.pipeline.jobs.stream.sinks import ToNode
from triplewire.pipeline.jobs.stream.stop_signal import StopSignal
from triplewire.pipeline.jobs.table_fill import TableFill
from triplewire.pipeline.jobs.task_runner import TaskResults
from triplewire.pipeline.lake.event_lake import Lake
from triplewire.pipeline.sources.files import source_file
from triplewire.pipeline.sources.options import NODE_READ_OPTIONS
from triplewire.pipeline.sources.split_reader import Reject
from triplewire.pipeline.storage.files import (
    delete_file,
    find_file,
    list_files,
    open_output,
    read_bytes,
    replace_bytes,
)
from triplewire.pipeline.storage.location import Location

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PAGE = 1_000


class JournalEntry(Struct, frozen=True):
    """A micro-batch: everything after one position, up to another."""

    number: int
    after: int
    until: int


class Journal:
    """The entries of one stream. Only the newest matters, so only the newest two are kept."""

    def __init__(self, folder: Location) -> None:
        self._offsets, self._commits = folder / "offsets", folder / "commits"

    def last(self) -> JournalEntry | None:
        """The micro-batch that was begun last."""
        numbers = _numbers(self._offsets)
        if not numbers:
            return None
        path = self._offsets / str(numbers[-1])
        try:
            return msgspec.json.decode(read_bytes(path), type=JournalEntry)
        except msgspec.DecodeError as error:
            raise LakeError(f"the journal of the stream is damaged: {error}", source=path.uri) from None

    def is_finished(self, entry: JournalEntry) -> bool:
        return find_file(self._commits / str(entry.number)) is not None

    def begin(self, entry: JournalEntry) -> None:
        replace_bytes(self._offsets / str(entry.number), msgspec.json.encode(entry))

    def finish(self, entry: JournalEntry) -> None:
        replace_bytes(self._commits / str(entry.number), b"")
        for folder in (self._offsets, self._commits):
            for number in _numbers(folder)[:-2]:
                delete_file(folder / str(number))


def _numbers(folder: Location) -> list[int]:
    return sorted(int(file.location.name) for file in list_files(folder) if file.location.name.isdigit())


class LogPages(Struct, frozen=True):
    """What was read from a log: up to where, into which file, and what is lacking."""

    until: int
    is_last: bool
    file: Location
    gaps: list[Reject]


def follow_log(
    spark: SparkSession, request: StreamRequest, source: NodeLog, lake: Lake, batches: MicroBatches, stop: StopSignal
) -> None:
    """Stream until drained, or until asked to stop; a node that is away then is no reason to wait."""
    followed(spark, stop, lambda: _follow(spark, request, source, lake, batches, stop))


def _follow(
    spark: SparkSession, request: StreamRequest, source: NodeLog, lake: Lake, batches: MicroBatches, stop: StopSignal
) -> None:
    folder = lake.streams / request.name
    journal = Journal(folder)
    identity = source.identity(spark)
    at, number = _resumed(request, identity, lake, batches, journal)
    is_own = f"event LIKE '{NAMES}%'" if any(isinstance(sink, ToNode) for sink in request.sinks) else "false"
    while not stop.asked:
        began = time.monotonic()
        read = read_pages(source, at, folder / "read.nq", stop)
        if read.until > at:
            entry = JournalEntry(number, at, read.until)
            journal.begin(entry)
            batches.take(MicroBatch(number, _inputs(identity, entry), _fill_from_log(source, entry, read, is_own)))
            journal.finish(entry)
            at, number = read.until, number + 1
        if read.is_last:
            if request.drain:
                return
            stop.wait(max(0.0, request.every_seconds - (time.monotonic() - began)))


def _resumed(
    request: StreamRequest, identity: str, lake: Lake, batches: MicroBatches, journal: Journal
) -> tuple[int, int]:
    """Where to read on, and the number of the next micro-batch. One that is in the lake and no further is finished.

    The lake knows as well how far it is, if the journal was removed.
    """
    last = journal.last()
    if last is None:
        known = batches.committed
        if known.next:
            batches.take(MicroBatch(known.next - 1, known.last, not_again))
        return max(map(end_of, known.last), default=0), known.next
    if not lake.has(commit_of(request.name, last.number)):
        return last.after, last.number
    if not journal.is_finished(last):
        batches.take(MicroBatch(last.number, _inputs(identity, last), not_again))
        journal.finish(last)
    return last.until, last.number + 1


def _inputs(identity: str, entry: JournalEntry) -> list[str]:
    return [f"{identity} after {entry.after} until {entry.until}"]


def read_pages(source: NodeLog, after: int, file: Location, stop: StopSignal) -> LogPages:
    """LogPages what follows a position, as much as a micro-batch takes, into a file."""
    position, is_last = after, False
    gaps: list[Reject] = []
    with open_output(file) as spool:
        while not is_last and position - after < source.events_at_once:
            limit = min(_PAGE, source.events_at_once - (position - after))
            page = with_retries(lambda at=position, most=limit: source.log.read_log(at, most), stop)  # type: ignore[misc]
            if page.position < position:
                raise PipelineError(
                    wanted=f"a log that goes on after {position}",
                    found=f"one that ends at {page.position}",
                    hint="if the node was set up anew, give the stream another --name",
                    source=source.log.url,
                )
            if page.gap is not None:
                gaps.append(_gap(source.log, position, page.gap))
            spool.write(page.nquads)
            position, is_last = page.position, page.is_last
    return LogPages(position, is_last, file, gaps)


def _gap(log: EventLog, after: int, until: int) -> Reject:
    reason = f"gap: the node's retention has removed the events from position {after + 1} to {until}"
    return Reject(log.url, None, None, None, reason)


def _fill_from_log(source: NodeLog, entry: JournalEntry, read: LogPages, is_own: str) -> Fill:
    def fill(tables: TableFill) -> FilledBatch:
        from pyspark.sql import functions as F  # noqa: N812  as everybody names it

        inputs = [f"{source.log.url}{source.path}?after={entry.after}&until={entry.until}"]
        found = source_file(read.file, msgspec.structs.replace(NODE_READ_OPTIONS, storage=read.file.options))
        if not found.size:
            return FilledBatch(TaskResults([]), inputs, read.gaps)
        rows = files_as_rows(tables.spark, [found]).withColumn("source", F.lit(source.log.url))
        return fill_from_rows(separate_rejects(rows.where(f"NOT coalesce({is_own}, false)")), inputs, read.gaps)(tables)

    return fill
