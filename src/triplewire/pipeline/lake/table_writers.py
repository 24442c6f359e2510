"""Parts of tables, written by tasks where the table is: one file a table and task, under a name that no other has.

Nothing reads a file before a commit names it.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, Self

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct

from triplewire.pipeline.lake.statistics import statistics_of
from triplewire.pipeline.lake.tables import COUNTED, EVENTS, NOTIFICATIONS, QUADS, REJECTS, RUNS, SCHEMAS
from triplewire.pipeline.storage.file_systems import explained
from triplewire.pipeline.storage.files import delete_file, find_file, open_output
from triplewire.pipeline.storage.location import Location
from triplewire.rdf.limits import MIB

_COMPRESSION, _LEVEL = "zstd", 1
_ROW_GROUP_BYTES = 32 * MIB
# A row group is the least that a task reads.
ROWS_A_GROUP = 50_000
# Columns whose values repeat. A dictionary of payloads or event names would only be in the way.
_REPETITIVE = {
    EVENTS: ["source", "time", "run", "batch"],
    QUADS: ["subject", "predicate", "object", "event", "run", "batch"],
    NOTIFICATIONS: ["subscription", "time", "lane", "run", "batch"],
    REJECTS: ["file", "reason", "run", "batch"],
    RUNS: ["run", "job"],
}
PART_COLUMNS = "part binary"
_PART_SCHEMA = pa.schema([("part", pa.binary())])


class Part(Struct, frozen=True):
    """A file that a task has written for a table, by its path under the table, and what Delta is told of it."""

    table: str
    path: str
    rows: int
    size: int
    modified: int
    statistics: str


class Draft(Struct, frozen=True):
    """Where the files of one attempt at a commit go: `folder` is a folder of every table of the lake.

    `run` and `batch` are in its rows; None for rows that say so themselves.
    """

    lake: Location
    folder: str
    run: str | None = None
    batch: int | None = None

    @property
    def progress(self) -> Location:
        """Where tasks write how far they are."""
        return self.lake / "_triplewire" / "progress" / self.folder


class TableWriter:
    """One part of one table. The file is made with the first row: a task that has nothing to say leaves none."""

    def __init__(self, draft: Draft, table: str, task: int = 0) -> None:
        self._draft = draft
        self._table = table
        self._path = f"{draft.folder}/{task:05}-{uuid.uuid4().hex[:12]}.parquet"
        self._location = draft.lake / table / self._path
        self._schema = SCHEMAS[table]
        self._pending: list[pa.Table] = []
        self._bytes = self._rows_pending = 0
        self._writer: pq.ParquetWriter | None = None
        self._sink: pa.NativeFile | None = None
        self._metadata: list[pq.FileMetaData] = []
        self.rows = 0

    def write(self, rows: pa.Table | pa.RecordBatch) -> None:
        """Add rows, which have the table's columns save `run` and `batch`, or also those if the draft has none."""
        if not len(rows):
            return
        self._pending.append(self._whole(rows))
        self._bytes += rows.nbytes
        self._rows_pending += len(rows)
        self.rows += len(rows)
        if self._bytes >= _ROW_GROUP_BYTES or self._rows_pending >= ROWS_A_GROUP:
            self._flush()

    def close(self) -> Part | None:
        """Finish the file; returns what was written, if anything."""
        self._flush()
        if self._writer is None or self._sink is None:
            return None
        with explained(self._location, "write a file"):
            self._writer.close()
            self._sink.close()
        [metadata] = self._metadata
        statistics = statistics_of(metadata, COUNTED[self._table])
        found = find_file(self._location)
        size = 0 if found is None else found.size
        return Part(self._table, self._path, self.rows, size, time.time_ns() // 1_000_000, statistics)

    def abandon(self) -> None:
        """Let go of the file, and of what was written."""
        if self._writer is not None and self._sink is not None:
            self._writer.close()
            self._sink.close()
            delete_file(self._location)

    def _whole(self, rows: pa.Table | pa.RecordBatch) -> pa.Table:
        names = self._schema.names
        columns: list[Any] = [rows.column(name) for name in names if name not in ("run", "batch")]
        if self._draft.run is not None and self._table != RUNS:
            size = len(rows)
            columns += [pa.repeat(self._draft.run, size), pa.repeat(pa.scalar(self._draft.batch, pa.int64()), size)]
        else:
            columns = [rows.column(name) for name in names]
        return pa.table([_as(column, field) for column, field in zip(columns, self._schema, strict=True)], self._schema)

    def _flush(self) -> None:
        if not self._pending:
            return
        with explained(self._location, "write a file"):
            self._open().write_table(pa.concat_tables(self._pending))
        self._pending, self._bytes, self._rows_pending = [], 0, 0

    def _open(self) -> pq.ParquetWriter:
        if self._writer is None:
            self._sink = open_output(self._location)
            self._writer = pq.ParquetWriter(
                self._sink,
                self._schema,
                compression=_COMPRESSION,
                compression_level=_LEVEL,
                use_dictionary=_REPETITIVE[self._table],
                write_statistics=list(COUNTED[self._table]),
                metadata_collector=self._metadata,
            )
        return self._writer


class Writers:
    """A writer for each of the tables that a task fills, as one block."""

    def __init__(self, draft: Draft, task: int) -> None:
        self.events = TableWriter(draft, EVENTS, task)
        self.notifications = TableWriter(draft, NOTIFICATIONS, task)
        self.rejects = TableWriter(draft, REJECTS, task)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if error is not None:
            for writer in self._all():
                writer.abandon()

    def close(self) -> list[Part]:
        """Finish every file."""
        return [part for writer in self._all() if (part := writer.close()) is not None]

    def _all(self) -> tuple[TableWriter, ...]:
        return self.events, self.notifications, self.rejects


def writing(draft: Draft, table: str) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that writes rows in the tasks; it returns a row for each file."""

    def write(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        task = TaskContext.get()
        writer = TableWriter(draft, table, 0 if task is None else task.partitionId())
        try:
            for batch in batches:
                writer.write(batch)
            part = writer.close()
        except BaseException:
            writer.abandon()
            raise
        if part is not None:
            yield pa.RecordBatch.from_arrays([pa.array([msgspec.msgpack.encode(part)])], schema=_PART_SCHEMA)

    return write


def write_rows(draft: Draft, table: str, rows: list[dict[str, Any]]) -> Part | None:
    """Write a file of a few rows."""
    writer = TableWriter(draft, table)
    if rows:
        names = [name for name in SCHEMAS[table].names if name in rows[0]]
        writer.write(pa.Table.from_pylist(rows, pa.schema([SCHEMAS[table].field(name) for name in names])))
    return writer.close()


def _as(column: Any, field: pa.Field) -> Any:
    return column if column.type == field.type else column.cast(field.type)
