"""What happened before what: by positions in the logs of nodes, never by a clock.

A node numbers all that clients do through it, subscriptions and publications alike. A client that goes to another node
brings along how far it has come in the logs of those before. What is ordered neither way is concurrent.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Mapping

from msgspec import Struct


class Stamp(Struct, frozen=True, array_like=True):
    """A position in the log of a node, from 1, and the positions in other logs that its client has `seen` by then.

    >>> subscribed, published = Stamp("a", 5), Stamp("b", 2, (("a", 7),))
    >>> published.follows(subscribed), subscribed.follows(published), published.follows(Stamp("a", 8))
    (True, False, False)
    """

    origin: str
    position: int
    seen: tuple[tuple[str, int], ...] = ()

    @property
    def horizon(self) -> dict[str, int]:
        """For each log, the last position that this one follows."""
        return {**dict(self.seen), self.origin: self.position - 1}

    def follows(self, other: Stamp) -> bool:
        """Whether the other one happened before this one."""
        return self.horizon.get(other.origin, 0) >= other.position


def stamp(origin: str, position: int, seen: Mapping[str, int]) -> Stamp:
    """The stamp of a client that has seen so much."""
    return Stamp(origin, position, tuple(sorted((log, at) for log, at in seen.items() if log != origin)))


class StampIndex:
    """Names of publications, found by what they follow."""

    def __init__(self) -> None:
        self._by_log: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)

    def add(self, name: str, published: Stamp) -> None:
        for log, position in published.horizon.items():
            insort(self._by_log[log], (position, name))

    def remove(self, name: str, published: Stamp) -> None:
        for log, position in published.horizon.items():
            self._by_log[log].remove((position, name))

    def following(self, subscribed: Stamp) -> list[str]:
        """The publications that happened after a subscription."""
        entries = self._by_log.get(subscribed.origin, [])
        return [name for _, name in entries[bisect_left(entries, (subscribed.position, "")) :]]
