"""The event log: append-only, one record an event, positions without holes.

Every record carries a checksum over all that it says, checked whenever it is read; positions follow each other from
the floor (what retention removed) to the head. So a record that changed or vanished is noticed, never passed over
(row F4).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from msgspec import Struct

from triplewire.errors import DamagedStore
from triplewire.store.bulk_insert import insert
from triplewire.store.disk import Connection
from triplewire.store.tables import metadata

_CHECKSUM_BYTES = 16
_COLUMNS = "position, graph, publisher, time, source, accepted, nquads, origin, origin_position, checksum"


class Record(Struct, frozen=True):
    """One event in the log. `time` is the event's own, in ISO 8601; `accepted` is when it came, in Unix seconds.

    `origin` is the super-peer where it was published, None for this node, and `origin_position` its place in that log.
    """

    position: int
    graph: str
    publisher: str
    time: str
    source: str | None
    accepted: float
    nquads: bytes
    origin: str | None = None
    origin_position: int | None = None

    @property
    def checksum(self) -> bytes:
        digest = hashlib.blake2b(self.nquads, digest_size=_CHECKSUM_BYTES)
        content = (self.position, self.graph, self.publisher, self.time, self.source, self.accepted)
        # As it was before there were origins, for those that have none.
        origin = () if self.origin is None else (self.origin, self.origin_position)
        digest.update(repr((*content, *origin)).encode())
        return digest.digest()


def append(connection: Connection, records: Iterable[Record]) -> None:
    """Write records at the end. Their positions are the caller's care."""
    rows = [
        (
            r.position,
            r.graph,
            r.publisher,
            r.time,
            r.source,
            r.accepted,
            r.nquads,
            r.origin,
            r.origin_position,
            r.checksum,
        )
        for r in records
    ]
    insert(connection, f"INSERT INTO events ({_COLUMNS})", rows)


def find(connection: Connection, graph: str) -> Record | None:
    """The record of an event, by its IRI."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM events WHERE graph = ?", (graph,)).fetchone()
    return None if row is None else _checked(row)


def find_all(connection: Connection, graphs: Iterable[str]) -> dict[str, Record]:
    """The records of those events that are there, by IRI."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM events WHERE graph IN (SELECT value FROM json_each(?))", (json.dumps(list(graphs)),)
    ).fetchall()
    return {record.graph: record for record in map(_checked, rows)}


def at(connection: Connection, position: int) -> Record | None:
    """The record at a position."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM events WHERE position = ?", (position,)).fetchone()
    return None if row is None else _checked(row)


def after(connection: Connection, position: int, limit: int) -> list[Record]:
    """Records that follow a position, in order: at most `limit`, and none missing between them."""
    start = max(position, floor(connection))
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM events WHERE position > ? ORDER BY position LIMIT ?", (start, limit)
    ).fetchall()
    records = [_checked(row) for row in rows]
    for expected, record in enumerate(records, start=start + 1):
        if record.position != expected:
            raise DamagedStore(
                wanted=f"the record {expected} of the log", found=str(record.position), position=expected
            )
    return records


def times(connection: Connection, positions: Iterable[int]) -> dict[int, float]:
    """When the records at these positions came, in Unix seconds, of those that are there."""
    rows = connection.execute(
        "SELECT position, accepted FROM events WHERE position IN (SELECT value FROM json_each(?))",
        (json.dumps(list(positions)),),
    ).fetchall()
    return dict(rows)


def fitting(connection: Connection, position: int, limit: int, most_bytes: int) -> int:
    """How many records, of at most `limit` that follow a position, have so many bytes together; at least one."""
    start = max(position, floor(connection))
    sizes = connection.execute(
        "SELECT length(nquads) FROM events WHERE position > ? ORDER BY position LIMIT ?", (start, limit)
    ).fetchall()
    total = accumulate(size for (size,) in sizes)
    beyond = next((number for number, size in enumerate(total) if size > most_bytes), limit)
    return max(1, beyond)


def newest(connection: Connection, limit: int, most_bytes: int) -> list[Record]:
    """The newest records in order: at most `limit`, of at most so many bytes together, but one at least."""
    sizes = connection.execute("SELECT length(nquads) FROM events ORDER BY position DESC LIMIT ?", (limit,)).fetchall()
    total = accumulate(size for (size,) in sizes)
    count = max(1, sum(size <= most_bytes for size in total))
    return after(connection, head(connection) - count, count)


def first_of(connection: Connection, origin: str, after: int) -> int | None:
    """The first position here of what another super-peer has published after a position there."""
    row = connection.execute(
        "SELECT min(position) FROM events WHERE origin = ? AND origin_position > ?", (origin, after)
    ).fetchone()
    return None if row[0] is None else int(row[0])


def head(connection: Connection) -> int:
    """The position of the newest record, or the floor if there is none."""
    newest = connection.execute("SELECT max(position) FROM events").fetchone()[0]
    return int(newest) if newest is not None else floor(connection)


def floor(connection: Connection) -> int:
    """Everything up to this position was removed by retention."""
    return int(metadata.get(connection, "floor") or 0)


def size(connection: Connection) -> int:
    """How many records the log holds."""
    return head(connection) - floor(connection)


def verify(connection: Connection) -> int:
    """Read every record and check it. Returns how many there are, or raises `DamagedStore` at the first bad one."""
    position = start = floor(connection)
    while records := after(connection, position, 1_000):
        position = records[-1].position
    return position - start


def _checked(row: tuple[Any, ...]) -> Record:
    *fields, checksum = row
    record = Record(*fields)
    if record.checksum != checksum:
        raise DamagedStore(
            wanted=f"the record {record.position} of the log as it was written",
            found="another checksum",
            position=record.position,
        )
    return record
