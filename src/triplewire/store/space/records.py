"""Records under keys, and events with the positions in logs that they follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from triplewire.store.space.regions import after_prefix
from triplewire.store.space.transaction import Transaction

_HORIZON = msgspec.msgpack.Decoder(dict[str, int])


class Records:
    """Tables of records, each by its key."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def put(self, table: str, key: bytes, value: bytes) -> None:
        with self._transaction.change():
            self._transaction.write("INSERT OR REPLACE INTO records VALUES (?, ?, ?)", (table, key, value))

    def get(self, table: str, key: bytes) -> bytes | None:
        rows = self._transaction.read("SELECT value FROM records WHERE kind = ? AND key = ?", (table, key))
        return rows[0][0] if rows else None

    def delete(self, table: str, key: bytes) -> None:
        with self._transaction.change():
            self._transaction.write("DELETE FROM records WHERE kind = ? AND key = ?", (table, key))

    def items(self, table: str, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        end = after_prefix(prefix)
        below, parameters = ("", ()) if end is None else (" AND key < ?", (end,))
        sql = f"SELECT key, value FROM records WHERE kind = ? AND key >= ?{below} ORDER BY key"
        return iter(self._transaction.read(sql, (table, prefix, *parameters)))


class Events:
    """Headers of events by their IRIs. The horizon stands with the header too, so that both go together."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def add(self, event: str, header: bytes, horizon: Mapping[str, int]) -> bool:
        if self.header(event) is not None:
            return False
        encoded = msgspec.msgpack.encode(dict(horizon))
        with self._transaction.change():
            self._transaction.write("INSERT INTO events VALUES (?, ?, ?)", (event, header, encoded))
            for log, position in horizon.items():
                self._transaction.write("INSERT INTO horizons VALUES (?, ?, ?)", (log, position, event))
        return True

    def header(self, event: str) -> bytes | None:
        rows = self._transaction.read("SELECT header FROM events WHERE event = ?", (event,))
        return rows[0][0] if rows else None

    def following(self, log: str, position: int) -> Iterator[bytes]:
        rows = self._transaction.read(
            "SELECT e.header FROM horizons h JOIN events e ON e.event = h.event "
            "WHERE h.log = ? AND h.position >= ? ORDER BY h.position, h.event",
            (log, position),
        )
        return iter([header for (header,) in rows])

    def remove(self, event: str) -> None:
        rows = self._transaction.read("SELECT horizon FROM events WHERE event = ?", (event,))
        if not rows:
            return
        with self._transaction.change():
            for log, position in _HORIZON.decode(rows[0][0]).items():
                self._transaction.write(
                    "DELETE FROM horizons WHERE log = ? AND position = ? AND event = ?", (log, position, event)
                )
            self._transaction.write("DELETE FROM events WHERE event = ?", (event,))
