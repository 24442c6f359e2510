"""A zone that goes to another node takes along what lies there, and what waits there."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from msgspec import Struct

from triplewire.algebra.subscriptions import Subscription
from triplewire.network.can.geometry.coordinates import coordinate
from triplewire.network.can.geometry.space import SPACE, Dimension, Zone
from triplewire.network.can.geometry.splits import Split
from triplewire.network.can.messages import Address
from triplewire.network.eventspace.chains import index_bounds
from triplewire.network.eventspace.effects import SpaceEffect, ToNode, ToOwners, ToZones
from triplewire.network.eventspace.messages import (
    AskSettled,
    CandidateFound,
    CollectEvent,
    IndexSubscription,
    MatchRewritten,
    QuadsFound,
    RemoveSubscription,
    SpaceMessage,
    StoreQuad,
)
from triplewire.network.eventspace.node import SpaceNode
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.rdf.events import Event
from triplewire.rdf.terms import NamedNode
from triplewire.testing.memory_storage import MemoryStorage

COLLECTOR = Address("collector", "at-collector")
LOWER, UPPER = Split(Dimension.PREDICATE, coordinate(NamedNode("urn:m"))).halves(SPACE)
# The first pattern lies in the lower half, the second in the upper.
ASKED = Subscription.parse("ASK { ?x <urn:a> ?y . ?x <urn:z> ?v }", id="s")
[EVENT] = Event.parse("<urn:x> <urn:a> <urn:1> <urn:e> .\n<urn:x> <urn:z> <urn:2> <urn:e> .\n")


class World(Struct):
    """A client's node without zones, what it has sent, and two holders: the first with all of the space."""

    client: SpaceNode
    giver: SpaceNode
    taker: SpaceNode
    indexing: IndexSubscription
    first: StoreQuad
    second: StoreQuad


def node(name: str, zones: Iterable[Zone] = (), strategy: PublicationStrategy = PublicationStrategy.AUTO) -> SpaceNode:
    return SpaceNode(Address(name, f"at-{name}"), MemoryStorage(), zones, strategy)


@pytest.fixture
def world() -> World:
    client = node("client", strategy=PublicationStrategy.CSMA)
    _, (indexing,) = client.subscribe(ASKED)
    _, quads = client.publish(1, EVENT)
    first, second = (effect.message for effect in quads if isinstance(effect, ToOwners))
    assert isinstance(indexing, ToZones)
    assert isinstance(indexing.message, IndexSubscription)
    assert isinstance(first, StoreQuad)
    assert isinstance(second, StoreQuad)
    return World(client, node("giver", [SPACE]), node("taker"), indexing.message, first, second)


def hand_over(giver: SpaceNode, taker: SpaceNode, kept: Zone, given: Zone) -> None:
    exported = list(giver.holder.export([given]))
    giver.holder.zones = (kept,)
    giver.holder.discard(given)
    taker.holder.zones += (given,)
    for chunk in exported:
        taker.holder.merge(chunk)


def sent(effects: list[SpaceEffect], kind: type) -> list[SpaceMessage]:
    routed = [effect for effect in effects if isinstance(effect, ToNode | ToZones)]
    return [effect.message for effect in routed if isinstance(effect.message, kind)]


def test_subscriptions_go_along_and_stay_only_where_they_concern_something(world: World) -> None:
    world.giver.receive(world.indexing)
    hand_over(world.giver, world.taker, UPPER, LOWER)
    assert sent(world.taker.receive(world.first), MatchRewritten)
    assert not sent(world.giver.receive(world.first), MatchRewritten)


def test_quadruples_go_along_and_do_not_stay(world: World) -> None:
    for message in (world.first, world.second):
        world.giver.receive(message)
    assert (world.giver.holder.load(SPACE), world.giver.holder.load(LOWER)) == (2, 1)
    (point,) = world.giver.holder.points(UPPER)
    hand_over(world.giver, world.taker, LOWER, UPPER)
    assert world.taker.holder.points(SPACE) == [point]
    assert world.giver.holder.load(SPACE) == 1
    found = [
        sent(node.receive(CollectEvent(world.first.header, COLLECTOR)), QuadsFound)
        for node in (world.giver, world.taker)
    ]
    assert [message.rows for (message,) in found] == [(world.first.row,), (world.second.row,)]


