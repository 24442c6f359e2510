"""ORDER BY with LIMIT: the rows that are shown, and more of those behind them, so that few are ever missing."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable

from triplewire.evaluation.order import Key
from triplewire.evaluation.work import Bindings

Entry = tuple[Key, Bindings]
_SPARE = 64


class Window:
    """The first rows in order. Rows up to `_boundary` are all here; None if there are no others."""

    def __init__(self, offset: int, limit: int | None) -> None:
        self._offset = offset
        self._end = None if limit is None else offset + limit
        self._capacity = None if self._end is None else 2 * self._end + _SPARE
        self._entries: list[Entry] = []
        self._boundary: Key | None = None

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def rows(self) -> list[Bindings]:
        """What is shown."""
        return [row for _, row in self._entries[self._offset : self._end]]

    @property
    def is_short(self) -> bool:
        """Whether rows are missing that are not here."""
        return self._boundary is not None and self._end is not None and len(self._entries) < self._end

    def fill(self, entries: Iterable[Entry]) -> None:
        """Begin anew, from all rows."""
        self._entries = sorted(entries, key=_key)
        self._boundary = None
        self._cut()

    def change(self, added: Iterable[Entry], removed: Iterable[Entry]) -> None:
        for key, row in removed:
            if self._is_within(key):
                self._remove(key, row)
        for entry in added:
            if self._is_within(entry[0]):
                insort(self._entries, entry, key=_key)
        if self._capacity is not None and len(self._entries) > 2 * self._capacity:
            self._cut()

    def _is_within(self, key: Key) -> bool:
        return self._boundary is None or not self._boundary < key

    def _remove(self, key: Key, row: Bindings) -> None:
        # Rows with the same key show the same.
        at = bisect_left(self._entries, key, key=_key)
        assert self._entries[at][1] == row, "a row that is removed was there"
        del self._entries[at]

    def _cut(self) -> None:
        if self._capacity is None or len(self._entries) <= self._capacity:
            return
        last = self._entries[self._capacity - 1][0]
        del self._entries[bisect_right(self._entries, last, key=_key) :]
        self._boundary = last


def _key(entry: Entry) -> Key:
    return entry[0]
