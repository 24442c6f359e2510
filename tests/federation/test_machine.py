"""What arrives over the network is acted on, or dropped with a reason; what is dropped holds up nothing."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace
from tests.rules.family import FAMILY
from triplewire.federation.carrier import Carrier, Local

from triplewire.errors import MessageRefused
from triplewire.federation.codec import Announced, encode
from triplewire.federation.delivery import Delivery, Parcel
from triplewire.federation.execution.effects import MessageDropped
from triplewire.federation.execution.messages import ActionInstance, Conflicts, SubQuery
from triplewire.federation.indexes.network_index import Offer
from triplewire.federation.inquiries.messages import RelevanceWanted, TraceWanted
from triplewire.federation.messages import Message
from triplewire.federation.overlay import CubeOverlay
from triplewire.federation.registration.messages import Registered, RulesWanted, Unregistered
from triplewire.federation.registration.records import RuleRecord
from triplewire.federation.super_peer import RuleSuperPeer
from triplewire.network.effects import SendPacket
from triplewire.network.superpeer import SuperPeer
from triplewire.testing.simulation.superpeers import RdfEncoding

RULE = "RULE 'b.1' ON INSERT resource() IF True DO DELETE $delta"
RECORD = RuleRecord("b.1", "b", "r", RULE, 0.0)
INSTANCE = ActionInstance("b/3", RECORD, {"": "<urn:x>"}, {}, "b/1", "b/1", "b/1", 1)
QUERY = SubQuery("b/4", "b/5", RULE, "b/1", "b/1", ())


def carrier() -> Carrier:
    network = SuperPeer("a", "sim://a", RdfEncoding().reasoner, Random(1))
    network.start(0.0)
    rules = RuleSuperPeer("a", FAMILY, CubeOverlay("a", network.members), Random(1))
    return Carrier(rules, Delivery(1.0), network)


def dropped(local: Local) -> list[str]:
    return [effect.reason for effect in local if isinstance(effect, MessageDropped)]


@pytest.mark.parametrize(
    "message",
    [
        Registered(replace(RECORD, text="no rule")),
        RulesWanted("b/1", ("no iri",), ("no iri",), 0),
        replace(INSTANCE, record=replace(RECORD, text="no rule")),
        replace(INSTANCE, delta={"": "no term"}),
        replace(INSTANCE, delta={"nothing": "<urn:x>"}),
        replace(INSTANCE, classes={"<urn:x>": ("no iri",)}),
        replace(INSTANCE, group="no name"),
        replace(QUERY, rule="no rule"),
        replace(QUERY, lookups=(("no term", "", ""),)),
        replace(QUERY, reader="no name"),
        Conflicts((("b/1", "c/x"),)),
        RelevanceWanted("b?1", "no rule"),
        TraceWanted("b?1", "b/1", ("b/1",) * 2_001),
    ],
    ids=lambda message: type(message).__name__,
)
def test_what_says_nothing_that_can_be_done_is_dropped_and_the_next_one_is_taken(message: Message):
    one = carrier()
    one.receive(0.0, 0.0, "b", encode(Parcel(2, Registered(RECORD))))
    _, local = one.receive(0.0, 0.0, "b", encode(Parcel(1, message)))
    assert len(dropped(local)) == 1
    assert "b.1" in one.rules.registrar.base, "such a rule concerns everybody"
    _, again = one.receive(0.0, 0.0, "b", encode(Parcel(2, Registered(RECORD))))
    assert again == []


def test_an_offer_of_nonsense_is_kept_and_harms_nobody_who_has_no_use_for_it():
    one = carrier()
    _, local = one.receive(0.0, 0.0, "b", encode(Announced("b", Offer("b", 1, ("no iri",)))))
    assert local == []


def test_what_is_no_message_is_refused():
    with pytest.raises(MessageRefused):
        carrier().receive(0.0, 0.0, "b", b"something else")


def test_a_message_is_acknowledged_and_a_broadcast_is_not():
    one = carrier()
    assert one.receive(0.0, 0.0, "b", encode(Announced("b", Unregistered("b.1"))))[0] == []
    # Nobody is there to acknowledge it to: the network knows no b.
    assert not any(isinstance(effect, SendPacket) for effect in one.receive(0.0, 0.0, "b", encode(Parcel(1, QUERY)))[0])
