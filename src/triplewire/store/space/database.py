"""The storage of one node of an event space: a `SpaceStorage` of the network, on SQLite.

One thread uses it. Changes are seen at once, and are on the disk after `commit`. A full disk loses nothing: `commit`
raises `DiskFull`, reading and writing go on, and a later `commit` makes sure of all of it (row F3). A disk that failed
ends all work with `StoreFailed` (row F2). A lock file keeps a second process out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from triplewire.errors import FolderInUse
from triplewire.store.checkpoints import Checkpoints
from triplewire.store.database import open_connection
from triplewire.store.disk import Disk, LocalDisk
from triplewire.store.space.quads import Quads
from triplewire.store.space.records import Events, Records
from triplewire.store.space.regions import Box, Point, region_of
from triplewire.store.space.schema import MIGRATIONS
from triplewire.store.space.transaction import Transaction
from triplewire.system.folder_lock import lock_folder

FILE = "space.sqlite"
_LOCK, _SECRET = "space.lock", 0o600


class SpaceDatabase:
    """What a node of a space must find again. Open it once for each folder, and close it."""

    def __init__(self, folder: Path, disk: Disk | None = None) -> None:
        disk = disk or LocalDisk()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        in_use = FolderInUse(wanted=f"the space's folder {folder} for this process", found="it in use")
        self._lock = lock_folder(folder / _LOCK, in_use, _SECRET)
        path = folder / FILE
        try:
            self._connection = open_connection(disk, path, MIGRATIONS)
            try:
                self._transaction = Transaction(self._connection)
                self._quads = Quads(self._transaction)
            except BaseException:
                self._connection.close()
                raise
        except BaseException:
            self._lock.release()
            raise
        self._records = Records(self._transaction)
        self._events = Events(self._transaction)
        self._checkpoints = Checkpoints(path, lambda: disk.connect(path))
        self._checkpoints.failed = self._transaction.fail

    def close(self) -> None:
        """Let go of the folder. What was not committed is gone."""
        self._checkpoints.stop()
        self._connection.close()
        self._checkpoints.close()
        self._lock.release()

    # Records

    def put(self, table: str, key: bytes, value: bytes) -> None:
        self._records.put(table, key, value)

    def get(self, table: str, key: bytes) -> bytes | None:
        return self._records.get(table, key)

    def delete(self, table: str, key: bytes) -> None:
        self._records.delete(table, key)

    def items(self, table: str, prefix: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        return self._records.items(table, prefix)

    # Events

    def add_event(self, event: str, header: bytes, horizon: Mapping[str, int]) -> bool:
        return self._events.add(event, header, horizon)

    def event(self, event: str) -> bytes | None:
        return self._events.header(event)

    def events_following(self, log: str, position: int) -> Iterator[bytes]:
        return self._events.following(log, position)

    def remove_event(self, event: str) -> None:
        self._events.remove(event)

    # Quadruples

    def add_quads(self, points: Sequence[Point]) -> list[Point]:
        return self._quads.add(points)

    def quads(self, box: Box, after: Point | None = None, limit: int | None = None) -> list[Point]:
        return self._quads.read(region_of(box), after, limit)

    def quads_in(self, boxes: Iterable[Box], after: Point | None = None, limit: int | None = None) -> list[Point]:
        return self._quads.read_all(map(region_of, boxes), after, limit)

    def count(self, box: Box) -> int:
        return self._quads.count(region_of(box))

    def remove_quads(self, box: Box) -> int:
        return self._quads.remove(region_of(box))

    # Commits

    def commit(self) -> None:
        """Make sure of all changes so far. Raises `DiskFull`, then they are still seen, and it may be called again."""
        self._records.write()
        self._events.write()
        self._quads.before_commit()
        if self._transaction.commit():
            self._checkpoints.committed(self._connection)
