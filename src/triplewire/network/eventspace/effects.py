"""Effects: the little that the event space asks of the space below it, and what it tells the shell around it."""

from __future__ import annotations

from msgspec import Struct

from triplewire.matching.matches import QueryAnswer
from triplewire.network.can.space import Bounds, Point
from triplewire.network.eventspace.causality import Stamp
from triplewire.network.eventspace.messages import SpaceMessage
from triplewire.rdf.events import Event

# Of the space


class ToOwners(Struct, frozen=True):
    """Route a message to the owner of each of these points; an owner of several needs it once."""

    points: tuple[Point, ...]
    message: SpaceMessage


class ToZones(Struct, frozen=True):
    """Multicast a message to every zone that one of these bounds touches."""

    bounds: tuple[Bounds, ...]
    message: SpaceMessage


class ToNode(Struct, frozen=True):
    """Send a message to a node, by its name; it may be this one."""

    to: str
    message: SpaceMessage


# Of the shell


class Established(Struct, frozen=True):
    """A subscription is indexed everywhere: every event that is published from now on is matched, whoever publishes."""

    subscription_id: str
    stamp: Stamp


class Published(Struct, frozen=True):
    """Every quadruple of a publication is stored."""

    stamp: Stamp


class Notify(Struct, frozen=True):
    """An event satisfies a subscription. Told once."""

    subscription_id: str
    event: Event
    answer: QueryAnswer


class EvaluationFailed(Struct, frozen=True):
    """A subscription could not be evaluated on a candidate, for the reason given."""

    subscription_id: str
    event: Event
    reason: str


SpaceEffect = ToOwners | ToZones | ToNode | Established | Published | Notify | EvaluationFailed
