"""Chunks: what is noted of a storage does the same to another, and each can be taken alone."""

from __future__ import annotations

from triplewire.algebra.subscriptions import Subscription
from triplewire.network.can.geometry.coordinates import coordinate
from triplewire.network.can.geometry.space import SPACE, Dimension
from triplewire.network.can.geometry.splits import Split
from triplewire.network.can.messages import Address
from triplewire.network.eventspace.chunks import OUTBOX, AddEvent, AddQuads, RecordingStorage, operations_in
from triplewire.network.eventspace.effects import EventArrived, ToOwners, ToZones
from triplewire.network.eventspace.messages import CandidateFound, CollectEvent, QuadsFound
from triplewire.network.eventspace.node import SpaceNode
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.rdf.events import Event
from triplewire.rdf.terms import NamedNode
from triplewire.testing.memory_storage import MemoryStorage

ME, OTHER = Address("n", "at-n"), Address("o", "at-o")
LOWER, UPPER = Split(Dimension.PREDICATE, coordinate(NamedNode("urn:m"))).halves(SPACE)
ASKED = Subscription.parse("ASK { ?x <urn:a> ?y . ?x <urn:z> ?v }", id="s")
[EVENT] = Event.parse("<urn:x> <urn:a> <urn:1> <urn:e> .\n<urn:x> <urn:z> <urn:2> <urn:e> .\n")


def recorded() -> tuple[SpaceNode, list[bytes]]:
    """A node with all of the space that has taken a subscription and an event, and what was noted of each step."""
    storage = RecordingStorage(MemoryStorage())
    node = SpaceNode(ME, storage, [SPACE], PublicationStrategy.CSMA)
    chunks = []
    for effect in [*node.subscribe(ASKED)[1], *node.publish(1, EVENT)[1]]:
        assert isinstance(effect, ToZones | ToOwners)
        node.receive(effect.message)
        chunks.append(storage.take())
    assert storage.take() == b""
    return node, chunks


def test_what_was_noted_makes_the_same_contents_elsewhere() -> None:
    node, chunks = recorded()
    replica = SpaceNode(OTHER, MemoryStorage(), [SPACE])
    for chunk in chunks:
        replica.holder.merge(chunk)
    assert list(replica.holder.export([SPACE])) == list(node.holder.export([SPACE]))


def test_a_chunk_that_has_quadruples_has_the_headers_of_their_events() -> None:
    for chunk in recorded()[1][1:]:
        header, quads = operations_in(chunk)
        assert isinstance(header, AddEvent)
        assert isinstance(quads, AddQuads)


def test_a_chunk_is_restricted_to_zones() -> None:
    node, (indexed, first, second) = recorded()
    assert [node.holder.restrict(chunk, [LOWER]) for chunk in (indexed, first, second)] == [indexed, first, b""]
    assert [node.holder.restrict(chunk, [UPPER]) for chunk in (indexed, first, second)] == [b"", b"", second]


def test_of_a_chunk_only_what_is_to_be_sent_is_adopted() -> None:
    storage, heir = RecordingStorage(MemoryStorage()), MemoryStorage()
    node = SpaceNode(ME, storage, [SPACE])
    (indexing,) = node.subscribe(ASKED)[1]
    assert isinstance(indexing, ToZones)
    node.receive(indexing.message)
    storage.put(OUTBOX, b"1", b"message")
    chunk = storage.take()
    adopting = SpaceNode(OTHER, heir, [SPACE]).holder
    adopting.adopt(chunk)
    assert list(heir.items(OUTBOX)) == [(b"1", b"message")]
    assert not list(heir.items("subscriptions"))
    assert node.holder.restrict(chunk, [SPACE]) == recorded()[1][0]


def test_what_was_collected_or_not_accepted_comes_again_after_a_restart() -> None:
    storage = MemoryStorage()
    node = SpaceNode(ME, storage, [SPACE], PublicationStrategy.CSMA)
    stamp, _ = node.subscribe(ASKED)
    first, second = (effect.message for effect in node.publish(1, EVENT)[1] if isinstance(effect, ToOwners))
    header = first.header
    node.receive(CandidateFound(((stamp.origin, stamp.position),), header))
    node.receive(QuadsFound(header.event, (first.row,)))

    node = SpaceNode(ME, storage, [SPACE])
    (again,) = node.start()
    assert isinstance(again, ToZones)
    assert again.message == CollectEvent(header, ME)
    arrived = node.receive(QuadsFound(header.event, (second.row, first.row)))
    assert arrived == [EventArrived(header, EVENT.nquads, ("s",))]

    node = SpaceNode(ME, storage, [SPACE])
    assert node.start() == arrived
    node.gateway.accepted(header.event)
    assert not SpaceNode(ME, storage, [SPACE]).start()
