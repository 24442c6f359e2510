"""Many rows in one statement.

Python lets go of its lock for every step of a statement, and may wait for it afterwards; `executemany` takes a step a
row. Beside a busy event loop that is most of the time that a commit takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from triplewire.store.disk import Connection

_ROWS = 64


def insert(connection: Connection, into: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows; `into` is the statement up to VALUES."""
    for start in range(0, len(rows), _ROWS):
        part = rows[start : start + _ROWS]
        places = ", ".join(["(" + ", ".join("?" * len(part[0])) + ")"] * len(part))
        connection.execute(f"{into} VALUES {places}", tuple(chain.from_iterable(part)))
