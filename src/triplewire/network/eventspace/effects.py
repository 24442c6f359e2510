"""Effects: the little that the event space asks of the space below it, and what it tells the shell around it.

What has to arrive is kept by the space below until it has, across crashes. The exception has a `key`: a publication or
a subscription is repeated by whoever wants it acknowledged, and `Gateway.completed` is told when every owner has it.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.errors import EventConflict
from triplewire.network.can.geometry.space import Bounds, Point
from triplewire.network.can.messages import Address
from triplewire.network.eventspace.causality import Stamp
from triplewire.network.eventspace.messages import EventHeader, PublicationRefused, SpaceMessage

# Of the space


class ToOwners(Struct, frozen=True):
    """Route a message to the owner of each of these points; an owner of several needs it once."""

    points: tuple[Point, ...]
    message: SpaceMessage
    key: str = ""


class ToZones(Struct, frozen=True):
    """Multicast a message to every zone that one of these bounds touches."""

    bounds: tuple[Bounds, ...]
    message: SpaceMessage
    key: str = ""


class ToNode(Struct, frozen=True):
    """Send a message to a node; it may be this one. One that is not lasting is asked for again if it gets lost."""

    to: Address
    message: SpaceMessage
    is_lasting: bool = True


class Refuse(Struct, frozen=True):
    """Send a message to a node, and do not acknowledge the one that it answers."""

    to: Address
    message: PublicationRefused


class Withdraw(Struct, frozen=True):
    """Stop repeating what was sent under a key."""

    key: str


# Of the shell


class Established(Struct, frozen=True):
    """A subscription is indexed everywhere: every event that is published from now on is matched, whoever publishes."""

    subscription_id: str
    stamp: Stamp


class Published(Struct, frozen=True):
    """Every quadruple of a publication is stored."""

    ticket: int
    stamp: Stamp


class PublishRefused(Struct, frozen=True):
    """The IRI of a publication names an event with another content, which was published at another node."""

    ticket: int
    event: str
    origin: Address

    @property
    def error(self) -> EventConflict:
        return EventConflict(
            wanted=f"one content for the event <{self.event}>", found=f"another, published at the node {self.origin.id}"
        )


class EventArrived(Struct, frozen=True):
    """A whole event that is a candidate for some subscriptions. Told again after a restart, until it is accepted."""

    header: EventHeader
    nquads: bytes
    subscription_ids: tuple[str, ...]


SpaceEffect = ToOwners | ToZones | ToNode | Refuse | Withdraw | Established | Published | PublishRefused | EventArrived
