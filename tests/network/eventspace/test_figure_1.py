"""Figure 1 of the EventCloud paper: a compound event and two subscriptions on a CAN of two dimensions.

The figure has no terms. Here the two dimensions are subject and predicate, each cut at `h` and `q`. Each of the nine
zones has a node of its own, in the order of subjects, then of predicates: 0, 1 and 2 share the lowest subjects.
"""

from __future__ import annotations

from random import Random

import pytest
from tests.network.eventspace.tiling import TiledSpace

from triplewire.algebra.subscriptions import Subscription
from triplewire.network.can.geometry.coordinates import coordinate
from triplewire.network.can.geometry.space import SPACE, Dimension, Interval
from triplewire.network.eventspace.chunks import SUBSCRIPTIONS
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.rdf.events import Event
from triplewire.rdf.terms import NamedNode
from triplewire.testing.decider import Notify

H, Q = coordinate(NamedNode("urn:h")), coordinate(NamedNode("urn:q"))
SIDES = [Interval(b"", H), Interval(H, Q), Interval(Q)]
ZONES = [
    SPACE.with_side(Dimension.SUBJECT, subjects).with_side(Dimension.PREDICATE, predicates)
    for subjects in SIDES
    for predicates in SIDES
]
# Three quadruples, in three zones: low and low, in the middle and high, high and in the middle.
EVENT = """<urn:a> <urn:b> "1" <urn:event> .
<urn:k> <urn:z> "2" <urn:event> .
<urn:x> <urn:m> "3" <urn:event> .
"""
ROW = Subscription.parse("SELECT * { <urn:k> ?p ?o }", id="row")
COLUMN = Subscription.parse("SELECT * { ?s <urn:z> ?o }", id="column")


@pytest.fixture(params=list(PublicationStrategy), ids=lambda strategy: strategy.value)
def space(request: pytest.FixtureRequest) -> TiledSpace:
    return TiledSpace(ZONES, len(ZONES), [request.param], Random(1), doubled=0)


def publish(space: TiledSpace, text: str, node: int = 4) -> None:
    (event,) = Event.parse(text)
    _, effects = space.publish(node, 1, event)
    space.carry_out(node, effects)
    space.deliver()


def indexed(space: TiledSpace, subscription: Subscription, node: int) -> set[int]:
    """The nodes that have a subscription, after it was issued at a node."""
    _, effects = space.subscribe(node, subscription)
    space.carry_out(node, effects)
    space.deliver()
    return {
        number
        for number, storage in enumerate(space.storages)
        if any(subscription.text.encode() in value for _, value in storage.items(SUBSCRIPTIONS))
    }


def test_a_each_quadruple_of_a_compound_event_is_stored_by_the_one_peer_whose_zone_it_lies_in(space: TiledSpace):
    publish(space, EVENT)
    assert [storage.count(SPACE) for storage in space.storages] == [1, 0, 0, 0, 0, 1, 0, 1, 0]


def test_b_two_subscriptions_are_stored_by_the_peers_of_their_constants_and_overlap_on_one(space: TiledSpace):
    row, column = indexed(space, ROW, node=0), indexed(space, COLUMN, node=8)
    assert row == {3, 4, 5}
    assert column == {2, 5, 8}
    assert row & column == {5}
    publish(space, EVENT)
    notified = [told.subscription_id for told in space.told if isinstance(told, Notify)]
    assert sorted(notified) == ["column", "row"]
