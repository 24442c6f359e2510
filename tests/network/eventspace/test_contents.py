"""A zone that goes to another node takes along what lies there, and what waits there."""

from __future__ import annotations

import pytest
from msgspec import Struct

from triplewire.algebra.subscriptions import Subscription
from triplewire.network.can.coordinates import coordinate
from triplewire.network.can.space import SPACE, Dimension, Zone
from triplewire.network.can.splits import Split
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


@pytest.fixture
def world() -> World:
    client = SpaceNode("client", strategy=PublicationStrategy.CSMA)
    _, (indexing,) = client.subscribe(ASKED)
    _, quads = client.publish(EVENT)
    first, second = (effect.message for effect in quads if isinstance(effect, ToOwners))
    assert isinstance(indexing, ToZones)
    assert isinstance(indexing.message, IndexSubscription)
    assert isinstance(first, StoreQuad)
    assert isinstance(second, StoreQuad)
    return World(client, SpaceNode("giver", [SPACE]), SpaceNode("taker"), indexing.message, first, second)


def hand_over(giver: SpaceNode, taker: SpaceNode, kept: Zone, given: Zone) -> None:
    exported = giver.holder.export([given])
    giver.holder.zones = (kept,)
    giver.holder.discard(given)
    taker.holder.zones += (given,)
    taker.holder.merge(exported)


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
        sent(node.receive(CollectEvent(world.first.header, "c")), QuadsFound) for node in (world.giver, world.taker)
    ]
    assert [message.lines for (message,) in found] == [(world.first.line,), (world.second.line,)]


def test_what_came_along_is_not_matched_anew(world: World) -> None:
    """Quadruples that were here before a subscription of somebody else stay before it."""
    stranger = SpaceNode("stranger")
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
    world.giver.receive(CollectEvent(world.first.header, "collector"))
    hand_over(world.giver, world.taker, LOWER, UPPER)
    (found,) = sent(world.taker.receive(world.second), QuadsFound)
    assert isinstance(found, QuadsFound)
    assert found.lines == (world.second.line,)


def test_a_subscription_that_is_known_meets_quadruples_that_have_come_along(world: World) -> None:
    world.giver.receive(world.first)
    world.taker.receive(world.indexing)
    hand_over(world.giver, world.taker, UPPER, LOWER)
    assert len(sent(world.taker.receive(world.indexing), MatchRewritten)) == 1


def test_a_rewritten_subscription_that_is_known_meets_quadruples_that_have_come_along(world: World) -> None:
    other = SpaceNode("other", [SPACE])
    other.receive(world.indexing)
    (rewritten,) = sent(other.receive(world.first), MatchRewritten)
    world.giver.receive(world.second)
    world.taker.receive(rewritten)
    hand_over(world.giver, world.taker, LOWER, UPPER)
    assert len(sent(world.taker.receive(rewritten), CandidateFound)) == 1


def test_a_subscription_that_was_removed_stays_out_at_the_new_owner(world: World) -> None:
    world.giver.receive(RemoveSubscription(world.indexing.subscription.key))
    hand_over(world.giver, world.taker, UPPER, LOWER)
    world.taker.receive(world.indexing)
    assert not sent(world.taker.receive(world.first), MatchRewritten)


def test_the_new_owner_asks_when_it_may_stop_waiting(world: World) -> None:
    world.giver.receive(CollectEvent(world.first.header, "collector"))
    hand_over(world.giver, world.taker, LOWER, UPPER)
    (asked,) = sent(list(world.taker.holder.ask_again()), AskSettled)
    assert isinstance(asked, AskSettled)
    assert asked.asker == "taker"


def test_a_settled_event_stays_settled(world: World) -> None:
    for message in (world.first, world.second):
        (stored,) = sent(world.giver.receive(message), object)
        world.client.receive(stored)
    (asked,) = sent(world.giver.receive(CollectEvent(world.first.header, "c")), AskSettled)
    (settled,) = sent(world.client.receive(asked), object)
    world.giver.receive(settled)
    hand_over(world.giver, world.taker, LOWER, UPPER)
    world.taker.receive(CollectEvent(world.first.header, "c"))
    assert world.taker.holder.waiting == 0


def test_the_same_contents_again_change_nothing(world: World) -> None:
    for message in (world.indexing, world.first, world.second, CollectEvent(world.first.header, "c")):
        world.giver.receive(message)
    exported = world.giver.holder.export([SPACE])
    for _ in range(2):
        world.taker.holder.merge(exported)
        assert world.taker.holder.export([SPACE]) == exported
