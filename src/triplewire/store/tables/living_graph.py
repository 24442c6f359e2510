"""The living graph: the quads that are asserted, and a journal of what changed.

A quad is one line of N-Quads without its dot, and is kept with the change that asserted it. What a transaction has
changed is written together with the quads themselves, so that after a crash either all of it is there or nothing. The
journal says which quads hold from then on and which no longer, those included that only follow from others; whoever
replays it needs no schema. A change carries a checksum, and their positions follow each other from the floor (what
retention removed) to the head.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from msgspec import Struct

from triplewire.errors import DamagedStore
from triplewire.store.bulk_insert import insert
from triplewire.store.disk import Connection
from triplewire.store.tables import metadata

# So many quads may one change have: it is written while nobody else can write.
CHANGE_QUADS = 100_000
_CHECKSUM_BYTES = 16
_FLOOR = "changes forgotten"
_COLUMNS = "position, time, added, removed, checksum"
_CHUNK = 10_000


class QuadLines(Struct, frozen=True):
    """Quads that came, and quads that went."""

    added: Sequence[str] = ()
    removed: Sequence[str] = ()


class Authorship(Struct, frozen=True):
    """Whose a change is, and the name of the update that it is, if it is one.

    `units` says by which firing of the schedule a quad was asserted; any other by the update itself, which is 0.
    """

    author: str | None = None
    name: str | None = None
    units: Mapping[str, int] = {}


class Assertion(Struct, frozen=True):
    """Which change has asserted a quad, and which unit of its schedule; None where that was not kept."""

    change: int | None
    unit: int | None


class ChangeOrigin(Struct, frozen=True):
    """When a change happened, in Unix seconds; whose it is, and the name of the update, where that was kept."""

    time: float
    author: str | None
    name: str | None


class ChangeRecord(Struct, frozen=True):
    """What one transaction has changed, and when, in Unix seconds."""

    position: int
    time: float
    added: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def checksum(self) -> bytes:
        digest = hashlib.blake2b(repr((self.position, self.time)).encode(), digest_size=_CHECKSUM_BYTES)
        for lines in (self.added, self.removed):
            digest.update(_joined(lines) + b"\0")
        return digest.digest()


_NOBODY = Authorship()


# The quads


def quads(connection: Connection) -> Iterator[str]:
    """Everything that is asserted now."""
    last = ""
    while rows := connection.execute(
        "SELECT quad FROM quads WHERE quad > ? ORDER BY quad LIMIT ?", (last, _CHUNK)
    ).fetchall():
        yield from (line for (line,) in rows)
        last = rows[-1][0]


def record(
    connection: Connection,
    time: float,
    holding: QuadLines,
    asserted: QuadLines,
    authorship: Authorship = _NOBODY,
) -> ChangeRecord:
    """Write a change at the end of the journal, and change what is asserted."""
    change = ChangeRecord(head(connection) + 1, time, tuple(holding.added), tuple(holding.removed))
    if asserted.removed:
        gone = json.dumps(list(asserted.removed))
        connection.execute("DELETE FROM quads WHERE quad IN (SELECT value FROM json_each(?))", (gone,))
    position, unit = change.position, authorship.units.get
    rows = [(line, position, unit(line, 0)) for line in asserted.added]
    insert(connection, "INSERT OR IGNORE INTO quads (quad, change, unit)", rows)
    kept = (position, time, _joined(change.added), _joined(change.removed), change.checksum)
    connection.execute(
        f"INSERT INTO changes ({_COLUMNS}, author, name) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*kept, authorship.author, authorship.name),
    )
    return change


def assertions(connection: Connection, lines: Sequence[str]) -> dict[str, Assertion]:
    """Of those quads that are asserted, by which change."""
    rows = connection.execute(
        "SELECT quad, change, unit FROM quads WHERE quad IN (SELECT value FROM json_each(?))",
        (json.dumps(list(lines)),),
    ).fetchall()
    return {line: Assertion(change, unit) for line, change, unit in rows}


# The journal


def origins(connection: Connection, positions: Iterable[int]) -> dict[int, ChangeOrigin]:
    """Of those changes that are kept, whose they are."""
    rows = connection.execute(
        "SELECT position, time, author, name FROM changes WHERE position IN (SELECT value FROM json_each(?))",
        (json.dumps(list(positions)),),
    ).fetchall()
    return {position: ChangeOrigin(*rest) for position, *rest in rows}


def head(connection: Connection) -> int:
    """The position of the last change, 0 if there never was one."""
    newest = connection.execute("SELECT max(position) FROM changes").fetchone()[0]
    return int(newest) if newest is not None else floor(connection)


def floor(connection: Connection) -> int:
    """Every change up to this position was forgotten."""
    return int(metadata.get(connection, _FLOOR) or 0)


def after(connection: Connection, position: int, limit: int) -> list[ChangeRecord]:
    """Changes that follow a position, in order: at most `limit`, and none missing between them."""
    start = max(position, floor(connection))
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM changes WHERE position > ? ORDER BY position LIMIT ?", (start, limit)
    ).fetchall()
    changes = [_checked(row) for row in rows]
    for expected, change in enumerate(changes, start=start + 1):
        if change.position != expected:
            raise DamagedStore(
                wanted=f"the change {expected} of the living graph", found=str(change.position), position=expected
            )
    return changes


def fitting(connection: Connection, position: int, limit: int, most_bytes: int) -> int:
    """How many changes, of at most `limit` that follow a position, have so many bytes together; at least one."""
    sizes = connection.execute(
        "SELECT length(added) + length(removed) FROM changes WHERE position > ? ORDER BY position LIMIT ?",
        (position, limit),
    ).fetchall()
    total = accumulate(size for (size,) in sizes)
    return max(1, next((number for number, size in enumerate(total) if size > most_bytes), limit))


def last_due(connection: Connection, before: float | None, most_bytes: int | None) -> int:
    """The position of the last change that is older than that, or beyond so many bytes of newer ones; 0 if none is."""
    old = 0
    if before is not None:
        row = connection.execute("SELECT max(position) FROM changes WHERE time < ?", (before,)).fetchone()
        old = int(row[0] or 0)
    if most_bytes is None:
        return old
    rows = connection.execute("SELECT position, length(added) + length(removed) FROM changes ORDER BY position DESC")
    size = 0
    for position, length in rows.fetchall():
        size += length
        if size > most_bytes:
            return max(old, int(position))
    return old


def forget(connection: Connection, position: int) -> None:
    """Drop the journal up to a position. What is asserted stays."""
    position = min(position, head(connection))
    connection.execute("DELETE FROM changes WHERE position <= ?", (position,))
    metadata.put(connection, _FLOOR, max(position, floor(connection)))


def _joined(lines: Sequence[str]) -> bytes:
    return "\n".join(lines).encode()


def _split(data: bytes) -> tuple[str, ...]:
    return tuple(data.decode().split("\n")) if data else ()


def _checked(row: tuple[Any, ...]) -> ChangeRecord:
    position, time, added, removed, checksum = row
    change = ChangeRecord(position, time, _split(added), _split(removed))
    if change.checksum != checksum:
        raise DamagedStore(
            wanted=f"the change {position} of the living graph as it was written",
            found="another checksum",
            position=position,
        )
    return change
