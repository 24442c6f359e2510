"""Dead letters: notifications that could not be delivered after every try, kept with the reason until sent again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from triplewire.store.disk import Connection

_COLUMNS = "id, subscription, position, event, answer, reason, attempts, buried, nquads"


class DeadLetter(Struct, frozen=True):
    """A notification that nobody took. `given_up` is when it was given up, in Unix seconds.

    `nquads` is the event as its subscriber may see it, where the subscription asks for events.
    """

    id: int
    subscription: int
    position: int
    event: str
    answer: bytes
    reason: str
    attempts: int
    given_up: float
    nquads: bytes | None = None


def add(connection: Connection, letter: DeadLetter) -> None:
    """Keep a letter; one about the same notification is replaced. The identifier is chosen here."""
    connection.execute(
        "INSERT OR REPLACE INTO dead_letters (subscription, position, event, answer, reason, attempts, buried, nquads) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            letter.subscription,
            letter.position,
            letter.event,
            letter.answer,
            letter.reason,
            letter.attempts,
            letter.given_up,
            letter.nquads,
        ),
    )


def after(connection: Connection, id: int, limit: int) -> list[DeadLetter]:  # noqa: A002  the column's name
    """Letters that follow an identifier, oldest first."""
    return _found(connection, "id > ?", (id, limit))


def of_owner(connection: Connection, owner: str, id: int, limit: int) -> list[DeadLetter]:  # noqa: A002  see above
    """The same, of one client's subscriptions only."""
    mine = "subscription IN (SELECT number FROM subscriptions WHERE owner = ?)"
    return _found(connection, f"{mine} AND id > ?", (owner, id, limit))


def of_subscriptions(connection: Connection, numbers: Sequence[int], id: int, limit: int) -> list[DeadLetter]:  # noqa: A002
    """The same, of these subscriptions only."""
    these = "subscription IN (SELECT value FROM json_each(?))"
    return _found(connection, f"{these} AND id > ?", (json.dumps(list(numbers)), id, limit))


def _found(connection: Connection, condition: str, parameters: tuple[Any, ...]) -> list[DeadLetter]:
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM dead_letters WHERE {condition} ORDER BY id LIMIT ?", parameters
    ).fetchall()
    return [DeadLetter(*row) for row in rows]


def count(connection: Connection, owner: str | None = None) -> int:
    """How many letters there are, of one client's subscriptions or of all."""
    mine = "subscription IN (SELECT number FROM subscriptions WHERE owner = ?1)"
    row = connection.execute(f"SELECT count(*) FROM dead_letters WHERE ?1 IS NULL OR {mine}", (owner,)).fetchone()
    return int(row[0])


def find(connection: Connection, id: int) -> DeadLetter | None:  # noqa: A002  the column's name
    """One letter."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM dead_letters WHERE id = ?", (id,)).fetchone()
    return None if row is None else DeadLetter(*row)


def remove(connection: Connection, id: int) -> None:  # noqa: A002  the column's name
    """Forget a letter: it was delivered after all, or nobody wants it."""
    connection.execute("DELETE FROM dead_letters WHERE id = ?", (id,))
