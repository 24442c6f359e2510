"""Write a DataFrame into a lake: each task writes files of a table, and the driver's side commits them, all or nothing.

A batch is one commit, named by the option `runId` or anew. A stream's micro-batch is one, named by the option `name`
and Spark's number for it; Spark repeats a micro-batch after a failure, and a lake that has its commit leaves it as it
is. What is written is merged with what is there (see `merging`).
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import msgspec
import pyarrow as pa
from msgspec import Struct
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter, WriterCommitMessage

from triplewire.pipeline.jobs.run_records import RunStart, publish
from triplewire.pipeline.jobs.task_runner import TaskResults
from triplewire.pipeline.lake.commit_names import CommitName
from triplewire.pipeline.lake.dataframes import rows_in
from triplewire.pipeline.lake.event_lake import open_lake
from triplewire.pipeline.lake.table_writers import Draft, Part, TableWriter
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS, REJECTS
from triplewire.pipeline.progress import Counts
from triplewire.pipeline.sinks.merging import merged
from triplewire.pipeline.sinks.written_rows import WrittenRows, events_in, notifications_in
from triplewire.pipeline.split_tasks import TaskReport
from triplewire.pipeline.storage.files import delete_file
from triplewire.pipeline.storage.location import Location

JOB = "write"
_BATCH_NUMBER = "streaming.sql.batchId"

Batches = Iterator[pa.RecordBatch]


class Target(Struct, frozen=True):
    """Which table of which lake, by which run. `attempt` is in the names of this writer's files."""

    lake: Location
    table: str
    run: str
    started: datetime
    attempt: str

    def draft(self, batch: int | None) -> Draft:
        """Where the files of a commit go. Tasks and driver make the same one."""
        name = CommitName(self.run, batch)
        return Draft(self.lake, f"{name.label}-{self.attempt}", name.run, name.batch)


def new_target(lake: Location, table: str, run: str) -> Target:
    """A target for a new writer; the lake is made, or refused if it is none."""
    open_lake(lake)
    return Target(lake, table, run, datetime.now(UTC), uuid.uuid4().hex[:8])


class PartsWritten(WriterCommitMessage):
    """The files that a task has written."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = [msgspec.msgpack.encode(part) for part in parts]


class LakeBatchWriter(DataSourceArrowWriter):
    """`df.write`."""

    def __init__(self, target: Target) -> None:
        self._target = target

    def write(self, iterator: Batches) -> WriterCommitMessage:
        return _written(self._target, self._target.draft(None), iterator)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        _commit(self._target, None, messages)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        _abandon(self._target, messages)


class LakeStreamWriter(DataSourceStreamArrowWriter):
    """`df.writeStream`."""

    def __init__(self, target: Target) -> None:
        self._target = target

    def write(self, iterator: Batches) -> WriterCommitMessage:
        task = TaskContext.get()
        number = None if task is None else task.getLocalProperty(_BATCH_NUMBER)
        return _written(self._target, self._target.draft(int(number or 0)), iterator)

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803  Spark's name
        _commit(self._target, batchId, messages)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        _abandon(self._target, messages)


def _written(target: Target, draft: Draft, batches: Batches) -> PartsWritten:
    task = TaskContext.get()
    number = 0 if task is None else task.partitionId()
    writers = TableWriter(draft, target.table, number), TableWriter(draft, REJECTS, number)
    try:
        for found in _found(target, batches):
            writers[0].write(found.rows)
            writers[1].write(found.rejects)
        return PartsWritten([part for writer in writers if (part := writer.close()) is not None])
    except BaseException:
        for writer in writers:
            writer.abandon()
        raise


def _found(target: Target, batches: Batches) -> Iterator[WrittenRows]:
    for batch in batches:
        if target.table == EVENTS:
            yield from events_in(batch, target.started)
        else:
            yield notifications_in(batch)


def _commit(target: Target, batch: int | None, messages: Sequence[WriterCommitMessage | None]) -> None:
    lake, commit = open_lake(target.lake), CommitName(target.run, batch)
    if lake.has(commit):
        _abandon(target, messages)
        return
    parts, draft = _parts(messages), target.draft(batch)
    found = merged(lake, draft, target.table, [part for part in parts if part.table == target.table])
    kept = [*found.parts, *(part for part in parts if part.table == REJECTS)]
    counts = Counts(rows_in(kept, EVENTS), rows_in(kept, NOTIFICATIONS), rows_in(kept, REJECTS))
    start = RunStart(run=target.run, job=JOB, inputs=["a DataFrame"], batch=batch, started=target.started)
    publish(lake, draft, start, None, TaskResults([TaskReport(kept, counts, {})]), found.rejects)


def _abandon(target: Target, messages: Sequence[WriterCommitMessage | None]) -> None:
    for part in _parts(messages):
        delete_file(target.lake / part.table / part.path)


def _parts(messages: Sequence[WriterCommitMessage | None]) -> list[Part]:
    """What tasks have written; a task that failed has no message."""
    texts = [text for message in messages if isinstance(message, PartsWritten) for text in message.parts]
    return [msgspec.msgpack.decode(text, type=Part) for text in texts]
