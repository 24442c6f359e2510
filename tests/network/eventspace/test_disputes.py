"""Subscriptions that only another owner had indexed meet what was stored here in the meantime."""

from __future__ import annotations

import pytest

from triplewire.algebra.subscriptions import Subscription
from triplewire.network.can.geometry.space import SPACE
from triplewire.network.can.messages import Address
from triplewire.network.eventspace.effects import SpaceEffect, ToNode
from triplewire.network.eventspace.messages import CandidateFound, MatchRewritten
from triplewire.network.eventspace.node import SpaceNode
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.rdf.events import Event
from triplewire.testing.memory_storage import MemoryStorage

ASKED = Subscription.parse("ASK { ?x <urn:a> ?y }", id="s")
[EVENT] = Event.parse("<urn:x> <urn:a> <urn:1> <urn:e> .\n<urn:x> <urn:z> <urn:2> <urn:e> .\n")
STRATEGIES = [PublicationStrategy.CSMA, PublicationStrategy.OSMA]


def node(name: str, strategy: PublicationStrategy = PublicationStrategy.AUTO) -> SpaceNode:
    return SpaceNode(Address(name, f"at-{name}"), MemoryStorage(), [SPACE], strategy)


def meet(strategy: PublicationStrategy, *, is_calm: bool) -> list[SpaceEffect]:
    """One owner has the subscription, the other stores an event; then the first one deposits all it has there."""
    loser, winner, publisher = node("loser"), node("winner"), node("publisher", strategy)
    winner.holder.note_unrest(is_calm)
    for effect in node("subscriber").subscribe(ASKED)[1]:
        loser.receive(effect.message)
    for effect in publisher.publish(1, EVENT)[1]:
        winner.receive(effect.message)
    return [effect for chunk in loser.holder.export([SPACE]) for effect in winner.holder.deposit(chunk)]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_f6_a_deposited_subscription_meets_what_was_stored_since_the_owners_parted(strategy: PublicationStrategy):
    """Neither is before the other in any log: nothing but the moment says that the event came later."""
    found = meet(strategy, is_calm=False)
    assert any(
        isinstance(effect.message, CandidateFound | MatchRewritten) and (isinstance(effect, ToNode) or effect.bounds)
        for effect in found
    )


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_was_stored_while_all_was_calm_is_not_notified_to_later_subscriptions(strategy: PublicationStrategy):
    assert meet(strategy, is_calm=True) == []


def test_what_precedes_the_subscription_at_its_node_is_no_candidate():
    loser, winner, client = node("loser"), node("winner"), node("client", PublicationStrategy.CSMA)
    winner.holder.note_unrest(False)
    for effect in client.publish(1, EVENT)[1]:
        winner.receive(effect.message)
    for effect in client.subscribe(ASKED)[1]:
        loser.receive(effect.message)
    assert [effect for chunk in loser.holder.export([SPACE]) for effect in winner.holder.deposit(chunk)] == []
