"""The records of a run of super-peers, as peers and access points saw it."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from triplewire.testing.simulation import history
from triplewire.testing.simulation.history import FaultCleared, FaultInjected
from triplewire.testing.simulation.superpeers.workload.facts import Fact, Offer, Query

# The length of a chain of rules that trigger each other.
MOST_HOPS = 2


class Subscribed(Struct, frozen=True, tag=True):
    """A peer subscribed at its access point, which acknowledged; or a rule was added there."""

    time: float
    node: str
    peer: str
    name: str
    query: Query
    is_rule: bool = False


class Unsubscribed(Struct, frozen=True, tag=True):
    """The subscription of that name ended."""

    time: float
    node: str
    name: str


class Advertised(Struct, frozen=True, tag=True):
    """A peer advertised."""

    time: float
    node: str
    peer: str
    name: str
    offer: Offer


class Withdrawn(Struct, frozen=True, tag=True):
    """The advertisement of that name ended."""

    time: float
    node: str
    name: str


class Published(Struct, frozen=True, tag=True):
    """An event is on the disk of its access point, which acknowledged it.

    One that a rule published has the rule, the event that triggered it, and through how many rules it came.
    """

    time: float
    node: str
    peer: str
    event: str
    position: int
    fact: Fact
    rule: str = ""
    cause: str = ""
    hops: int = 0


class Accepted(Struct, frozen=True, tag=True):
    """An access point stored an event that came over the network."""

    time: float
    node: str
    event: str
    position: int = 0


class Repeated(Struct, frozen=True, tag=True):
    """An event came over the network again, and was dropped."""

    time: float
    node: str
    event: str


class Notified(Struct, frozen=True, tag=True):
    """A subscriber was notified of an event, or a rule was triggered by it."""

    time: float
    node: str
    subscription: str
    event: str


class Trimmed(Struct, frozen=True, tag=True):
    """Retention removed everything up to a position at an access point, also notifications of peers off-line."""

    time: float
    node: str
    floor: int


class GapReported(Struct, frozen=True, tag=True):
    """A gap was reported to a subscriber: notifications after a position, up to another, are lost."""

    time: float
    node: str
    subscription: str
    after: int
    until: int


class SuperPeerLeft(Struct, frozen=True, tag=True):
    """A super-peer left for good; its subscriptions had ended before."""

    time: float
    node: str


Record = (
    Subscribed
    | Unsubscribed
    | Advertised
    | Withdrawn
    | Published
    | Accepted
    | Repeated
    | Notified
    | Trimmed
    | GapReported
    | FaultInjected
    | FaultCleared
    | SuperPeerLeft
)


History: TypeAlias = history.History[Record]
"""Everything that happened, in order."""
