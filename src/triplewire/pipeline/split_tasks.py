"""What a task of a batch or a micro-batch does: read its splits, match, write its part of each table, report.

Rows never pass through the JVM: a task reads its byte ranges, and writes Parquet, itself. The driver gets one row a
task, and publishes the files that those rows name: files of attempts that failed, or were repeated, are never named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec
import pyarrow as pa
from msgspec import Struct

from triplewire.errors import BadInputRefused
from triplewire.matching.batch import MatchBatch
from triplewire.matching.matcher import Matcher
from triplewire.matching.scanning.event_limits import within
from triplewire.matching.scanning.scanner import scan
from triplewire.pipeline.index import IndexRef
from triplewire.pipeline.lake.table_writers import Draft, Part, Writers
from triplewire.pipeline.payloads import match_rows
from triplewire.pipeline.placement import matcher_of
from triplewire.pipeline.progress import Counts, TaskProgress
from triplewire.pipeline.rows import REJECT_SCHEMA
from triplewire.pipeline.sources.chunk_rows import event_rows, rejects_of
from triplewire.pipeline.sources.event_times import event_times
from triplewire.pipeline.sources.split_reader import LocatedChunk, Reject, read_split
from triplewire.pipeline.sources.splits import Split, Task

REPORT_COLUMNS = "report binary"
_REPORT_SCHEMA = pa.schema([("report", pa.binary())])


class TaskReport(Struct, frozen=True):
    """What a task has done, for the driver."""

    parts: list[Part]
    counts: Counts
    quarantined: dict[str, str]


class TaskSpec(Struct, frozen=True):
    """What every task of a run needs to know."""

    tasks: list[Task]
    index: IndexRef
    draft: Draft
    strict: bool = False


def task_function(spec: TaskSpec) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that runs in the tasks; its rows are numbers of `spec.tasks`."""
    message = msgspec.msgpack.encode(spec)

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        here = msgspec.msgpack.decode(message, type=TaskSpec)
        for batch in batches:
            for number in batch.column(0).to_pylist():
                report = run_task(here, number)
                yield pa.RecordBatch.from_arrays([pa.array([msgspec.msgpack.encode(report)])], schema=_REPORT_SCHEMA)

    return run


def importing(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Does nothing in a task, save that the task has to import this module for it."""
    yield from batches


def run_task(spec: TaskSpec, number: int) -> TaskReport:
    """Do one task of a spec."""
    matcher = matcher_of(spec.index)
    progress = TaskProgress(spec.draft.progress)
    with Writers(spec.draft, number) as writers:
        counts = Counts()
        for split in spec.tasks[number]:
            until = counts.bytes + split.end - split.start
            for piece in read_split(split):
                counts += _take(piece, split, matcher, writers)
                counts.bytes = min(counts.bytes, until)
                progress.write_throttled(counts)
                _refuse(spec, writers, piece)
            counts.bytes = until
        progress.write(counts)
        # Other workers find out about the same subscriptions: the driver keeps each of them once.
        return TaskReport(writers.close(), counts, dict(matcher.quarantined))


def _take(piece: LocatedChunk | Reject, split: Split, matcher: Matcher, writers: Writers) -> Counts:
    if isinstance(piece, Reject):
        writers.rejects.write(_reject_rows([piece]))
        return Counts(rejects=1)
    batch = matcher.match_nquads(piece.chunk.data, split.options.limits)
    rows, notifications = event_rows(batch.scanned, split), _notifications(batch, split)
    rejects = rejects_of(piece, batch.scanned)
    writers.events.write(rows)
    writers.notifications.write(notifications)
    writers.rejects.write(_reject_rows(rejects))
    # A compressed file holds more than its size; the caller knows where to stop.
    return Counts(len(rows), len(notifications), len(rejects), len(piece.chunk.data))


def _notifications(batch: MatchBatch, split: Split) -> pa.Table:
    matches = batch.to_arrow()
    times = event_times(batch.scanned, split.options.event_time, split.modified)
    return match_rows(matches, times.take(matches["event_index"]))


def _reject_rows(rejects: Sequence[Reject]) -> pa.Table:
    return pa.Table.from_pylist([msgspec.structs.asdict(reject) for reject in rejects], schema=REJECT_SCHEMA)


def _refuse(spec: TaskSpec, writers: Writers, piece: LocatedChunk | Reject) -> None:
    """A strict run ends at the first bad input."""
    if spec.strict and writers.rejects.rows:
        raise BadInputRefused(writers.rejects.rows, tuple(_first_reasons(piece)))


def _first_reasons(piece: LocatedChunk | Reject) -> Iterator[str]:
    if isinstance(piece, Reject):
        yield reject_line(piece)
        return
    for reject in rejects_of(piece, within(scan(piece.chunk.data), piece.split.options.limits))[:3]:
        yield reject_line(reject)


def reject_line(reject: Reject) -> str:
    """A reject in one line."""
    place = ":".join(str(part) for part in (reject.file, reject.line) if part is not None)
    return f"{place or reject.subscription}: {reject.reason}"
