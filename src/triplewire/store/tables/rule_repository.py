"""The repository that rules work on: its assertions, and a journal of the schedules that changed them.

A triple is one line of N-Triples without its dot. What a schedule has changed is written in one transaction with the
assertions themselves, so that after a crash either all of it is there or nothing. A journal entry carries a checksum,
and their positions follow each other from the first that was not forgotten.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from triplewire.errors import DamagedStore
from triplewire.store.bulk_insert import insert
from triplewire.store.disk import Connection
from triplewire.store.tables import metadata

_CHECKSUM_BYTES = 16
_FORGOTTEN = "schedules forgotten"
_COLUMNS = "position, time, inserted, deleted, checksum"


class ScheduleRecord(Struct, frozen=True):
    """What one schedule has changed, and when, in Unix seconds."""

    position: int
    time: float
    inserted: tuple[str, ...]
    deleted: tuple[str, ...]

    @property
    def checksum(self) -> bytes:
        digest = hashlib.blake2b(repr((self.position, self.time)).encode(), digest_size=_CHECKSUM_BYTES)
        for lines in (self.inserted, self.deleted):
            digest.update(_joined(lines) + b"\0")
        return digest.digest()


def record(connection: Connection, time: float, inserted: Sequence[str], deleted: Sequence[str]) -> ScheduleRecord:
    """Write what a schedule has changed at the end of the journal, and change the assertions."""
    schedule = ScheduleRecord(head(connection) + 1, time, tuple(inserted), tuple(deleted))
    if deleted:
        gone = json.dumps(list(deleted))
        connection.execute("DELETE FROM assertions WHERE triple IN (SELECT value FROM json_each(?))", (gone,))
    insert(connection, "INSERT OR IGNORE INTO assertions (triple)", [(line,) for line in inserted])
    connection.execute(
        f"INSERT INTO schedules ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)",
        (schedule.position, time, _joined(inserted), _joined(deleted), schedule.checksum),
    )
    return schedule


def assertions(connection: Connection) -> Iterator[str]:
    """Everything that is asserted now."""
    rows = connection.execute("SELECT triple FROM assertions ORDER BY triple").fetchall()
    return (line for (line,) in rows)


def head(connection: Connection) -> int:
    """The position of the last schedule, 0 if there never was one."""
    newest = connection.execute("SELECT max(position) FROM schedules").fetchone()[0]
    return int(newest) if newest is not None else int(metadata.get(connection, _FORGOTTEN) or 0)


def after(connection: Connection, position: int, limit: int) -> list[ScheduleRecord]:
    """Schedules that follow a position, in order: at most `limit`, and none missing between them."""
    start = max(position, int(metadata.get(connection, _FORGOTTEN) or 0))
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM schedules WHERE position > ? ORDER BY position LIMIT ?", (start, limit)
    ).fetchall()
    schedules = [_checked(row) for row in rows]
    for expected, schedule in enumerate(schedules, start=start + 1):
        if schedule.position != expected:
            raise DamagedStore(wanted=f"schedule {expected} of the journal", found=str(schedule.position))
    return schedules


def last_before(connection: Connection, time: float) -> int:
    """The position of the last schedule that is older than that, 0 if none is."""
    row = connection.execute("SELECT max(position) FROM schedules WHERE time < ?", (time,)).fetchone()
    return int(row[0] or 0)


def forget(connection: Connection, position: int) -> None:
    """Drop the journal up to a position. The assertions stay."""
    position = min(position, head(connection))
    connection.execute("DELETE FROM schedules WHERE position <= ?", (position,))
    metadata.put(connection, _FORGOTTEN, max(position, int(metadata.get(connection, _FORGOTTEN) or 0)))


def _joined(lines: Sequence[str]) -> bytes:
    return "\n".join(lines).encode()


def _split(data: bytes) -> tuple[str, ...]:
    return tuple(data.decode().split("\n")) if data else ()


def _checked(row: tuple[Any, ...]) -> ScheduleRecord:
    position, time, inserted, deleted, checksum = row
    schedule = ScheduleRecord(position, time, _split(inserted), _split(deleted))
    if schedule.checksum != checksum:
        raise DamagedStore(wanted=f"schedule {position} of the journal as it was written", found="another checksum")
    return schedule
