"""Records under keys, and events with the positions in logs that they follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from triplewire.store.space.regions import after_prefix
from triplewire.store.space.transaction import Transaction

_HORIZON = msgspec.msgpack.Decoder(dict[str, int])


class Records:
    """Tables of records, each by its key.

    Changes stay in memory until they are written together, before a commit or a scan: a batch changes many records,
    some of them several times, and a statement for each would cost more than all else that is done for it.
    """

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        # The latest value of each changed record, None for one that is gone.
        self._changed: dict[tuple[str, bytes], bytes | None] = {}

    def put(self, table: str, key: bytes, value: bytes) -> None:
        self._transaction.require_working()
        self._changed[table, key] = value

    def get(self, table: str, key: bytes) -> bytes | None:
        self._transaction.require_working()
        if (table, key) in self._changed:
            return self._changed[table, key]
        rows = self._transaction.read("SELECT value FROM records WHERE kind = ? AND key = ?", (table, key))
        return rows[0][0] if rows else None

    def delete(self, table: str, key: bytes) -> None:
        self._transaction.require_working()
        self._changed[table, key] = None

    def items(self, table: str, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        self.write()
        end = after_prefix(prefix)
        below, parameters = ("", ()) if end is None else (" AND key < ?", (end,))
        sql = f"SELECT key, value FROM records WHERE kind = ? AND key >= ?{below} ORDER BY key"
        return iter(self._transaction.read(sql, (table, prefix, *parameters)))

    def write(self) -> None:
        """Write what has changed."""
        if not self._changed:
            return
        put = [(*name, value) for name, value in sorted(self._changed.items()) if value is not None]
        gone = [name for name, value in sorted(self._changed.items()) if value is None]
        with self._transaction.change():
            if gone:
                self._transaction.write_many("DELETE FROM records WHERE kind = ? AND key = ?", gone)
            if put:
                self._transaction.write_many("INSERT OR REPLACE INTO records VALUES (?, ?, ?)", put)
        self._changed.clear()


class Events:
    """Headers of events by their IRIs. The horizon stands with the header too, so that both go together.

    As with records, those that are added are written together.
    """

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self._added: dict[str, tuple[bytes, Mapping[str, int]]] = {}

    def add(self, event: str, header: bytes, horizon: Mapping[str, int]) -> bool:
        if self.header(event) is not None:
            return False
        self._added[event] = header, dict(horizon)
        return True

    def write(self) -> None:
        """Write what was added."""
        if not self._added:
            return
        added = sorted(self._added.items())
        headers = [(event, header, msgspec.msgpack.encode(horizon)) for event, (header, horizon) in added]
        horizons = [(log, at, event) for event, (_, horizon) in added for log, at in horizon.items()]
        with self._transaction.change():
            self._transaction.write_many("INSERT INTO events VALUES (?, ?, ?)", headers)
            if horizons:
                self._transaction.write_many("INSERT INTO horizons VALUES (?, ?, ?)", sorted(horizons))
        self._added.clear()

    def header(self, event: str) -> bytes | None:
        self._transaction.require_working()
        if event in self._added:
            return self._added[event][0]
        rows = self._transaction.read("SELECT header FROM events WHERE event = ?", (event,))
        return rows[0][0] if rows else None

    def following(self, log: str, position: int) -> Iterator[bytes]:
        self.write()
        rows = self._transaction.read(
            "SELECT e.header FROM horizons h JOIN events e ON e.event = h.event "
            "WHERE h.log = ? AND h.position >= ? ORDER BY h.position, h.event",
            (log, position),
        )
        return iter([header for (header,) in rows])

    def remove(self, event: str) -> None:
        self.write()
        rows = self._transaction.read("SELECT horizon FROM events WHERE event = ?", (event,))
        if not rows:
            return
        with self._transaction.change():
            for log, position in _HORIZON.decode(rows[0][0]).items():
                self._transaction.write(
                    "DELETE FROM horizons WHERE log = ? AND position = ? AND event = ?", (log, position, event)
                )
            self._transaction.write("DELETE FROM events WHERE event = ?", (event,))
