"""The disk of a simulated access point.

Writes take a moment and are done in order; a crash loses those that were not done. So the saved watermarks of a
super-peer are never ahead of the events that it stored.
"""

from __future__ import annotations

from bisect import bisect_right

from msgspec import Struct, field

from triplewire.network.messages import Description, Publication, StandingQuery
from triplewire.network.saved_state import SavedSuperPeer
from triplewire.testing.simulation.superpeers.workload.facts import Fact


class StoredSubscription(Struct, frozen=True):
    """A subscription of a peer here."""

    name: str
    peer: str
    standing_query: StandingQuery


class StoredAdvertisement(Struct, frozen=True):
    """An advertisement of a peer here."""

    name: str
    peer: str
    description: Description
    lasts: float | None = None


class StoredRule(Struct, frozen=True):
    """A rule here that publishes a fact for each event after a position that matches."""

    name: str
    standing_query: StandingQuery
    publishes: Fact
    since: int


class Outbox(Struct):
    """The outbox of a subscription whose peer is off-line: events with their positions, and the gap."""

    after: int
    waiting: list[tuple[int, str]] = field(default_factory=list)
    gap: int = 0

    def trim(self, floor: int) -> None:
        """Retention removes everything up to a position."""
        lost = [position for position, _ in self.waiting if position <= floor]
        self.waiting = self.waiting[len(lost) :]
        self.gap = max([self.gap, *lost])


class SimulatedDisk(Struct):
    """What survives a crash. Positions count published and accepted events together, as a node's log does.

    `outboxes` are those of subscriptions whose peers are off-line, `rules_position` is how far rules have read the log.
    """

    subscriptions: dict[str, StoredSubscription] = field(default_factory=dict)
    advertisements: dict[str, StoredAdvertisement] = field(default_factory=dict)
    published: list[Publication] = field(default_factory=list)
    events: set[str] = field(default_factory=set)
    log: list[Publication] = field(default_factory=list)
    rules: dict[str, StoredRule] = field(default_factory=dict)
    outboxes: dict[str, Outbox] = field(default_factory=dict)
    memory: SavedSuperPeer | None = None
    rules_position: int = 0

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
