"""The database: one folder, one writer, readers beside it.

Resource handling: a lock file keeps a second process out. Readers are pooled, one for each call at a time; they see
what was committed before they began, and never wait for the writer.
"""

from __future__ import annotations

import fcntl
import os
import queue
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from triplewire.errors import FolderInUse
from triplewire.store.checkpoints import Checkpoints
from triplewire.store.clock import Clock, SystemClock
from triplewire.store.disk import Connection, Disk, LocalDisk
from triplewire.store.faults import translated
from triplewire.store.schema import migrate
from triplewire.store.wal import check_wal
from triplewire.store.writer import Writer

T = TypeVar("T")

FILE = "triplewire.sqlite"
_LOCK = "lock"


class Database:
    """What must survive. Open it once for each folder, and close it."""

    def __init__(self, folder: Path, disk: Disk | None = None, clock: Clock | None = None) -> None:
        self.folder = folder
        self._disk = disk or LocalDisk()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = _locked(folder / _LOCK)
        self._path = folder / FILE
        try:
            self._connection = self._opened()
        except BaseException:
            os.close(self._lock)
            raise
        self._checkpoints = Checkpoints(self._path, lambda: self._disk.connect(self._path))
        self.writer = Writer(self._connection, clock or SystemClock(), self._checkpoints)
        self._readers: queue.SimpleQueue[Connection] = queue.SimpleQueue()

    def _opened(self) -> Connection:
        check_wal(self._path.with_name(f"{FILE}-wal"))
        with translated():
            connection = self._disk.connect(self._path)
            try:
                migrate(connection)
            except BaseException:
                connection.close()
                raise
            return connection

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on a snapshot of what is committed."""
        with translated(), self._reader() as connection:
            connection.execute("BEGIN")
            try:
                return work(connection)
            finally:
                if connection.in_transaction:
                    connection.execute("COMMIT")

    def close(self) -> None:
        """Finish what was submitted, and let go of the folder."""
        self.writer.close()
        self._checkpoints.stop()
        while not self._readers.empty():
            self._readers.get().close()
        self._connection.close()
        self._checkpoints.close()
        os.close(self._lock)

    @contextmanager
    def _reader(self) -> Iterator[Connection]:
        try:
            connection = self._readers.get_nowait()
        except queue.Empty:
            connection = self._disk.connect_to_read(self._path)
        try:
            yield connection
        except sqlite3.Error:
            connection.close()
            raise
        else:
            self._readers.put(connection)


def _locked(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise FolderInUse(f"wanted the data folder {path.parent} for this process, found it in use") from None
    return descriptor
