"""A file of records that survive: one SQLite database, whose records carry one digest together.

A record has a kind, a key and a body. `write` changes some as one transaction, and returns when it is on the disk. The
digest is a sum over all records, moved by each transaction; what was damaged, lost or added by others is noticed when
the file is opened.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from triplewire.errors import DamagedStore, InputError
from triplewire.store.bulk_insert import insert
from triplewire.store.database import open_connection
from triplewire.store.disk import Connection, Disk, LocalDisk
from triplewire.store.sqlite_errors import translated

# "TWPR" in the header tells the file from other databases.
_APPLICATION = 0x54575052
_MIGRATIONS = (
    (
        f"PRAGMA application_id = {_APPLICATION}",
        """CREATE TABLE records (
            kind TEXT NOT NULL,
            key TEXT NOT NULL,
            body BLOB NOT NULL,
            PRIMARY KEY (kind, key)) WITHOUT ROWID""",
        "CREATE TABLE digests (digest BLOB NOT NULL)",
        "INSERT INTO digests (digest) VALUES (zeroblob(16))",
    ),
)
_INSERT = "INSERT INTO records (kind, key, body)"
_DIGEST_BYTES = 16
_SECRET = 0o600
_PAGE = 10_000
_LONG_LOG_BYTES = 4 << 20


class Record(Struct, frozen=True):
    """A record; without a body it is one to be removed."""

    kind: str
    key: str
    body: bytes | None = b""


class RecordFile:
    """Open it, read `records` once, and write. Raises `DamagedStore` where the file is not what was written."""

    def __init__(self, path: Path, disk: Disk | None = None) -> None:
        self._path = path
        disk = disk or LocalDisk()
        _check_whose(path, disk)
        # SQLite gives its own files beside it the same mode.
        path.touch(_SECRET)
        self._connection: Connection = open_connection(disk, path, _MIGRATIONS)
        try:
            with translated():
                self._digest = _stored_digest(self._connection, path)
        except BaseException:
            self._connection.close()
            raise

    def records(self) -> Iterator[Record]:
        """All records, by kind and key; at the end it is known whether they are those that were written."""
        with translated():
            yield from _checked(self._connection, self._digest, self._path)

    def write(self, fresh: Sequence[Record] = (), changed: Iterable[Record] = ()) -> None:
        """Add records that are not there yet, and put or remove others: all of it, on the disk, or none."""
        with translated():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                digest = self._digest
                for record in fresh:
                    digest ^= _digest_of(record)
                insert(self._connection, _INSERT, [(r.kind, r.key, r.body) for r in fresh])
                for record in changed:
                    digest ^= self._replace(record)
                self._connection.execute("UPDATE digests SET digest = ?", (digest.to_bytes(_DIGEST_BYTES, "big"),))
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            self._digest = digest
            self._shorten_log(_LONG_LOG_BYTES)

    def close(self) -> None:
        with translated():
            self._shorten_log(0)
        self._connection.close()

    def _replace(self, record: Record) -> int:
        """Put or remove a record; by what the digest moves."""
        key = (record.kind, record.key)
        row = self._connection.execute("SELECT body FROM records WHERE kind = ? AND key = ?", key).fetchone()
        moved = 0 if row is None else _digest_of(Record(*key, row[0]))
        self._connection.execute("DELETE FROM records WHERE kind = ? AND key = ?", key)
        if record.body is not None:
            insert(self._connection, _INSERT, [(*key, record.body)])
            moved ^= _digest_of(record)
        return moved

    def _shorten_log(self, most: int) -> None:
        """What is in the log goes into the database, once the log is long. Nobody else reads: nothing has to wait."""
        log = self._path.with_name(f"{self._path.name}-wal")
        if log.exists() and log.stat().st_size > most:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def read_records(path: Path, disk: Disk | None = None) -> list[Record]:
    """All records as they are now, also while another program writes."""
    disk = disk or LocalDisk()
    _check_whose(path, disk)
    with translated():
        connection = disk.connect_to_read(path)
        try:
            connection.execute("BEGIN")
            return list(_checked(connection, _stored_digest(connection, path), path))
        finally:
            connection.close()


def _checked(connection: Connection, digest: int, path: Path) -> Iterator[Record]:
    found, kind, key = 0, "", ""
    while rows := connection.execute(
        "SELECT kind, key, body FROM records WHERE (kind, key) > (?, ?) ORDER BY kind, key LIMIT ?",
        (kind, key, _PAGE),
    ).fetchall():
        for kind, key, body in rows:
            record = Record(kind, key, body)
            found ^= _digest_of(record)
            yield record
    if found != digest:
        raise DamagedStore(
            wanted="every record as it was written",
            found="records that were changed, lost or added",
            hint="restore the file from a copy",
            source=str(path),
        )


def _stored_digest(connection: Connection, path: Path) -> int:
    rows = connection.execute("SELECT digest FROM digests").fetchall()
    if len(rows) != 1 or not isinstance(rows[0][0], bytes) or len(rows[0][0]) != _DIGEST_BYTES:
        raise DamagedStore(wanted="the digest of all records", found="none", source=str(path))
    return int.from_bytes(rows[0][0], "big")


def _check_whose(path: Path, disk: Disk) -> None:
    """Raise if a file is there that is none of these, before anything changes it."""
    if not path.exists() or not path.stat().st_size:
        return
    with translated():
        connection = disk.connect_to_read(path)
        try:
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        finally:
            connection.close()
    # One that is still empty was about to be made.
    if application != _APPLICATION and tables:
        raise InputError(wanted="a peer's repository", found="a database of something else", source=str(path))


def _digest_of(record: Record) -> int:
    content = repr((record.kind, record.key)).encode() + b"\0" + (record.body or b"")
    return int.from_bytes(hashlib.blake2b(content, digest_size=_DIGEST_BYTES).digest(), "big")
