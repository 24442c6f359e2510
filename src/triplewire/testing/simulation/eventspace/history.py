"""The records of a run of the event space, as clients, their nodes and the injector of faults saw it."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from triplewire.network.can.geometry.space import Bounds, Point
from triplewire.testing.simulation import history
from triplewire.testing.simulation.history import FaultCleared, FaultInjected


class Subscribed(Struct, frozen=True, tag=True):
    """A subscription is on the disk of the node where its client issued it."""

    time: float
    node: str
    subscription: str
    text: str


class Established(Struct, frozen=True, tag=True):
    """The space told a subscriber's node that a subscription is indexed everywhere."""

    time: float
    node: str
    subscription: str


class Unsubscribed(Struct, frozen=True, tag=True):
    """A subscription ended."""

    time: float
    node: str
    subscription: str


class Sent(Struct, frozen=True, tag=True):
    """An event is on the disk of the node where its client published it. Nothing is acknowledged yet."""

    time: float
    node: str
    event: str
    nquads: bytes


class Published(Struct, frozen=True, tag=True):
    """An event was acknowledged: all of it is stored, and in replica."""

    time: float
    node: str
    event: str


class Refused(Struct, frozen=True, tag=True):
    """An event was refused: its IRI has another content."""

    time: float
    node: str
    event: str


class Arrived(Struct, frozen=True, tag=True):
    """The space brought an event to a node, as a candidate for some of its subscriptions."""

    time: float
    node: str
    event: str
    subscriptions: tuple[str, ...]


class Notified(Struct, frozen=True, tag=True):
    """A subscriber was notified of an event; `answer` is as `answers.answer_rows` writes it."""

    time: float
    node: str
    subscription: str
    event: str
    answer: tuple[str, ...]


class Asked(Struct, frozen=True, tag=True):
    """A client asked for all quadruples in a box; with `is_strict` an answer has to come, and lack nothing."""

    time: float
    node: str
    ticket: int
    box: Bounds
    is_strict: bool = False


class Answered(Struct, frozen=True, tag=True):
    """It was answered."""

    time: float
    node: str
    ticket: int
    quads: tuple[Point, ...]


class Leaving(Struct, frozen=True, tag=True):
    """A node was told to leave."""

    time: float
    node: str


class NodeEnded(Struct, frozen=True, tag=True):
    """A node is gone for good: it has left, or was destroyed together with its disk."""

    time: float
    node: str


Record = (
    Subscribed
    | Established
    | Unsubscribed
    | Sent
    | Published
    | Refused
    | Arrived
    | Notified
    | Asked
    | Answered
    | Leaving
    | NodeEnded
    | FaultInjected
    | FaultCleared
)

History: TypeAlias = history.History[Record]
"""Everything that happened, in order."""
