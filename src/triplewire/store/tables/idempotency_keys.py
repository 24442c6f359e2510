"""Idempotency keys: what was answered to a request, so that sending it again changes nothing."""

from __future__ import annotations

from msgspec import Struct

from triplewire.store.disk import Connection


class StoredResponse(Struct, frozen=True):
    """A request that was answered: a digest of what it asked, and the answer."""

    request: bytes
    receipts: bytes


def find(connection: Connection, publisher: str, key: str) -> StoredResponse | None:
    """What this publisher was answered under this key."""
    row = connection.execute(
        "SELECT request, receipts FROM idempotency WHERE publisher = ? AND key = ?", (publisher, key)
    ).fetchone()
    return None if row is None else StoredResponse(*row)


def remember(connection: Connection, publisher: str, key: str, answered: StoredResponse, accepted: float) -> None:
    """Keep an answer."""
    connection.execute(
        "INSERT INTO idempotency (publisher, key, request, receipts, accepted) VALUES (?, ?, ?, ?, ?)",
        (publisher, key, answered.request, answered.receipts, accepted),
    )


def forget_before(connection: Connection, accepted: float) -> None:
    """Drop answers that are older than that, in Unix seconds."""
    connection.execute("DELETE FROM idempotency WHERE accepted < ?", (accepted,))
