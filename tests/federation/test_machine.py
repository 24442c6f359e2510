"""A machine takes everything as inputs; what arrives is acted on, or dropped with a reason, and holds up nothing."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.federation.federation import a, called
from tests.federation.machines import Machines, machine

from triplewire.errors import PrecedenceCycle, UnknownName, UnknownRule, UpdateRefused
from triplewire.federation.codec import Announced, encode
from triplewire.federation.delivery import Acknowledgement, Parcel
from triplewire.federation.execution.effects import MessageDropped, UnitAborted, UnitCommitted
from triplewire.federation.execution.messages import ActionInstance, Conflicts, SubQuery
from triplewire.federation.indexes.network_index import Offer
from triplewire.federation.inputs import (
    BodyReceived,
    NetworkChanged,
    PeerLeft,
    Register,
    Submit,
    Tick,
    Unregister,
    Withdraw,
)
from triplewire.federation.inquiries.messages import RelevanceWanted, TraceWanted
from triplewire.federation.messages import Message
from triplewire.federation.outputs import Output, Relay, RuleRegistered
from triplewire.federation.registration.messages import Registered, RulesWanted, Unregistered
from triplewire.federation.registration.records import RuleRecord

RULE = "RULE 'b.1' ON INSERT resource() IF True DO DELETE $delta"
RECORD = RuleRecord("b.1", "b", "r", RULE, 0.0)
INSTANCE = ActionInstance("b/3", RECORD, {"": "<urn:x>"}, {}, "b/1", "b/1", "b/1", 1)
QUERY = SubQuery("b/4", "b/5", RULE, "b/1", "b/1", ())


MARKS = "ON INSERT resource() AS INSTANCE OF Person IF True DO INSERT ($delta, ex:name, 'x')"
NEW_PERSON = "INSERT resource(http://example.org/zoe) AS INSTANCE OF Person;;"


def dropped(outputs: list[Output]) -> list[str]:
    return [output.reason for output in outputs if isinstance(output, MessageDropped)]


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
    one = machine()
    one.take(BodyReceived(0.0, "b", encode(Parcel(2, Registered(RECORD)))))
    outputs = one.take(BodyReceived(0.0, "b", encode(Parcel(1, message))))
    assert len(dropped(outputs)) == 1
    assert "b.1" in one.rules.registrar.base, "such a rule concerns everybody"
    again = one.take(BodyReceived(0.0, "b", encode(Parcel(2, Registered(RECORD)))))
    assert again == [Relay("b", encode(Acknowledgement(2)))]


def test_an_offer_of_nonsense_is_kept_and_harms_nobody_who_has_no_use_for_it():
    assert machine().take(BodyReceived(0.0, "", encode(Announced("b", Offer("b", 1, ("no iri",)))))) == []


def test_what_is_no_message_is_dropped():
    assert len(dropped(machine().take(BodyReceived(0.0, "b", b"something else")))) == 1


def test_a_message_is_acknowledged_and_a_broadcast_is_not():
    one = machine()
    assert one.take(BodyReceived(0.0, "", encode(Announced("b", Unregistered("b.1"))))) == []
    outputs = one.take(BodyReceived(0.0, "b", encode(Parcel(1, QUERY))))
    assert Relay("b", encode(Acknowledgement(1))) in outputs


def test_a_rule_fires_across_machines():
    both = Machines("a", "b")
    home, other = both.peer("a", a("ann", "Person")), both.peer("b", a("bob", "Person"))
    rule = (
        "ON INSERT resource() AS INSTANCE OF Worker IF True DO INSERT (resource(http://example.org/bob), ex:name, 'x')"
    )
    assert both.rule("a", rule) == "a.1"
    unit = both.submit("a", "INSERT resource(http://example.org/ann) AS INSTANCE OF Worker;;")
    assert UnitCommitted(unit) in both.outputs["a"]
    assert a("ann", "Worker") in home.repository
    assert called("bob", "x") in other.repository


def test_a_transaction_can_be_withdrawn_and_a_rule_unregistered():
    both = Machines("a", "b")
    site = both.peer("a", a("ann", "Person"))
    rule = both.rule("a", MARKS)
    unit = both.submit("a", NEW_PERSON)
    assert a("zoe", "Person") in site.repository
    both.take("a", Withdraw(1.0, unit, "no"))
    assert UnitAborted(unit, "no") in both.outputs["a"]
    assert a("zoe", "Person") not in site.repository
    both.take("a", Unregister(1.0, rule))
    assert rule not in both.machines["a"].rules.registrar.base


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (Register(1.0, "RULE s ON INSERT resource() AS INSTANCE OF Nobody IF True DO DELETE $delta", 0.0), UnknownName),
        (Register(1.0, "RULE s PRECEDES s ON INSERT resource() IF True DO DELETE $delta", 0.0), PrecedenceCycle),
        (Unregister(1.0, "a.7"), UnknownRule),
        (Submit(1.0, "nobody", "DELETE resource(http://example.org/ann);;"), UpdateRefused),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
def test_a_call_that_is_refused_changes_nothing(call: Register | Unregister | Submit, problem: type[Exception]):
    one, other = machine(), machine()
    with pytest.raises(problem):
        one.take(call)
    other.rules.coordinator.state.now = one.rules.coordinator.state.now
    assert one.snapshot() == other.snapshot()
    assert one.take(Register(2.0, RULE, 0.0))[0] == RuleRegistered("a.1")


def test_a_machine_is_due_when_something_is_and_not_before():
    one = machine()
    assert not one.is_due(1e9), "nobody is there"
    one.take(NetworkChanged(10.0, ("b",), ("b",), ((0, "b"),)))
    assert one.is_due(10.0), "there is somebody to exchange with"
    first = one.take(Tick(10.0))
    assert len([output for output in first if isinstance(output, Relay)]) > 0
    assert not one.is_due(10.5)
    assert one.is_due(11.5), "nobody has acknowledged it"
    assert one.take(Tick(10.5)) == []


def test_a_peer_that_is_gone_is_waited_for_and_no_longer():
    one = Machines("a")
    one.peer("a", a("ann", "Person"))
    one.sites["a"].receive = lambda request: None  # type: ignore[method-assign]
    one.submit("a", NEW_PERSON)
    one.take("a", PeerLeft(1.0, "a"))
    assert not one.machines["a"].is_due(10.5)
    assert one.machines["a"].is_due(11.0)
    one.take("a", Tick(11.0))
    assert [output.unit for output in one.outputs["a"] if isinstance(output, UnitAborted)] == ["a/1"]
    assert not one.machines["a"].is_due(12.0)
