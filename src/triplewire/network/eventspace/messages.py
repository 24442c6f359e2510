"""Messages of the event space. They may come twice and in any order; the space sees to it that each comes at all.

Terms are sent as N-Triples text and quadruples as N-Quads lines, their blank nodes qualified (`blank_nodes`). A message
passes through several nodes, so one that wants an answer names who asks.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.network.can.space import Zone
from triplewire.network.eventspace.causality import Stamp

SubscriptionKey = tuple[str, int]
"""Origin and position of a subscription."""


class SpaceSubscription(Struct, frozen=True, array_like=True):
    """A subscription as it is indexed: when it was issued, and its text."""

    stamp: Stamp
    language: str
    text: str

    @property
    def key(self) -> SubscriptionKey:
        return self.stamp.origin, self.stamp.position


class EventHeader(Struct, frozen=True, array_like=True):
    """What every quadruple of a compound event brings along: the event's IRI, when it was published, its size."""

    event: str
    stamp: Stamp
    size: int
    time: str
    source: str | None = None


class SentRewriting(Struct, frozen=True, array_like=True):
    """A rewritten subscription: which of its chains, how far it has come, and what is bound and still needed."""

    chain: int
    depth: int
    binding: tuple[tuple[str, str], ...]
    open: tuple[int, ...]


# To zones


class IndexSubscription(Struct, frozen=True, tag="index", array_like=True):
    """To the zones of its first pattern."""

    subscription: SpaceSubscription


class RemoveSubscription(Struct, frozen=True, tag="remove", array_like=True):
    """To the same zones."""

    key: SubscriptionKey


class MatchRewritten(Struct, frozen=True, tag="rewritten", array_like=True):
    """A rewritten subscription, to the zones of its next pattern in the event."""

    subscription: SpaceSubscription
    header: EventHeader
    rewriting: SentRewriting


class CollectEvent(Struct, frozen=True, tag="collect", array_like=True):
    """`(g, ?s, ?p, ?o)`: send all quadruples of an event to the collector, also those that are still to come."""

    header: EventHeader
    collector: str


# To the owner of a point


class StoreQuad(Struct, frozen=True, tag="quad", array_like=True):
    """One quadruple that travels alone (CSMA); `number` is its place among those of the event."""

    header: EventHeader
    number: int
    line: bytes


class StoreEvent(Struct, frozen=True, tag="event", array_like=True):
    """A whole compound event, to the owner of each of its quadruples (OSMA)."""

    header: EventHeader
    nquads: bytes


# To a node


class SubscriptionIndexed(Struct, frozen=True, tag="indexed", array_like=True):
    """A subscription is indexed in these zones."""

    key: SubscriptionKey
    zones: tuple[Zone, ...]


class QuadsStored(Struct, frozen=True, tag="stored", array_like=True):
    """Some quadruples of a publication are stored, by their numbers."""

    position: int
    numbers: tuple[int, ...]


class AskSettled(Struct, frozen=True, tag="ask", array_like=True):
    """Answer as soon as all quadruples of a publication are stored."""

    position: int
    event: str
    asker: str


class EventSettled(Struct, frozen=True, tag="settled", array_like=True):
    """All quadruples of an event are stored: there is nothing left to wait for."""

    event: str


class CandidateFound(Struct, frozen=True, tag="candidate", array_like=True):
    """An event came through a chain of a subscription; with its quadruples if they were at hand."""

    key: SubscriptionKey
    header: EventHeader
    nquads: bytes | None = None


class QuadsFound(Struct, frozen=True, tag="found", array_like=True):
    """Quadruples of an event that is being collected."""

    event: str
    lines: tuple[bytes, ...]


SpaceMessage = (
    IndexSubscription
    | RemoveSubscription
    | MatchRewritten
    | CollectEvent
    | StoreQuad
    | StoreEvent
    | SubscriptionIndexed
    | QuadsStored
    | AskSettled
    | EventSettled
    | CandidateFound
    | QuadsFound
)
