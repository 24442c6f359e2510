"""A disk that fails on demand, with the errors that SQLite reports.

    disk = FaultyDisk()
    broker = await Broker.open(folder, disk=disk)
    disk.fill()                     # every write finds the disk full, until `disk.free()`
    disk.fill_log()                 # only COMMIT finds it full, as where pages stay in memory until then
    disk.fail_sync(Fate.LOST)       # the next COMMIT gets EIO from fsync

What an fsync that failed leaves behind is open: the data may be there after a restart, or not. Both are offered.
"""

from __future__ import annotations

import enum
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from triplewire.store.disk import Connection, Disk, LocalDisk, Rows

_WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE", "CREATE")


class Fate(enum.Enum):
    """What becomes of data whose fsync failed."""

    LOST = "lost"
    KEPT = "kept"


class FaultyDisk:
    """Stands in for `triplewire.store.Disk`, over a real one."""

    def __init__(self, disk: Disk | None = None) -> None:
        self._disk = disk or LocalDisk()
        self.is_full = False
        self.is_log_full = False
        self.fate: Fate | None = None
        self.commits = 0

    def connect(self, path: Path) -> Connection:
        return FaultyConnection(self, self._disk.connect(path))

    def connect_to_read(self, path: Path) -> Connection:
        return self._disk.connect_to_read(path)

    def fill(self) -> None:
        """Let every write find the disk full."""
        self.is_full = True

    def fill_log(self) -> None:
        """Let every COMMIT find the disk full, and take its transaction back, as SQLite does."""
        self.is_log_full = True

    def free(self) -> None:
        """Make room again."""
        self.is_full = self.is_log_full = False

    def fail_sync(self, fate: Fate) -> None:
        """Let the next COMMIT fail with EIO. The one after it would succeed: that is the trap."""
        self.fate = fate


class FaultyConnection:
    """A connection that writes through a faulty disk."""

    def __init__(self, disk: FaultyDisk, connection: Connection) -> None:
        self._disk = disk
        self._connection = connection

    def execute(self, sql: str, parameters: tuple[Any, ...] = (), /) -> Rows:
        self._check_room(sql)
        if sql == "COMMIT":
            self._sync()
        return self._connection.execute(sql, parameters)

    def executemany(self, sql: str, rows: Iterable[tuple[Any, ...]], /) -> Rows:
        self._check_room(sql)
        return self._connection.executemany(sql, rows)

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction

    def close(self) -> None:
        self._connection.close()

    def _check_room(self, sql: str) -> None:
        if self._disk.is_full and sql.startswith(_WRITES):
            raise _full()

    def _sync(self) -> None:
        if self._disk.is_log_full:
            self._connection.execute("ROLLBACK")
            raise _full()
        fate, self._disk.fate = self._disk.fate, None
        self._disk.commits += 1
        if fate is not None:
            self._connection.execute("COMMIT" if fate is Fate.KEPT else "ROLLBACK")
            raise sqlite_error("disk I/O error", sqlite3.SQLITE_IOERR_FSYNC, "SQLITE_IOERR_FSYNC")


def _full() -> sqlite3.OperationalError:
    return sqlite_error("database or disk is full", sqlite3.SQLITE_FULL, "SQLITE_FULL")


def sqlite_error(message: str, code: int, name: str) -> sqlite3.OperationalError:
    """An error as SQLite raises it."""
    error = sqlite3.OperationalError(message)
    error.sqlite_errorcode = code
    error.sqlite_errorname = name
    return error
