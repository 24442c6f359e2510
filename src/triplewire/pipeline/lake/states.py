"""All tables as of the same moment: the files of commits that are complete, and of none that is not.

`runs` gets its row last, so what it has is complete in the other tables. Files of a commit that it lacks are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable

from triplewire.errors import InputError, LakeError
from triplewire.pipeline.lake.commit_names import CommitName, commit_of_file
from triplewire.pipeline.lake.delta_tables import LakeTable, TableFile, files_of, transaction_in, version_of
from triplewire.pipeline.lake.tables import RUNS, SCHEMAS, TABLES
from triplewire.pipeline.storage.files import open_range
from triplewire.pipeline.storage.location import Location

_ATTEMPTS = 20
_ROWS_AT_ONCE = 10_000


class LakeState:
    """The tables of a lake as of one moment."""

    def __init__(self, root: Location, tables: dict[str, DeltaTable | None]) -> None:
        self.root = root
        self._tables = tables
        self._known: dict[CommitName, bool] = {}

    def version(self, table: str) -> int:
        """The version of a table; -1 if there is none."""
        return version_of(self._tables[table])

    def has(self, commit: CommitName) -> bool:
        """Whether a commit is complete."""
        if commit not in self._known:
            runs = self._tables[RUNS]
            self._known[commit] = runs is not None and transaction_in(runs, commit)
        return self._known[commit]

    def table_has(self, table: str, commit: CommitName) -> bool:
        """Whether a table has a commit, with its own or with one that covers it."""
        found = self._tables[table]
        return found is not None and transaction_in(found, commit)

    def files(self, table: str) -> list[TableFile]:
        """The files of a table, by path."""
        found = self._tables[table]
        if found is None:
            return []
        return [file for file in files_of(found) if (name := commit_of_file(file.path)) is None or self.has(name)]

    def location(self, table: str, file: TableFile) -> Location:
        """Where a file is."""
        return self.root / table / file.path

    def count(self, table: str) -> int:
        """How many rows a table has."""
        return sum(file.rows for file in self.files(table))

    def batches(
        self, table: str, files: list[TableFile] | None = None, columns: list[str] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a table, or of some of its files, read here."""
        for file in self.files(table) if files is None else files:
            yield from file_batches(self.location(table, file), table, columns)

    def rows(self, table: str, columns: list[str] | None = None) -> list[dict[str, Any]]:
        """The rows of a small table."""
        return [row for batch in self.batches(table, columns=columns) for row in batch.to_pylist()]


def file_batches(location: Location, table: str, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
    """The rows of one file of a table, a few at a time. What the file lacks, since it is older, is null."""
    schema = SCHEMAS[table]
    wanted = pa.schema([schema.field(name) for name in columns or schema.names])
    with open_range(location) as stream, pq.ParquetFile(stream) as file:
        there = [name for name in wanted.names if name in file.schema_arrow.names]
        for batch in file.iter_batches(_ROWS_AT_ONCE, columns=there):
            arrays = [
                batch.column(field.name).cast(field.type) if field.name in there else pa.nulls(len(batch), field.type)
                for field in wanted
            ]
            yield pa.RecordBatch.from_arrays(arrays, schema=wanted)


def current_state(root: Location) -> LakeState:
    """The tables as they are now."""
    for _ in range(_ATTEMPTS):
        # Files that are rewritten meanwhile may hold rows of commits that this state of `runs` lacks: look again then.
        runs = LakeTable(root, RUNS)
        before = runs.opened()
        tables = {name: LakeTable(root, name).opened() for name in TABLES if name != RUNS}
        after = runs.opened()
        if (before and before.version()) == (after and after.version()):
            return LakeState(root, {**tables, RUNS: after})
    raise LakeError(
        wanted="the tables as of one moment", found=f"{_ATTEMPTS} times a commit between them", source=root.uri
    )


def past_state(root: Location, as_of: str) -> LakeState:
    """The tables as they were: `as_of` is a version of the table `runs`, or a time."""
    runs = LakeTable(root, RUNS).opened(_point(as_of))
    if runs is None:
        raise LakeError(wanted=f"a lake as of {as_of}", found="a lake in which nothing has run", source=root.uri)
    found = LakeState(root, {RUNS: runs})
    versions: dict[str, int] = {}
    for row in found.rows(RUNS, ["versions"]):
        for table, version in row["versions"] or []:
            versions[table] = max(version, versions.get(table, 0))
    tables = {
        name: LakeTable(root, name).opened(versions[name]) if name in versions else None
        for name in TABLES
        if name != RUNS
    }
    return LakeState(root, {**tables, RUNS: runs})


@lru_cache(maxsize=16)
def _point(as_of: str) -> int | datetime:
    if as_of.isdigit():
        return int(as_of)
    try:
        return datetime.fromisoformat(as_of).astimezone()
    except ValueError:
        raise InputError(
            subject="--as-of",
            wanted="a version of the table runs, or a time such as 2024-05-01T12:00:00",
            found=repr(as_of),
        ) from None


__all__ = ["LakeState", "current_state", "file_batches", "past_state"]