def test_what_came_along_is_not_matched_anew(world: World) -> None:
    """Quadruples that were here before a subscription of somebody else stay before it."""
    stranger = node("stranger")
    _, (indexing,) = stranger.subscribe(ASKED)
    world.giver.receive(world.first)
    assert isinstance(indexing, ToZones)
    assert not sent(world.giver.receive(indexing.message), MatchRewritten)
    hand_over(world.giver, world.taker, UPPER, LOWER)
    assert not sent(world.taker.receive(world.first), MatchRewritten)


def test_a_rewritten_subscription_goes_on_waiting_at_the_new_owner(world: World) -> None:
    world.giver.receive(world.indexing)
    (rewritten,) = sent(world.giver.receive(world.first), MatchRewritten)
    world.giver.receive(rewritten)
    hand_over(world.giver, world.taker, LOWER, UPPER)
    assert world.giver.holder.waiting == 0
    assert len(sent(world.taker.receive(world.second), CandidateFound)) == 1


def test_a_collector_is_sent_what_comes_to_the_new_owner(world: World) -> None:
    world.giver.receive(CollectEvent(world.first.header, COLLECTOR))
    hand_over(world.giver, world.taker, LOWER, UPPER)
    (found,) = sent(world.taker.receive(world.second), QuadsFound)
    assert isinstance(found, QuadsFound)
    assert found.rows == (world.second.row,)


def test_a_subscription_that_is_known_meets_quadruples_that_have_come_along(world: World) -> None:
    world.giver.receive(world.first)
    world.taker.receive(world.indexing)
    hand_over(world.giver, world.taker, UPPER, LOWER)
    assert len(sent(world.taker.receive(world.indexing), MatchRewritten)) == 1


def test_a_rewritten_subscription_that_is_known_meets_quadruples_that_have_come_along(world: World) -> None:
    other = node("other", [SPACE])
    other.receive(world.indexing)
    (rewritten,) = sent(other.receive(world.first), MatchRewritten)
    world.giver.receive(world.second)
    world.taker.receive(rewritten)
    hand_over(world.giver, world.taker, LOWER, UPPER)
    assert len(sent(world.taker.receive(rewritten), CandidateFound)) == 1


def test_a_subscription_that_was_removed_stays_out_at_the_new_owner(world: World) -> None:
    subscription = world.indexing.subscription
    world.giver.receive(RemoveSubscription(subscription.key, index_bounds(subscription)))
    hand_over(world.giver, world.taker, UPPER, LOWER)
    world.taker.receive(world.indexing)
    assert not sent(world.taker.receive(world.first), MatchRewritten)


def test_the_new_owner_asks_when_it_may_stop_waiting(world: World) -> None:
    world.giver.receive(CollectEvent(world.first.header, COLLECTOR))
    hand_over(world.giver, world.taker, LOWER, UPPER)
    (asked,) = sent(list(world.taker.holder.ask_again()), AskSettled)
    assert isinstance(asked, AskSettled)
    assert asked.asker.id == "taker"


def test_nobody_waits_for_a_settled_event_and_a_new_owner_asks_once_more(world: World) -> None:
    for message in (world.first, world.second):
        world.giver.receive(message)
    for number in range(2):
        world.client.completed(f"p2.{number}")
    collecting = CollectEvent(world.first.header, COLLECTOR)
    for _ in range(2):
        for asked in sent(world.giver.receive(collecting), AskSettled):
            (settled,) = sent(world.client.receive(asked), object)
            world.giver.receive(settled)
        assert world.giver.holder.waiting == 0
    assert not sent(world.giver.receive(collecting), AskSettled)
    hand_over(world.giver, world.taker, LOWER, UPPER)
    (asked,) = sent(world.taker.receive(collecting), AskSettled)
    (settled,) = sent(world.client.receive(asked), object)
    world.taker.receive(settled)
    assert world.taker.holder.waiting == 0


def test_the_same_contents_again_change_nothing(world: World) -> None:
    for message in (world.indexing, world.first, world.second, CollectEvent(world.first.header, COLLECTOR)):
        world.giver.receive(message)
    exported = list(world.giver.holder.export([SPACE]))
    for _ in range(2):
        for chunk in exported:
            world.taker.holder.merge(chunk)
        assert list(world.taker.holder.export([SPACE])) == exported
