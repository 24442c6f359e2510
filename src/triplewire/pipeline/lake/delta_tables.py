"""One table: its files as of some version, and changes that are made once, by the transaction that they carry.

Several writers may change a table at once: of two changes that cannot both be made, Delta lets one through, and the
other looks again. Whoever finds that its transaction is in the table has nothing to do.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable
from deltalake.exceptions import CommitFailedError, DeltaError, DeltaProtocolError, TableNotFoundError
from deltalake.transaction import AddAction, CommitProperties, RemoveAction, Transaction
from msgspec import Struct

from triplewire.errors import LakeError
from triplewire.pipeline.lake.commit_names import CommitName
from triplewire.pipeline.lake.table_writers import Part
from triplewire.pipeline.lake.tables import SCHEMAS
from triplewire.pipeline.storage.delta import delta_options, delta_uri
from triplewire.pipeline.storage.file_systems import storage_error
from triplewire.pipeline.storage.location import Location
from triplewire.system.durable_files import sync

_ATTEMPTS = 30
_READER, _WRITER = 1, 2
# What these features ask for, whoever reads or appends does anyway.
_HARMLESS = frozenset({"appendOnly", "invariants", "v2Checkpoint", "vacuumProtocolCheck"})
_CONFIGURATION: dict[str, str | None] = {"delta.checkpointInterval": "100"}


class TableFile(Struct, frozen=True):
    """A file of a table, by its path under it. `low` and `high` are the least and greatest values, where known."""

    path: str
    size: int
    rows: int
    low: dict[str, Any] = {}
    high: dict[str, Any] = {}


class LakeTable:
    """A table of a lake. It is made with its first change."""

    def __init__(self, lake: Location, name: str) -> None:
        self.name = name
        self.location = lake / name

    def opened(self, version: int | datetime | None = None) -> DeltaTable | None:
        """The table as it is now, or was; None if there is none. Raises `LakeError` if it is not ours to read."""
        with self._explained("open a table"):
            try:
                found = DeltaTable(delta_uri(self.location), storage_options=delta_options(self.location))
                if version is not None:
                    found.load_as_version(version)
            except TableNotFoundError:
                return None
            self._require_protocol(found)
            self._require_schema(found)
            return found

    def has(self, commit: CommitName) -> bool:
        """Whether the table has the transaction of a commit, or a later one of the same stream."""
        found = self.opened()
        return found is not None and transaction_in(found, commit)

    def change(
        self,
        commit: CommitName,
        adds: Sequence[Part],
        removes: Sequence[TableFile] = (),
        covers: Sequence[CommitName] = (),
    ) -> int:
        """Add and remove files once, and return the version of the table that has the change.

        `covers` are other commits that the table has with it.
        """
        moment = time.time_ns() // 1_000_000
        rewrites = bool(removes)
        actions: list[AddAction | RemoveAction] = [
            AddAction(part.path, part.size, {}, part.modified, not rewrites, part.statistics) for part in adds
        ]
        actions += [
            RemoveAction(
                path=file.path, deletion_timestamp=moment, data_change=False, size=file.size, partition_values={}
            )
            for file in removes
        ]
        properties = CommitProperties(
            custom_metadata={"triplewire": commit.label}, app_transactions=transactions_of([commit, *covers])
        )

        def attempt(table: DeltaTable) -> None:
            self._require_active(table, removes)
            table.create_write_transaction(actions, "append", table.schema(), commit_properties=properties)

        return self._once(commit, attempt)

    def vacuum(self, keep_hours: float) -> int:
        """Remove files that are no part of the table, and have not been for so long; returns how many."""
        table = self.opened()
        if table is None:
            return 0
        with self._explained("remove files of a table"):
            gone = table.vacuum(
                retention_hours=math.ceil(keep_hours), enforce_retention_duration=False, dry_run=False, full=True
            )
        return len(gone)

    def _once(self, commit: CommitName, attempt: Callable[[DeltaTable], None]) -> int:
        for _ in range(_ATTEMPTS):
            table = self.opened() or self._created()
            if transaction_in(table, commit):
                self._force(table.version())
                return table.version()
            with self._explained("change a table"):
                try:
                    attempt(table)
                except CommitFailedError:
                    # Another writer was first.
                    continue
        raise LakeError(
            wanted=f"to change the table {self.name}",
            found=f"{_ATTEMPTS} times another writer that was first",
            source=self.location.uri,
        )

    def _created(self) -> DeltaTable:
        # Where it fails, another writer has made it.
        with self._explained("create a table"), suppress(CommitFailedError):
            DeltaTable.create(
                delta_uri(self.location),
                schema=SCHEMAS[self.name],
                mode="ignore",
                name=self.name,
                configuration=_CONFIGURATION,
                storage_options=delta_options(self.location),
            )
        found = self.opened()
        if found is None:
            raise LakeError(wanted=f"the table {self.name} that was made", found="none", source=self.location.uri)
        return found

    def _require_active(self, table: DeltaTable, removes: Sequence[TableFile]) -> None:
        gone = {file.path for file in removes} - {file.path for file in files_of(table)} if removes else set()
        if gone:
            raise LakeError(
                wanted=f"to replace files of the table {self.name}",
                found=f"{len(gone):,} that another writer has replaced meanwhile, such as {min(gone)}",
                hint="the same call looks again",
                source=self.location.uri,
            )

    def _require_protocol(self, table: DeltaTable) -> None:
        found = table.protocol()
        reader = set(found.reader_features or ()) - _HARMLESS
        writer = set(found.writer_features or ()) - _HARMLESS
        known_reader = found.min_reader_version <= _READER or (found.reader_features is not None and not reader)
        known_writer = found.min_writer_version <= _WRITER or (found.writer_features is not None and not writer)
        if known_reader and known_writer:
            return
        features = f" with {', '.join(sorted(reader | writer))}" if reader | writer else ""
        raise LakeError(
            wanted=f"a table of Delta's protocol {_READER} for readers and {_WRITER} for writers",
            found=f"{found.min_reader_version} and {found.min_writer_version}{features}",
            source=self.location.uri,
        )

    def _require_schema(self, table: DeltaTable) -> None:
        found = pa.schema(table.schema())
        for field in SCHEMAS[self.name]:
            place = found.get_field_index(field.name)
            kind = found.field(place).type if place >= 0 else None
            if kind is None or not _same(kind, field.type):
                raise LakeError(
                    wanted=f"a column {field.name} of {field.type} in the table {self.name}",
                    found="none" if kind is None else str(kind),
                    source=self.location.uri,
                )

    def _force(self, version: int) -> None:
        """Force what the log says of a version to the disk; object storages have done so when they answer."""
        if self.location.is_local:
            log = self.location.local / "_delta_log"
            entry = log / f"{version:020}.json"
            if entry.exists():
                sync(entry)
            sync(log)

    @contextmanager
    def _explained(self, doing: str) -> Iterator[None]:
        try:
            yield
        except (LakeError, CommitFailedError, TableNotFoundError):
            raise
        except DeltaProtocolError as error:
            raise LakeError(
                wanted=f"a table of Delta's protocol {_READER} for readers and {_WRITER} for writers",
                found=str(error),
                source=self.location.uri,
            ) from None
        except (DeltaError, OSError, ValueError) as error:
            if not self.location.is_local:
                raise storage_error(self.location, doing, error) from None
            raise LakeError(f"the table {self.name} cannot be used: {error}", source=self.location.uri) from None


def transactions_of(commits: Iterable[CommitName]) -> list[Transaction]:
    """The transactions of commits: of a stream only the latest, which stands for those before."""
    latest: dict[str, int] = {}
    for commit in commits:
        latest[commit.app] = max(commit.number, latest.get(commit.app, 0))
    return [Transaction(app, number) for app, number in latest.items()]


def version_of(table: DeltaTable | None) -> int:
    """The version of a table; -1 if there is none."""
    return -1 if table is None else table.version()


def transaction_in(table: DeltaTable, commit: CommitName) -> bool:
    """Whether a table has the transaction of a commit, or a later one of the same stream."""
    found = table.transaction_version(commit.app)
    return found is not None and found >= commit.number


def files_of(table: DeltaTable) -> list[TableFile]:
    """The files of a table, by path."""
    rows = pa.table(table.get_add_actions(flatten=True)).to_pylist()
    files = [
        TableFile(row["path"], row["size_bytes"], row["num_records"] or 0, _values(row, "min."), _values(row, "max."))
        for row in rows
    ]
    return sorted(files, key=lambda file: file.path)


def _values(row: dict[str, Any], prefix: str) -> dict[str, Any]:
    return {
        key.removeprefix(prefix): value for key, value in row.items() if key.startswith(prefix) and value is not None
    }


def _same(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether two types are one in Delta, which does not tell large from small, nor how parts of a map are named."""
    if pa.types.is_list(wanted) or pa.types.is_large_list(wanted):
        return (pa.types.is_list(found) or pa.types.is_large_list(found)) and _same(found.value_type, wanted.value_type)
    if pa.types.is_map(wanted):
        return (
            pa.types.is_map(found)
            and _same(found.key_type, wanted.key_type)
            and _same(found.item_type, wanted.item_type)
        )
    alike = (
        (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view),
        (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view),
    )
    for kinds in alike:
        if any(kind(wanted) for kind in kinds):
            return any(kind(found) for kind in kinds)
    return bool(found == wanted)
