"""What an access point keeps of its peers: records of several kinds, each under a peer and a key.

What a record says is for the sessions to know; here it is bytes. A rendezvous file has its content beside it.
"""

from __future__ import annotations

from typing import Literal

from triplewire.store.disk import Connection

Kind = Literal["peer", "wish", "agreement", "file", "pointer"]


def put(connection: Connection, kind: Kind, peer: str, key: str, record: bytes, content: bytes | None = None) -> None:
    """Keep a record, in place of the one that is there."""
    connection.execute(
        "INSERT OR REPLACE INTO sessions (kind, peer, key, record, content) VALUES (?, ?, ?, ?, ?)",
        (kind, peer, key, record, content),
    )


def remove(connection: Connection, kind: Kind, peer: str, key: str) -> None:
    """Forget a record; one that is not there is fine."""
    connection.execute("DELETE FROM sessions WHERE kind = ? AND peer = ? AND key = ?", (kind, peer, key))


def remove_all(connection: Connection, peer: str) -> None:
    """Forget every record of a peer."""
    connection.execute(
        "DELETE FROM sessions WHERE kind IN ('peer', 'wish', 'agreement', 'file', 'pointer') AND peer = ?", (peer,)
    )


def everything(connection: Connection, kind: Kind) -> list[bytes]:
    """Every record of a kind, without contents."""
    rows = connection.execute("SELECT record FROM sessions WHERE kind = ? ORDER BY rowid", (kind,)).fetchall()
    return [row[0] for row in rows]


def content(connection: Connection, peer: str, key: str) -> bytes | None:
    """The content of a rendezvous file."""
    row = connection.execute(
        "SELECT content FROM sessions WHERE kind = 'file' AND peer = ? AND key = ?", (peer, key)
    ).fetchone()
    return None if row is None else bytes(row[0] or b"")
