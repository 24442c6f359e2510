"""Index updates: the indices follow the quadruples, a lot at a time, and a little of it with every commit.

An entry alone costs a page, and its neighbours next to nothing, so entries of many quadruples are written together, in
the order of the index. All of them at once would keep everybody waiting: each commit writes the next few of a lot.

Which graphs the indices do not know is in the database (`unindexed`) until the whole lot is written, so that a restart
begins it again. Who wants to read by an index brings all of them up to date first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeVar

from msgspec import Struct

from triplewire.store.space.queries import COLUMNS
from triplewire.store.space.transaction import Transaction

Row = TypeVar("Row", bound=tuple[bytes, ...])

# How many quadruples make a lot.
_LOT = 20_000
# How many entries a commit writes at least. A lot has three for each quadruple, so what is added is caught up with.
_STEP = 500
_STEP_SHARE = 4
_ROWS = 64
_INDEXED = COLUMNS[1:]
_ENTRIES = """SELECT DISTINCT q.{x}, q.g FROM unindexed u CROSS JOIN quads q ON q.g = u.g
    WHERE u.number <= ? ORDER BY 1, 2"""
_ALL = "INSERT OR IGNORE INTO by_{x} " + _ENTRIES
# The entries of a lot for one index, in memory.
_TABLE = "CREATE TEMP TABLE entries (number INTEGER PRIMARY KEY, x BLOB NOT NULL, g BLOB NOT NULL)"
_FILL = "INSERT INTO temp.entries (x, g) " + _ENTRIES
_WRITE = "INSERT OR IGNORE INTO by_{x} SELECT x, g FROM temp.entries WHERE number BETWEEN ? AND ?"


class _Lot(Struct):
    """Graphs up to a number, with so many new quadruples: the columns left, and how far the first of them has come."""

    last: int
    quads: int
    columns: list[str]
    entries: int | None = None
    written: int = 0


class IndexUpdates:
    """What the indices of one storage do not know yet."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        transaction.read(_TABLE)
        # Graphs that changed since the last commit; they are noted in the database once, however often.
        self._changed: dict[bytes, None] = {}
        self._waiting: int = transaction.read("SELECT count(*) FROM unindexed")[0][0]
        self._added = 0
        self._lot: _Lot | None = None

    def added(self, graphs: Sequence[bytes]) -> None:
        """Quadruples of these graphs were added."""
        self._changed.update(dict.fromkeys(graphs))
        self._waiting += len(graphs)
        self._added += len(graphs)

    def removed(self, count: int) -> None:
        """So many quadruples are gone, and what is left of their graphs was noted in the database."""
        self._waiting += count
        # It may have entries of what is gone.
        self._lot = None

    def finish(self) -> None:
        """Bring the indices up to date, all at once: somebody wants to read by them."""
        if not self._waiting:
            return
        with self._transaction.change():
            self._note_changed()
            last = self._last()
            for x in _INDEXED:
                self._transaction.write(_ALL.format(x=x), (last,))
            self._transaction.write("DELETE FROM unindexed")
        self._changed.clear()
        self._waiting = 0
        self._lot = None

    def before_commit(self) -> None:
        """Write down which graphs the indices do not know, and the next entries of the lot."""
        if self._changed:
            with self._transaction.change():
                self._note_changed()
            self._changed.clear()
        if self._lot is None and self._waiting >= _LOT:
            self._lot = _Lot(self._last(), self._waiting, list(_INDEXED))
        if self._lot is not None:
            self._go_on(self._lot)
        self._added = 0

    # Private

    def _go_on(self, lot: _Lot) -> None:
        column = lot.columns[0]
        with self._transaction.change():
            entries = self._filled(lot) if lot.entries is None else lot.entries
            end = min(lot.written + max(_STEP, _STEP_SHARE * self._added), entries)
            self._transaction.write(_WRITE.format(x=column), (lot.written + 1, end))
            if end == entries and len(lot.columns) == 1:
                self._transaction.write("DELETE FROM unindexed WHERE number <= ?", (lot.last,))
        lot.entries, lot.written = entries, end
        if end == entries:
            self._end_column(lot)

    def _filled(self, lot: _Lot) -> int:
        """Note the entries of the next column; returns how many there are."""
        self._transaction.write("DELETE FROM temp.entries")
        self._transaction.write(_FILL.format(x=lot.columns[0]), (lot.last,))
        count: int = self._transaction.read("SELECT count(*) FROM temp.entries")[0][0]
        return count

    def _end_column(self, lot: _Lot) -> None:
        del lot.columns[0]
        lot.entries, lot.written = None, 0
        if not lot.columns:
            self._lot = None
            self._waiting -= lot.quads

    def _last(self) -> int:
        last: int = self._transaction.read("SELECT coalesce(max(number), 0) FROM unindexed")[0][0]
        return last

    def _note_changed(self) -> None:
        for part in parts([(graph,) for graph in self._changed]):
            self._transaction.write(f"INSERT INTO unindexed (g) {values(part)}", flat(part))


def parts(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """Rows, as many at a time as a statement takes."""
    return (rows[start : start + _ROWS] for start in range(0, len(rows), _ROWS))


def values(rows: Sequence[tuple[bytes, ...]]) -> str:
    """Places for the values of rows."""
    return "VALUES " + ", ".join(["(" + ", ".join("?" * len(rows[0])) + ")"] * len(rows))


def flat(rows: Iterable[tuple[bytes, ...]]) -> tuple[bytes, ...]:
    """The values of rows, one after the other."""
    return tuple(chain.from_iterable(rows))
