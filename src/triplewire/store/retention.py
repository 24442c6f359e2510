"""Retention: the oldest events go when they are too old, or when there are too many bytes of them.

The log is cut at one place, the new floor: everything up to it goes, and notifications about it too. A subscription
that loses something unread gets a gap, which its owner gets to know.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.store.disk import Connection
from triplewire.store.tables import metadata, registry
from triplewire.store.tables.outbox import ROW_BYTES

KEY_SECONDS = 86_400.0


class Retention(Struct, frozen=True):
    """How long events are kept, in seconds, and how many bytes of them. None is for ever, and all.

    `keys` is how long an idempotency key is remembered, in seconds.
    """

    age: float | None = None
    size: int | None = None
    keys: float = KEY_SECONDS


class Trimmed(Struct, frozen=True):
    """What was removed: the new floor, the events' IRIs, their bytes, and bytes of notifications by subscription."""

    floor: int
    graphs: tuple[str, ...] = ()
    size: int = 0
    outbox_bytes: dict[int, int] = {}


class Due(Struct, frozen=True):
    """What retention no longer keeps: everything up to a floor, which are these events."""

    floor: int = 0
    graphs: tuple[str, ...] = ()


def due(
    connection: Connection,
    retention: Retention,
    now: float,
    log_bytes: int,
    most: int = 1_000,
    last: int | None = None,
) -> Due:
    """What is to be removed next, at most so many events, and none behind the position `last`. Nothing is changed."""
    rows = connection.execute(
        "SELECT position, graph, length(nquads), accepted FROM events ORDER BY position LIMIT ?", (most,)
    ).fetchall()
    graphs: list[str] = []
    floor = size = 0
    for position, graph, length, accepted in rows:
        is_old = retention.age is not None and accepted < now - retention.age
        is_much = retention.size is not None and log_bytes - size > retention.size
        is_needed = last is not None and position > last
        if is_needed or not (is_old or is_much):
            break
        floor, size = position, size + length
        graphs.append(graph)
    return Due(floor, tuple(graphs))


def cut(connection: Connection, floor: int) -> Trimmed:
    """Remove everything up to there, and what waits about it."""
    rows = connection.execute("SELECT graph, length(nquads) FROM events WHERE position <= ?", (floor,)).fetchall()
    if not rows:
        return Trimmed(0)
    dropped = _drop_entries(connection, "position <= ?", (floor,))
    connection.execute("DELETE FROM events WHERE position <= ?", (floor,))
    metadata.put(connection, "floor", floor)
    return Trimmed(floor, tuple(graph for graph, _ in rows), sum(size for _, size in rows), dropped)


def expire(connection: Connection, subscription: int, accepted_before: float) -> dict[int, int]:
    """Remove a subscription's notifications about events that came before that; returns bytes by subscription."""
    row = connection.execute(
        "SELECT max(o.position) FROM outbox o JOIN events e ON e.position = o.position "
        "WHERE o.subscription = ? AND e.accepted < ?",
        (subscription, accepted_before),
    ).fetchone()
    if row[0] is None:
        return {}
    return _drop_entries(connection, "subscription = ? AND position <= ?", (subscription, row[0]))


def drop_read(connection: Connection, subscription: int, position: int) -> dict[int, int]:
    """Remove what was read but not acknowledged, to make room; a reader that asks for it again gets the gap."""
    return _drop_entries(connection, "subscription = ? AND position <= ?", (subscription, position))


def _drop_entries(connection: Connection, condition: str, parameters: tuple[float, ...]) -> dict[int, int]:
    rows = connection.execute(
        f"SELECT subscription, max(position), sum(length(answer) + {ROW_BYTES}) FROM outbox "
        f"WHERE {condition} GROUP BY subscription",
        parameters,
    ).fetchall()
    connection.execute(f"DELETE FROM outbox WHERE {condition}", parameters)
    for subscription, position, _ in rows:
        registry.set_gap(connection, subscription, position)
    return {subscription: size for subscription, _, size in rows}
