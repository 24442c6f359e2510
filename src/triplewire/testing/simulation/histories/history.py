"""The history of a run, as peers, access points and the injector of faults saw it.

It has no messages, so that the checker cannot depend on the routing that it checks. Times are those of the world, not
of a process's clock.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.testing.simulation.workload.facts import Fact, Offer, Query

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


class FaultInjected(Struct, frozen=True, tag=True):
    """A fault was injected. With `lasts` it is active until `FaultCleared`; otherwise it was momentary."""

    time: float
    what: str
    lasts: bool = False
    is_churn: bool = False


class FaultCleared(Struct, frozen=True, tag=True):
    """A lasting fault is over."""

    time: float
    what: str


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


class History(Struct):
    """Everything that happened, in order."""

    seed: int
    records: list[Record]
