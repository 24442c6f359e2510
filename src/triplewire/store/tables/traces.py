"""Traces of schedules: for each of their transactions, what it did and what rules did in it."""

from __future__ import annotations

from collections.abc import Mapping

from triplewire.store.bulk_insert import insert
from triplewire.store.disk import Connection


def put(connection: Connection, schedule: int, traces: Mapping[str, bytes]) -> None:
    """Keep the traces of a schedule, by transaction."""
    rows = [(schedule, name, trace) for name, trace in traces.items()]
    insert(connection, "INSERT INTO traces (schedule, name, trace)", rows)


def of(connection: Connection, schedule: int) -> list[bytes]:
    """The traces of a schedule."""
    rows = connection.execute("SELECT trace FROM traces WHERE schedule = ?", (schedule,)).fetchall()
    return [row[0] for row in rows]


def latest(connection: Connection, transaction: str) -> int | None:
    """The last schedule with a transaction of that name."""
    position: int | None = connection.execute(
        "SELECT max(schedule) FROM traces WHERE name = ?", (transaction,)
    ).fetchone()[0]
    return position


def forget(connection: Connection, schedule: int) -> None:
    """Drop the traces of schedules up to a position."""
    connection.execute("DELETE FROM traces WHERE schedule <= ?", (schedule,))
