"""A partial order of keys, kept as its transitive reduction: each key knows its nearest above and its nearest below."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct, field


class _Neighbours(Struct, eq=False):
    """A key's neighbours. The sets are dicts, which keep their order."""

    parents: dict[str, None] = field(default_factory=dict)
    children: dict[str, None] = field(default_factory=dict)


class Order:
    """The order relation.

    >>> order = Order()
    >>> order.add("top", parents=[], children=[])
    >>> order.add("bottom", parents=["top"], children=[])
    >>> order.add("middle", parents=["top"], children=["bottom"])
    >>> list(order.children("top")), list(order.above("bottom"))
    (['middle'], ['middle', 'top'])
    """

    def __init__(self) -> None:
        self._neighbours: dict[str, _Neighbours] = {}

    def add(self, key: str, *, parents: Iterable[str], children: Iterable[str]) -> None:
        """Insert a key between its nearest above and its nearest below."""
        self._neighbours[key] = _Neighbours()
        for parent in parents:
            self._link(key, parent)
        above = self.above(key)
        for child in children:
            # What is above the newcomer is no longer nearest above its child.
            for parent in [known for known in self._neighbours[child].parents if known in above]:
                self._unlink(child, parent)
            self._link(child, key)

    def remove(self, key: str) -> None:
        """Remove a key. What was below it is still below what was above it."""
        parents, children = tuple(self.parents(key)), tuple(self.children(key))
        for parent in parents:
            self._unlink(key, parent)
        for child in children:
            self._unlink(child, key)
        del self._neighbours[key]
        for child in children:
            reached = self.above(child)
            for parent in parents:
                if parent not in reached:
                    self._link(child, parent)

    def parents(self, key: str) -> Mapping[str, None]:
        return self._neighbours[key].parents

    def children(self, key: str) -> Mapping[str, None]:
        return self._neighbours[key].children

    def above(self, key: str) -> dict[str, None]:
        """Everything above a key, the nearest first."""
        return _reached(key, self.parents)

    def below(self, key: str) -> dict[str, None]:
        """Everything below a key, the nearest first."""
        return _reached(key, self.children)

    def lowest(self, keys: Mapping[str, None]) -> list[str]:
        """Those that have no child among the keys."""
        return [key for key in keys if keys.keys().isdisjoint(self.children(key))]

    def _link(self, child: str, parent: str) -> None:
        self._neighbours[child].parents[parent] = None
        self._neighbours[parent].children[child] = None

    def _unlink(self, child: str, parent: str) -> None:
        del self._neighbours[child].parents[parent]
        del self._neighbours[parent].children[child]


def _reached(key: str, further: Callable[[str], Iterable[str]]) -> dict[str, None]:
    found: dict[str, None] = {}
    waiting = list(further(key))
    while waiting:
        found.update(dict.fromkeys(waiting))
        waiting = [step for near in waiting for step in further(near) if step not in found]
    return found
