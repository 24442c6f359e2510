"""What happened before what: by positions in the logs of nodes, never by a clock.

A node numbers all that clients do through it, subscriptions and publications alike. A client that goes to another node
brings along how far it has come in the logs of those before. What is ordered neither way is concurrent.
"""

from __future__ import annotations

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
        if other.origin == self.origin:
            return self.position > other.position
        return any(log == other.origin and position >= other.position for log, position in self.seen)


def stamp(origin: str, position: int, seen: Mapping[str, int]) -> Stamp:
    """The stamp of a client that has seen so much."""
    return Stamp(origin, position, tuple(sorted((log, at) for log, at in seen.items() if log != origin)))
