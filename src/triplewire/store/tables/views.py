"""What is kept of a view beside its registration: when it was last evaluated, and what it has not said yet.

A view that joins changes for a while keeps what it will say about them here, in the transactions of the changes; when
its time has come, that moves to the outbox in a transaction of its own. So it survives whatever ends the process.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.store.disk import Connection


class Pending(Struct, frozen=True):
    """What a view will say when it is `due`, in Unix seconds, and as being about which event, by its position."""

    due: float
    position: int
    answer: bytes


def begin(connection: Connection, subscription: int, evaluated: float) -> None:
    """A view begins; its answer is of this time, in Unix seconds."""
    connection.execute("INSERT INTO views (subscription, evaluated) VALUES (?, ?)", (subscription, evaluated))


def set_evaluated(connection: Connection, subscription: int, evaluated: float) -> None:
    """Its answer is of this time."""
    connection.execute("UPDATE views SET evaluated = ? WHERE subscription = ?", (evaluated, subscription))


def evaluated(connection: Connection) -> dict[int, float]:
    """Of what time each answer is."""
    return dict(connection.execute("SELECT subscription, evaluated FROM views").fetchall())


def put_pending(connection: Connection, subscription: int, pending: Pending) -> None:
    """Keep what a view will say, in place of what it would have said."""
    connection.execute(
        "UPDATE views SET due = ?, position = ?, answer = ? WHERE subscription = ?",
        (pending.due, pending.position, pending.answer, subscription),
    )


def pending(connection: Connection, subscription: int) -> Pending | None:
    """What a view will say."""
    row = connection.execute(
        "SELECT due, position, answer FROM views WHERE subscription = ? AND due IS NOT NULL", (subscription,)
    ).fetchone()
    return None if row is None else Pending(*row)


def take_pending(connection: Connection, subscription: int) -> Pending | None:
    """The same; it is for the outbox now."""
    found = pending(connection, subscription)
    connection.execute(
        "UPDATE views SET due = NULL, position = NULL, answer = NULL WHERE subscription = ?", (subscription,)
    )
    return found


def due(connection: Connection) -> dict[int, float]:
    """When each view that has something to say will say it."""
    return dict(connection.execute("SELECT subscription, due FROM views WHERE due IS NOT NULL").fetchall())
