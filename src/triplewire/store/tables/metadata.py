"""Metadata: the few single values that must survive, by name. The table is called `facts`."""

from __future__ import annotations

from typing import Any

from triplewire.store.disk import Connection


def get(connection: Connection, name: str) -> Any:
    """The value of that name, or None."""
    row = connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
    return None if row is None else row[0]


def put(connection: Connection, name: str, value: Any) -> None:
    """Set the value of a name."""
    connection.execute("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", (name, value))
