"""What a simulated access point has on its disk.

Writes take a moment and are done in the order in which they were asked for; a crash loses those that were not done. So
what a super-peer remembers having heard is never ahead of the events that it stored.
"""

from __future__ import annotations

from bisect import bisect_right

from msgspec import Struct, field

from triplewire.network.memory import Memory
from triplewire.network.messages import Description, Publication, Standing


class Subscription(Struct, frozen=True):
    """A subscription of a peer here."""

    name: str
    peer: str
    standing: Standing


class Advertisement(Struct, frozen=True):
    """An advertisement of a peer here."""

    name: str
    peer: str
    description: Description
    lasts: float | None = None


class Disk(Struct):
    """It survives. Positions count what was published here and what was accepted together, as a node's log does."""

    subscriptions: dict[str, Subscription] = field(default_factory=dict)
    advertisements: dict[str, Advertisement] = field(default_factory=dict)
    published: list[Publication] = field(default_factory=list)
    events: set[str] = field(default_factory=set)
    memory: Memory | None = None
    head: int = 0

    def append(self, event: str) -> int:
        """Store an event; its position."""
        self.events.add(event)
        self.head += 1
        return self.head

    def published_after(self, position: int) -> list[Publication]:
        """What was published here after a position, oldest first."""
        return self.published[bisect_right(self.published, position, key=lambda one: one.position) :]
