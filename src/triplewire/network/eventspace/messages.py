"""Messages of the event space. They may come twice and in any order; the space sees to it that each comes at all.

Terms are sent as canonical N-Triples and quadruples as rows of them, their blank nodes qualified (`quads`). A message
passes through several nodes, so one that wants an answer names who asks.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.network.can.geometry.space import Bounds
from triplewire.network.can.messages import Address
from triplewire.network.eventspace.causality import Stamp
from triplewire.network.eventspace.quads import SpelledTriple

SubscriptionKey = tuple[str, int]
"""Origin and position of a subscription."""


class SpaceSubscription(Struct, frozen=True, array_like=True):
    """A subscription as it is indexed: when it was issued, by whom, and its text."""

    stamp: Stamp
    origin: Address
    language: str
    text: str

    @property
    def key(self) -> SubscriptionKey:
        return self.stamp.origin, self.stamp.position


class EventHeader(Struct, frozen=True, array_like=True):
    """What every quadruple of a compound event brings along: the event's IRI, who published it and when, its size.

    `digest` tells its content from another one under the same IRI. `whole` if it was published so (OSMA).
    """

    event: str
    stamp: Stamp
    origin: Address
    size: int
    time: str
    digest: bytes
    whole: bool
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
    """To the same zones, which lie in these bounds."""

    key: SubscriptionKey
    bounds: tuple[Bounds, ...]


class MatchRewritten(Struct, frozen=True, tag="rewritten", array_like=True):
    """A rewritten subscription, to the zones of its next pattern in the event.

    What was sent before need not be sent again in the same `round`: the first one has no name.
    """

    subscription: SpaceSubscription
    header: EventHeader
    rewriting: SentRewriting
    round: str = ""


class RematchEvents(Struct, frozen=True, tag="rematch", array_like=True):
    """To all zones of these events: some quadruples were found late, so every chain begins once more in them."""

    headers: tuple[EventHeader, ...]
    round: str


class CollectEvent(Struct, frozen=True, tag="collect", array_like=True):
    """`(g, ?s, ?p, ?o)`: send all quadruples of an event to the collector, also those that are still to come."""

    header: EventHeader
    collector: Address


# To the owner of a point


class StoreQuad(Struct, frozen=True, tag="quad", array_like=True):
    """One quadruple that travels alone (CSMA)."""

    header: EventHeader
    row: SpelledTriple


class StoreEvent(Struct, frozen=True, tag="event", array_like=True):
    """A whole compound event, to the owner of each of its quadruples (OSMA)."""

    header: EventHeader
    rows: tuple[SpelledTriple, ...]


# To a node


class PublicationRefused(Struct, frozen=True, tag="refused", array_like=True):
    """To the node that published: an owner has another content of the event, which came from this node."""

    position: int
    event: str
    origin: Address


class AskSettled(Struct, frozen=True, tag="ask", array_like=True):
    """Answer as soon as all quadruples of an event are stored."""

    event: str
    asker: Address


class EventSettled(Struct, frozen=True, tag="settled", array_like=True):
    """All quadruples of an event are stored: there is nothing left to wait for."""

    event: str


class CandidateFound(Struct, frozen=True, tag="candidate", array_like=True):
    """An event came through chains of some subscriptions; with its quadruples if they were at hand."""

    keys: tuple[SubscriptionKey, ...]
    header: EventHeader
    rows: tuple[SpelledTriple, ...] | None = None
    round: str = ""


class QuadsFound(Struct, frozen=True, tag="found", array_like=True):
    """Quadruples of an event that is being collected."""

    event: str
    rows: tuple[SpelledTriple, ...]


class NodeLeft(Struct, frozen=True, tag="left", array_like=True):
    """To everybody: a node has left for good. What is under way to it need not be repeated."""

    node: str


class Relay(Struct, frozen=True, tag="relay", array_like=True):
    """From one who leaves: go on sending this to a node that does not answer. It may come back."""

    cast_id: str
    to: Address
    body: bytes


SpaceMessage = (
    IndexSubscription
    | RemoveSubscription
    | MatchRewritten
    | RematchEvents
    | CollectEvent
    | StoreQuad
    | StoreEvent
    | PublicationRefused
    | AskSettled
    | EventSettled
    | CandidateFound
    | QuadsFound
)
