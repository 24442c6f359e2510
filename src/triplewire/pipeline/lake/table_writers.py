"""Parts of tables, written by tasks: one file a table and task, under a name that no other attempt has."""

from __future__ import annotations

import uuid
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct

from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS, QUADS, REJECTS, RUNS, SCHEMAS
from triplewire.rdf.limits import MIB

_COMPRESSION, _LEVEL = "zstd", 1
_ROW_GROUP_BYTES = 32 * MIB
# Columns whose values repeat. A dictionary of payloads or event names would only be in the way.
_REPETITIVE = {
    EVENTS: ["source", "time", "run"],
    QUADS: ["subject", "predicate", "object", "event", "run"],
    NOTIFICATIONS: ["subscription", "time", "lane", "run"],
    REJECTS: ["file", "reason", "run"],
    RUNS: ["run", "job"],
}


class Part(Struct, frozen=True):
    """A file that a task has written for a table, by its name in the staging folder."""

    table: str
    name: str
    rows: int


class TableWriter:
    """One part of one table. The file is made with the first row: a task that has nothing to say leaves none."""

    def __init__(self, staging: Path, table: str, run: str, label: str) -> None:
        self._table = table
        self._run = run
        self._folder = staging / table
        self._name = f"{label}-{uuid.uuid4().hex[:12]}.parquet"
        self._pending: list[pa.Table] = []
        self._bytes = 0
        self._writer: pq.ParquetWriter | None = None
        self.rows = 0

    def write(self, rows: pa.Table) -> None:
        """Add rows, which have the table's columns save `run`."""
        if not len(rows):
            return
        self._pending.append(rows)
        self._bytes += rows.nbytes
        self.rows += len(rows)
        if self._bytes >= _ROW_GROUP_BYTES:
            self._flush()

    def close(self) -> Part | None:
        """Finish the file; returns what was written, if anything."""
        self._flush()
        if self._writer is None:
            return None
        self._writer.close()
        return Part(self._table, self._name, self.rows)

    def abandon(self) -> None:
        """Let go of the file. It stays in the staging folder, and nobody will publish it."""
        if self._writer is not None:
            self._writer.close()

    def _flush(self) -> None:
        if not self._pending:
            return
        rows = pa.concat_tables(self._pending)
        run = pa.repeat(self._run, len(rows))
        columns = [*(rows.column(name) for name in SCHEMAS[self._table].names[:-1]), run]
        self._open().write_table(pa.Table.from_arrays(columns, schema=SCHEMAS[self._table]))
        self._pending, self._bytes = [], 0

    def _open(self) -> pq.ParquetWriter:
        if self._writer is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._writer = pq.ParquetWriter(
                self._folder / self._name,
                SCHEMAS[self._table],
                compression=_COMPRESSION,
                compression_level=_LEVEL,
                use_dictionary=_REPETITIVE[self._table],
                write_statistics=True,
            )
        return self._writer


class Writers:
    """A writer for each of the tables that a task fills, as one block."""

    def __init__(self, staging: Path, run: str, label: str) -> None:
        self.events = TableWriter(staging, EVENTS, run, label)
        self.notifications = TableWriter(staging, NOTIFICATIONS, run, label)
        self.rejects = TableWriter(staging, REJECTS, run, label)

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


def write_small(path: Path, rows: pa.Table) -> None:
    """Write a table of a few rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows, path, compression=_COMPRESSION)
