"""The outbox: notifications on their way, by subscription and position.

A notification's identity is (subscription, event); an event has one position, so the pair is the key here, and the same
notification cannot be in twice. `answer` is what the subscription said about the event, as JSON. An acknowledged
notification is removed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from triplewire.store.bulk_insert import insert
from triplewire.store.disk import Connection

# What a row costs beside its answer: keys, the index, SQLite's own words.
ROW_BYTES = 48


class OutboxEntry(Struct, frozen=True):
    """A notification that waits: for which subscription, about which event and where that is in the log, the answer."""

    subscription: int
    position: int
    event: str
    answer: bytes

    @property
    def size(self) -> int:
        return len(self.answer) + ROW_BYTES


def put(connection: Connection, entries: Iterable[OutboxEntry]) -> None:
    """Add entries; one that is in already stays as it is. The event's IRI is the log's to keep."""
    rows = [(entry.subscription, entry.position, entry.answer) for entry in entries]
    insert(connection, "INSERT OR IGNORE INTO outbox (subscription, position, answer)", rows)


def after(connection: Connection, subscription: int, position: int, limit: int) -> list[OutboxEntry]:
    """Entries that follow a position, in order."""
    rows = connection.execute(
        "SELECT o.subscription, o.position, e.graph, o.answer FROM outbox o JOIN events e ON e.position = o.position "
        "WHERE o.subscription = ? AND o.position > ? ORDER BY o.position LIMIT ?",
        (subscription, position, limit),
    ).fetchall()
    return [OutboxEntry(*row) for row in rows]


def remove_to(connection: Connection, subscription: int, position: int) -> int:
    """Remove what was acknowledged; returns how many bytes that were."""
    return _removed(connection, "subscription = ? AND position <= ?", (subscription, position))


def sizes(connection: Connection) -> dict[int, int]:
    """Bytes by subscription."""
    rows = connection.execute(
        f"SELECT subscription, sum(length(answer) + {ROW_BYTES}) FROM outbox GROUP BY subscription"
    ).fetchall()
    return dict(rows)


def lasts(connection: Connection) -> dict[int, int]:
    """The newest waiting position by subscription."""
    return dict(connection.execute("SELECT subscription, max(position) FROM outbox GROUP BY subscription").fetchall())


def oldest(connection: Connection, owner: str | None = None) -> dict[int, float]:
    """When the oldest event that waits was accepted, by subscription, in Unix seconds; of one owner or of all.

    One look into the index a subscription, however much waits.
    """
    rows = connection.execute(
        "SELECT s.number, e.accepted FROM subscriptions s JOIN events e "
        "ON e.position = (SELECT min(o.position) FROM outbox o WHERE o.subscription = s.number) "
        "WHERE ?1 IS NULL OR s.owner = ?1",
        (owner,),
    ).fetchall()
    return dict(rows)


def first_accepted(connection: Connection) -> float | None:
    """When the first event that anybody waits for was accepted, in Unix seconds; None if nothing waits."""
    row = connection.execute(
        "SELECT accepted FROM events WHERE position = (SELECT min(position) FROM outbox)"
    ).fetchone()
    return None if row is None else float(row[0])


def _removed(connection: Connection, condition: str, parameters: tuple[Any, ...]) -> int:
    rows = connection.execute(
        f"DELETE FROM outbox WHERE {condition} RETURNING length(answer) + {ROW_BYTES}", parameters
    ).fetchall()
    return sum(row[0] for row in rows)
