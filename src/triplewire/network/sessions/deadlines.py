"""Deadlines by key. One that is moved on costs nothing until the old one is reached."""

from __future__ import annotations

import heapq

Key = tuple[str, ...]


class Deadlines:
    """One deadline for each key.

    >>> deadlines = Deadlines()
    >>> deadlines.set(("a",), 5.0); deadlines.set(("b",), 2.0); deadlines.set(("b",), 3.0)
    >>> deadlines.due(2.5), deadlines.due(4.0)
    ([], [('b',)])
    """

    def __init__(self) -> None:
        self._when: dict[Key, float] = {}
        self._queued: dict[Key, float] = {}
        self._heap: list[tuple[float, Key]] = []

    def set(self, key: Key, when: float) -> None:
        """Set the deadline of a key."""
        self._when[key] = when
        if self._queued.get(key, float("inf")) > when:
            self._queued[key] = when
            heapq.heappush(self._heap, (when, key))

    def clear(self, key: Key) -> None:
        """Remove the deadline of a key."""
        self._when.pop(key, None)

    def due(self, now: float) -> list[Key]:
        """Take the keys whose deadline has passed, in order."""
        found = []
        while self._heap and self._heap[0][0] <= now:
            queued, key = heapq.heappop(self._heap)
            if self._queued.get(key) != queued:
                continue
            del self._queued[key]
            when = self._when.get(key)
            if when is None:
                continue
            if when > now:
                self.set(key, when)
            else:
                del self._when[key]
                found.append(key)
        return found
