"""The disk, handed in: how the store gets a connection to its database.

`triplewire.testing.FaultyDisk` stands in for it and fails on demand.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

_CACHE_KIB = 64 * 1024


class Rows(Protocol):
    """What a statement gives back."""

    @property
    def rowcount(self) -> int: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...


class Connection(Protocol):
    """The part of an SQLite connection that the store uses. Transactions are begun and ended by statements."""

    def execute(self, sql: str, parameters: tuple[Any, ...] = (), /) -> Rows: ...

    def executemany(self, sql: str, rows: Iterable[tuple[Any, ...]], /) -> Rows: ...

    @property
    def in_transaction(self) -> bool: ...

    def close(self) -> None: ...


class Disk(Protocol):
    """Where databases are."""

    def connect(self, path: Path) -> Connection:
        """Open the database for reading and writing, and make it if it is not there."""

    def connect_to_read(self, path: Path) -> Connection:
        """Open an existing database for reading only."""


class LocalDisk:
    """The machine's own file system. `synchronous = FULL` makes a COMMIT return after the log is on the disk."""

    def connect(self, path: Path) -> Connection:
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        # A checkpoint that SQLite starts by itself keeps its errors to itself; ours are started by the writer.
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("PRAGMA busy_timeout = 5000")
        # A commit's pages stay in memory until it is made: what does not fit would be written twice.
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        return connection

    def connect_to_read(self, path: Path) -> Connection:
        uri = f"{path.absolute().as_uri()}?mode=ro"
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA busy_timeout = 5000")
        return connection
