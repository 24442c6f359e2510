"""What happened in a run, as those saw it who took part: peers, access points, and whoever broke things.

Nothing here tells how a message went, so that whoever judges a history cannot lean on the routing that it judges.
Times are the world's own, not those of anybody's clock.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.testing.simulation.workload.facts import Fact, Offer, Query

# Through so many rules goes what one of them publishes and another one hears.
MOST_HOPS = 2


class Subscribed(Struct, frozen=True, tag=True):
    """A peer subscribed at its access point, which acknowledged; or a rule began to listen there."""

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
    """An event is on the disk of its access point, which acknowledged it.

    One that a rule published has the rule and the event that it heard, and through how many rules it came.
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
    """A subscriber was told of an event, or a rule heard it."""

    time: float
    node: str
    subscription: str
    event: str


class Trimmed(Struct, frozen=True, tag=True):
    """Retention removed what an access point had up to a position, also what waited for peers that were away."""

    time: float
    node: str
    floor: int


class Lapsed(Struct, frozen=True, tag=True):
    """A subscriber was told that notifications after a position, up to another, are lost."""

    time: float
    node: str
    subscription: str
    after: int
    until: int


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
    | Trimmed
    | Lapsed
    | Troubled
    | Mended
    | Ended
)


class History(Struct):
    """Everything that happened, in order."""

    seed: int
    records: list[Record]
