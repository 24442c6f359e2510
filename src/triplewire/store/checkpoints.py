"""Checkpoints: what is in the write-ahead log goes into the database, beside the commits instead of between them.

Copying takes as long as the log is long, a large part of a second after some thousand events. It is done on a thread
and a connection of its own, while the writer goes on. But SQLite begins the log anew only at a moment at which all of
it has been copied, and a busy writer leaves no such moment: so when the log has become long, the writer itself copies
the little that was added meanwhile, between two commits.

Error handling: a full disk only means that the log stays long for now; what is committed is in it and safe. Any other
error goes to `failed`: after a failed fsync nothing is certain (row F2).
"""

from __future__ import annotations

import os
import sqlite3
import struct
import threading
from collections.abc import Callable
from pathlib import Path

from triplewire.errors import DiskFull, StoreError
from triplewire.store.disk import Connection
from triplewire.store.sqlite_errors import meaning

# In frames, which are pages of 4 KiB: begin to copy; begin the log anew; and do that even if much is left to copy.
COPY_FRAMES = 2_000
LONG_FRAMES = 8_000
TOO_LONG_FRAMES = 64_000

# Where SQLite's index of the log says how many frames there are, and how many were copied:
# https://sqlite.org/walformat.html#the_wal_index_header
_FRAMES, _COPIED, _HEADER = struct.Struct("=16xI"), struct.Struct("=96xI"), 100


class Checkpoints:
    """One thread for one database. `committed` is called by the writer, between two commits."""

    def __init__(self, path: Path, open_connection: Callable[[], Connection]) -> None:
        self._index = os.open(path.with_name(f"{path.name}-shm"), os.O_RDONLY | os.O_CLOEXEC)
        self._open = open_connection
        self._connection: Connection | None = None
        self._wake = threading.Event()
        self._is_copying = False
        self._is_stopping = False
        self.failed: Callable[[StoreError], None] = _nothing
        self._thread = threading.Thread(target=self._run, name="triplewire-checkpoints", daemon=True)
        self._thread.start()

    def committed(self, connection: Connection) -> None:
        """Have the log copied if it is due, and begin it anew if it is long."""
        frames, copied = self._lengths()
        if self._is_copying:
            return
        left = frames - copied
        if frames >= TOO_LONG_FRAMES or (frames >= LONG_FRAMES and left < COPY_FRAMES):
            self._copy(lambda: connection)
        elif left >= COPY_FRAMES:
            self._is_copying = True
            self._wake.set()

    def stop(self) -> None:
        """End the thread after what it is doing."""
        self._is_stopping = True
        self._wake.set()
        self._thread.join()

    def close(self) -> None:
        """Let go of the log's index, after every connection: this would take their locks on the file with it."""
        os.close(self._index)

    def _lengths(self) -> tuple[int, int]:
        header = os.pread(self._index, _HEADER, 0)
        if len(header) < _HEADER:
            return 0, 0
        return _FRAMES.unpack_from(header)[0], _COPIED.unpack_from(header)[0]

    def _run(self) -> None:
        while self._wake.wait():
            # First the wake-up, then the flag: a caller that asks for the end raises it before waking.
            self._wake.clear()
            if self._is_stopping:
                break
            self._copy(self._own)
            self._is_copying = False
        if self._connection is not None:
            self._connection.close()

    def _own(self) -> Connection:
        """The thread's connection, opened when it is needed first."""
        self._connection = self._connection or self._open()
        return self._connection

    def _copy(self, connection: Callable[[], Connection]) -> None:
        try:
            connection().execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        except sqlite3.Error as error:
            problem = meaning(error)
            if not isinstance(problem, DiskFull):
                self.failed(problem)


def _nothing(_: StoreError) -> None:
    pass
