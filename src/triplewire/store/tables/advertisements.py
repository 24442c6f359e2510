"""What clients have advertised that they will publish.

An advertisement that is derived was not given by its owner: the node made it from what the owner has published.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.store.disk import Connection


class AdvertisementRecord(Struct, frozen=True):
    """One advertisement as it is kept, in Turtle. `ends` is when it expires, in Unix seconds."""

    owner: str
    name: str
    rdf: str
    is_derived: bool = False
    ends: float | None = None


def put(connection: Connection, record: AdvertisementRecord) -> None:
    """Keep an advertisement, in place of the one with its name."""
    connection.execute(
        "INSERT OR REPLACE INTO advertisements (owner, name, rdf, is_derived, ends) VALUES (?, ?, ?, ?, ?)",
        (record.owner, record.name, record.rdf, record.is_derived, record.ends),
    )


def remove(connection: Connection, record: AdvertisementRecord) -> None:
    """Forget an advertisement, unless another stands in its place by now."""
    connection.execute(
        "DELETE FROM advertisements WHERE owner = ? AND name = ? AND is_derived = ? AND rdf = ? AND ends IS ?",
        (record.owner, record.name, record.is_derived, record.rdf, record.ends),
    )


def everyone(connection: Connection) -> list[AdvertisementRecord]:
    """Every advertisement, in order of owner and name."""
    rows = connection.execute(
        "SELECT owner, name, rdf, is_derived, ends FROM advertisements ORDER BY owner, name, is_derived"
    ).fetchall()
    return [AdvertisementRecord(owner, name, rdf, bool(derived), ends) for owner, name, rdf, derived, ends in rows]
