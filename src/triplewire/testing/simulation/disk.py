"""What a simulated access point has on its disk.

Writes take a moment and are done in the order in which they were asked for; a crash loses those that were not done. So
what a super-peer remembers having heard is never ahead of the events that it stored.
"""

from __future__ import annotations

from bisect import bisect_right

from msgspec import Struct, field

from triplewire.network.memory import SavedSuperPeer
from triplewire.network.messages import Description, Publication, StandingQuery
from triplewire.testing.simulation.workload.facts import Fact


class Subscription(Struct, frozen=True):
    """A subscription of a peer here."""

    name: str
    peer: str
    standing_query: StandingQuery


class Advertisement(Struct, frozen=True):
    """An advertisement of a peer here."""

    name: str
    peer: str
    description: Description
    lasts: float | None = None


class Rule(Struct, frozen=True):
    """A rule that listens here to events after a position, and publishes something for each that it hears."""

    name: str
    standing_query: StandingQuery
    says: Fact
    since: int


class Outbox(Struct):
    """What waits for a subscription whose peer is away: events with their positions, and what was lost."""

    after: int
    waiting: list[tuple[int, str]] = field(default_factory=list)
    gap: int = 0

    def trim(self, floor: int) -> None:
        """Retention removes everything up to a position."""
        lost = [position for position, _ in self.waiting if position <= floor]
        self.waiting = self.waiting[len(lost) :]
        self.gap = max([self.gap, *lost])


class Disk(Struct):
    """It survives. Positions count what was published here and what was accepted together, as a node's log does.

    `outboxes` are those of subscriptions whose peers are away, `heard` is how far rules have heard the log.
    """

    subscriptions: dict[str, Subscription] = field(default_factory=dict)
    advertisements: dict[str, Advertisement] = field(default_factory=dict)
    published: list[Publication] = field(default_factory=list)
    events: set[str] = field(default_factory=set)
    log: list[Publication] = field(default_factory=list)
    rules: dict[str, Rule] = field(default_factory=dict)
    outboxes: dict[str, Outbox] = field(default_factory=dict)
    memory: SavedSuperPeer | None = None
    heard: int = 0

    @property
    def head(self) -> int:
        return len(self.log)

    def append(self, publication: Publication) -> int:
        """Store an event; its position."""
        self.events.add(publication.event)
        self.log.append(publication)
        return self.head

    def published_after(self, position: int) -> list[Publication]:
        """What was published here after a position, oldest first."""
        return self.published[bisect_right(self.published, position, key=lambda one: one.position) :]
