"""The registry: who subscribed to what, and how far each subscription has come.

`frontier` is None for a subscription that is live: every new event is matched against it. A number means that it is
catching up: events up to there have been matched, the rest is matched from the log, in the background. `cursor` is how
far its owner has acknowledged; `gap` is the highest position at which retention removed something unread.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

from triplewire.store.disk import Connection

Payload = Literal["solutions", "event", "construct"]
Delivery = Literal["pull", "webhook"]
# How a webhook speaks: as this API has it, or as a protocol of others.
Protocol = Literal["standard", "websub", "solid"]
# The language of views: queries over the living graph. All others are about one event at a time.
VIEW = "view"

_COLUMNS = "number, owner, name, language, text, options, created, frontier, cursor, gap, quarantined"


class SubscriptionOptions(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How notifications are made and sent. `retention` is how long an unread one is kept, in seconds.

    `lease_ends` is when the callback must be proven again, in Unix seconds. `window` is for how many seconds a view
    joins what changes into one notification. `why` asks for what each solution stands on. `topic` is the address of
    what a webhook of another `protocol` is about; such a subscription was made by that protocol, and ends with it.
    While it is `paused`, nothing is handed out: what comes waits.
    """

    payload: Payload = "solutions"
    delivery: Delivery = "pull"
    callback: str | None = None
    callback_secret: str | None = None
    lease_ends: float | None = None
    retention: float | None = None
    window: float | None = None
    why: bool = False
    protocol: Protocol = "standard"
    topic: str | None = None
    paused: bool = False


class SubscriptionRecord(Struct, frozen=True):
    """One subscription as it is kept. `number` is its name inside the node; owner and name together are outside."""

    number: int
    owner: str
    name: str
    language: str
    text: str
    options: SubscriptionOptions
    created: int
    frontier: int | None
    cursor: int
    gap: int = 0
    quarantined: str | None = None

    @property
    def is_live(self) -> bool:
        return self.frontier is None

    @property
    def is_view(self) -> bool:
        return self.language == VIEW


def insert(connection: Connection, record: SubscriptionRecord) -> SubscriptionRecord:
    """Keep a new subscription; its number is chosen here."""
    row = (
        record.owner,
        record.name,
        record.language,
        record.text,
        msgspec.json.encode(record.options),
        record.created,
        record.frontier,
        record.cursor,
    )
    number = connection.execute(
        "INSERT INTO subscriptions (owner, name, language, text, options, created, frontier, cursor) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING number",
        row,
    ).fetchone()[0]
    return msgspec.structs.replace(record, number=number)


def delete(connection: Connection, number: int) -> None:
    """Forget a subscription, its outbox and its dead letters."""
    connection.execute("DELETE FROM subscriptions WHERE number = ?", (number,))
    for table in ("outbox", "dead_letters", "views"):
        connection.execute(f"DELETE FROM {table} WHERE subscription = ?", (number,))


def replace(connection: Connection, number: int, fresh: SubscriptionRecord) -> SubscriptionRecord:
    """Put a fresh record in the place of another; what waited for that one is dropped, its dead letters are kept."""
    connection.execute("DELETE FROM subscriptions WHERE number = ?", (number,))
    for table in ("outbox", "views"):
        connection.execute(f"DELETE FROM {table} WHERE subscription = ?", (number,))
    kept = insert(connection, fresh)
    connection.execute("UPDATE dead_letters SET subscription = ? WHERE subscription = ?", (kept.number, number))
    return kept


def everyone(connection: Connection) -> list[SubscriptionRecord]:
    """Every subscription, oldest first."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM subscriptions ORDER BY number").fetchall()
    return [_record(row) for row in rows]


def find(connection: Connection, number: int) -> SubscriptionRecord | None:
    """A subscription by its number."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM subscriptions WHERE number = ?", (number,)).fetchone()
    return None if row is None else _record(row)


def set_frontier(connection: Connection, number: int, frontier: int | None) -> None:
    """Note how far a subscription has caught up; None makes it live."""
    connection.execute("UPDATE subscriptions SET frontier = ? WHERE number = ?", (frontier, number))


def set_cursor(connection: Connection, number: int, position: int) -> None:
    """Note an acknowledgement; it never goes back."""
    connection.execute("UPDATE subscriptions SET cursor = max(cursor, ?) WHERE number = ?", (position, number))


def set_gap(connection: Connection, number: int, position: int) -> None:
    """Note that something unread was removed, up to this position."""
    connection.execute("UPDATE subscriptions SET gap = max(gap, ?) WHERE number = ?", (position, number))


def set_options(connection: Connection, number: int, options: SubscriptionOptions) -> None:
    """Change how notifications are made and sent."""
    row = (msgspec.json.encode(options), number)
    connection.execute("UPDATE subscriptions SET options = ? WHERE number = ?", row)


def quarantine(connection: Connection, number: int, reason: str) -> None:
    """Note that a subscription is not evaluated any more, and why."""
    connection.execute("UPDATE subscriptions SET quarantined = ? WHERE number = ?", (reason, number))


def _record(row: tuple[Any, ...]) -> SubscriptionRecord:
    number, owner, name, language, text, options, *rest = row
    return SubscriptionRecord(
        number, owner, name, language, text, msgspec.json.decode(options, type=SubscriptionOptions), *rest
    )
