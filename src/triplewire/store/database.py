"""The database: one folder, one writer, readers beside it.

Resource handling: a lock file keeps a second process out. Readers are pooled, one for each call at a time; they see
what was committed before they began, and never wait for the writer.
"""

from __future__ import annotations

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
from triplewire.store.schema import MIGRATIONS, migrate
from triplewire.store.sqlite_errors import translated
from triplewire.store.wal import check_wal
from triplewire.store.writer import Writer
from triplewire.system.folder_lock import lock_folder

T = TypeVar("T")

FILE = "triplewire.sqlite"
LOCK, _SECRET = "lock", 0o600


def open_connection(disk: Disk, path: Path, migrations: tuple[tuple[str, ...], ...]) -> Connection:
    """Open a database to write to it, brought up to date. Raises `DamagedStore` if it is not what was written."""
    check_wal(path.with_name(f"{path.name}-wal"))
    with translated():
        connection = disk.connect(path)
        try:
            migrate(connection, migrations)
        except BaseException:
            connection.close()
            raise
        return connection


class Database:
    """What must survive. Open it once for each folder, and close it."""

    def __init__(self, folder: Path, disk: Disk | None = None, clock: Clock | None = None) -> None:
        self.folder = folder
        self._disk = disk or LocalDisk()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        in_use = FolderInUse(wanted=f"the data folder {folder} for this process", found="it in use")
        self._lock = lock_folder(folder / LOCK, in_use, _SECRET)
        self._path = folder / FILE
        try:
            self._connection = open_connection(self._disk, self._path, MIGRATIONS)
        except BaseException:
            self._lock.release()
            raise
        self._checkpoints = Checkpoints(self._path, lambda: self._disk.connect(self._path))
        self.writer = Writer(self._connection, clock or SystemClock(), self._checkpoints)
        self._readers: queue.SimpleQueue[Connection] = queue.SimpleQueue()

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
        self._lock.release()

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
