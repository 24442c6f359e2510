"""What happened in a run, as those saw it who took part: peers, access points, and whoever broke things.

Nothing here tells how a message went, so that whoever judges a history cannot lean on the routing that it judges.
Times are the world's own, not those of anybody's clock.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.testing.simulation.facts import Fact, Offer, Query


class Subscribed(Struct, frozen=True, tag=True):
    """A peer subscribed at its access point, which acknowledged."""

    time: float
    node: str
    peer: str
    name: str
    query: Query


class Unsubscribed(Struct, frozen=True, tag=True):
    """The subscription of that name ended."""

    time: float
    node: str
    name: str


class Advertised(Struct, frozen=True, tag=True):
    """A peer said what it will publish."""

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
    """An event is on the disk of its access point, which acknowledged it."""

    time: float
    node: str
    peer: str
    event: str
    position: int
    fact: Fact


class Accepted(Struct, frozen=True, tag=True):
    """An access point stored an event that came over the network."""

    time: float
    node: str
    event: str


class Repeated(Struct, frozen=True, tag=True):
    """An event came over the network again, and was dropped."""

    time: float
    node: str
    event: str


class Notified(Struct, frozen=True, tag=True):
    """A subscriber was told of an event."""

    time: float
    node: str
    subscription: str
    event: str


class Troubled(Struct, frozen=True, tag=True):
    """Something was done to the network. `lasts` until it is `Mended`; otherwise it was done in a moment."""

    time: float
    what: str
    lasts: bool = False
    is_churn: bool = False


class Mended(Struct, frozen=True, tag=True):
    """A lasting trouble is over."""

    time: float
    what: str


class Ended(Struct, frozen=True, tag=True):
    """A super-peer said goodbye, for good; its peers went before."""

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
    | Troubled
    | Mended
    | Ended
)


class History(Struct):
    """Everything that happened, in order."""

    seed: int
    records: list[Record]
