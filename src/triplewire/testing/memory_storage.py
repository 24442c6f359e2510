"""A storage in memory, with crashes: what was not committed is lost."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from triplewire.network.can.geometry.space import Box, Point


class MemoryStorage:
    """A `SpaceStorage`. `crash` takes back what was not committed; `fail_with` is raised by the next commits."""

    def __init__(self) -> None:
        self.fail_with: Exception | None = None
        self.commits = 0
        self._tables: defaultdict[str, dict[bytes, bytes]] = defaultdict(dict)
        self._events: dict[str, tuple[bytes, dict[str, int]]] = {}
        self._horizons: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
        self._quads: dict[bytes, set[Point]] = {}
        self._counts: dict[Box, int] = {}
        self._undo: list[Callable[[], object]] = []

    # Records

    def put(self, table: str, key: bytes, value: bytes) -> None:
        self._restorable(table, key)
        self._tables[table][key] = value

    def get(self, table: str, key: bytes) -> bytes | None:
        return self._tables[table].get(key)

    def delete(self, table: str, key: bytes) -> None:
        self._restorable(table, key)
        self._tables[table].pop(key, None)

    def items(self, table: str, prefix: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        found = self._tables[table]
        return iter([(key, found[key]) for key in sorted(found) if key.startswith(prefix)])

    # Events

    def add_event(self, event: str, header: bytes, horizon: Mapping[str, int]) -> bool:
        if event in self._events:
            return False
        self._undo.append(lambda: self._drop_event(event))
        self._events[event] = (header, dict(horizon))
        for log, position in horizon.items():
            insort(self._horizons[log], (position, event))
        return True

    def event(self, event: str) -> bytes | None:
        found = self._events.get(event)
        return None if found is None else found[0]

    def events_following(self, log: str, position: int) -> Iterator[bytes]:
        entries = self._horizons.get(log, [])
        return iter([self._events[event][0] for _, event in entries[bisect_left(entries, (position, "")) :]])

    def remove_event(self, event: str) -> None:
        found = self._events.get(event)
        if found is not None:
            self._drop_event(event)
            self._undo.append(lambda: self.add_event(event, *found))

    # Quadruples

    def add_quads(self, points: Sequence[Point]) -> list[Point]:
        fresh = [point for point in dict.fromkeys(points) if point not in self._quads.get(point[0], ())]
        self._change(fresh, ())
        self._undo.append(lambda: self._change((), fresh))
        return fresh

    def quads(self, box: Box, after: Point | None = None, limit: int | None = None) -> list[Point]:
        found = (point for point in sorted(self._candidates(box)) if point in box and (after is None or point > after))
        return list(islice(found, limit))

    def quads_in(self, boxes: Iterable[Box], after: Point | None = None, limit: int | None = None) -> list[Point]:
        found = {point for box in boxes for point in self.quads(box, after, limit)}
        return sorted(found)[:limit]

    def count(self, box: Box) -> int:
        if box not in self._counts:
            self._counts[box] = sum(point in box for point in self._candidates(box))
        return self._counts[box]

    def remove_quads(self, box: Box) -> int:
        gone = [point for point in self._candidates(box) if point in box]
        self._change((), gone)
        self._undo.append(lambda: self._change(gone, ()))
        return len(gone)

    # Commits

    def commit(self) -> None:
        if self.fail_with is not None:
            raise self.fail_with
        self._undo.clear()
        self.commits += 1

    def crash(self) -> None:
        """Take back what was not committed."""
        while self._undo:
            undo = self._undo.pop()
            kept, self._undo = self._undo, []
            undo()
            self._undo = kept

    # Private

    def _restorable(self, table: str, key: bytes) -> None:
        before = self._tables[table].get(key)
        if before is None:
            self._undo.append(lambda: self._tables[table].pop(key, None))
        else:
            self._undo.append(lambda: self._tables[table].update({key: before}))

    def _drop_event(self, event: str) -> None:
        _, horizon = self._events.pop(event)
        for log, position in horizon.items():
            self._horizons[log].remove((position, event))

    def _candidates(self, box: Box) -> list[Point]:
        graph = box.graph
        if graph.upper == graph.lower + b"\0":
            return list(self._quads.get(graph.lower, ()))
        return [point for name, points in self._quads.items() if name in graph for point in points]

    def _change(self, added: Sequence[Point], removed: Sequence[Point]) -> None:
        for point in added:
            self._quads.setdefault(point[0], set()).add(point)
        for point in removed:
            of_graph = self._quads[point[0]]
            of_graph.discard(point)
            if not of_graph:
                del self._quads[point[0]]
        for box in self._counts:
            self._counts[box] += sum(point in box for point in added) - sum(point in box for point in removed)
