"""Answers of those who say what nobody could mean: it is left out with a reason, and what is right is kept."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.federation.federation import Federation, a

from triplewire.errors import MessageRefused
from triplewire.federation.effects import ToSuperPeer
from triplewire.federation.execution.effects import InquiryAnswered, MessageDropped
from triplewire.federation.inquiries.messages import TracedUnit, TraceFound, TraceWanted
from triplewire.federation.super_peer import RuleSuperPeer
from triplewire.languages.rdftl.syntax import Abort
from triplewire.wire.network_rules import NetworkTrace, NetworkUnit

UNIT = TracedUnit("SP2/1", "ann", None, "SP1.1", 1, Abort.MUTUAL, "committed", "", False, {"": "<urn:x>"})


class Asker:
    """SP1 asks SP2 for a transaction of SP2."""

    def __init__(self) -> None:
        town = Federation(3)
        town.peer("SP1", "one", a("ann", "Person"))
        self.rules: RuleSuperPeer = town.super_peers["SP1"]
        self.inquiry, (self.question,) = self.rules.ask_trace(0.0, "SP2/1", 5.0)

    def answer(self, found: TraceFound, sender: str = "SP2") -> list[object]:
        return self.rules.receive(1.0, sender, replace(found, inquiry=self.inquiry))

    def result(self) -> NetworkTrace:
        (over,) = [one for one in self.rules.tick(6.0) if isinstance(one, InquiryAnswered)]
        assert isinstance(over.result, NetworkTrace)
        return over.result


def found(*units: TracedUnit, **more: object) -> TraceFound:
    return TraceFound("", "SP2/1", units, **more)  # type: ignore[arg-type]


def trace_of(effects: list[object]) -> NetworkTrace:
    (over,) = [one for one in effects if isinstance(one, InquiryAnswered)]
    assert isinstance(over.result, NetworkTrace)
    return over.result


def dropped(effects: list[object]) -> list[str]:
    return [one.reason for one in effects if isinstance(one, MessageDropped)]


def test_an_answer_is_taken():
    asker = Asker()
    assert asker.question == ToSuperPeer("SP2", TraceWanted(asker.inquiry, "SP2/1", ()))
    trace = trace_of(asker.answer(found(UNIT, arcs=(("SP2/1", "SP3/4"),), not_scheduled=("why",))))
    assert trace.units == (
        NetworkUnit(
            id="SP2/1",
            super_peer="SP2",
            peer="ann",
            rule="SP1.1",
            depth=1,
            abort="MUTUAL",
            status="committed",
            delta={"": "<urn:x>"},
        ),
    )
    assert [(arc.unit, arc.other) for arc in trace.arcs] == [("SP2/1", "SP3/4")]
    assert trace.not_scheduled == ("why",)


@pytest.mark.parametrize(
    "wrong",
    [
        found(UNIT, replace(UNIT, id="SP3/1")),
        found(UNIT, replace(UNIT, id="no name")),
        found(UNIT, replace(UNIT, id=f"SP2/{'1' * 30}")),
        found(UNIT, replace(UNIT, id="SP2/2", parent="no name")),
        found(UNIT, arcs=(("SP3/1", "SP2/1"),)),
        found(UNIT, arcs=(("SP2/1", "x" * 1_000 + "/1"),)),
        found(UNIT, onward=(("SP3", "SP1/1"),)),
        found(UNIT, onward=(("SP9", "SP2/1"),)),
    ],
)
def test_what_is_not_the_sender_s_to_say_is_dropped_with_a_reason(wrong: TraceFound):
    effects = Asker().answer(wrong)
    assert len(dropped(effects)) == 1
    trace = trace_of(effects)
    assert [unit.id for unit in trace.units] == ["SP2/1"]
    assert (trace.arcs, trace.unanswered) == ((), ())


@pytest.mark.parametrize(
    "too_much",
    [
        found(*(replace(UNIT, id=f"SP2/{number}") for number in range(2_001))),
        found(arcs=(("SP2/1", "SP3/1"),) * 2_001),
        found(not_scheduled=("why",) * 2_001),
        found(onward=(("SP3", "SP2/1"),) * 2_001),
    ],
)
def test_too_much_is_refused_and_its_sender_has_not_answered(too_much: TraceFound):
    asker = Asker()
    with pytest.raises(MessageRefused):
        asker.answer(too_much)
    assert asker.result() == NetworkTrace(transaction="SP2/1", units=(), unanswered=("SP2",))


def test_who_was_not_asked_is_not_heard():
    asker = Asker()
    assert asker.answer(found(replace(UNIT, id="SP3/1")), "SP3") == []
    assert asker.result().units == ()


def test_nobody_answers_more_often_than_asked():
    asker = Asker()
    asker.answer(found(UNIT, onward=(("SP3", "SP2/1"),)))
    assert asker.answer(found(replace(UNIT, peer="somebody else"))) == []
    assert [unit.peer for unit in asker.result().units] == ["ann"]


def test_those_named_are_asked_once():
    asker = Asker()
    effects = asker.answer(found(UNIT, onward=(("SP3", "SP2/1"), ("SP3", "SP2/1"), ("SP3", "SP2/2"))))
    assert [one.message for one in effects if isinstance(one, ToSuperPeer)] == [
        TraceWanted(asker.inquiry, "SP2/1", ("SP2/1", "SP2/2"))
    ]
    back = replace(UNIT, id="SP3/7", parent="SP2/1")
    assert trace_of(asker.answer(found(back, onward=(("SP1", "SP3/7"),)), "SP3")).unanswered == ()


def test_texts_are_cut_and_harm_no_terminal():
    unit = replace(UNIT, reason="x\x1b[2J" + "y" * 5_000, peer="p" * 5_000, delta={"": "z" * 5_000, "other": "w"})
    (told,) = trace_of(Asker().answer(found(unit))).units
    assert "\x1b" not in told.reason
    assert (len(told.reason), len(told.peer), len(told.delta[""])) == (1_000, 300, 1_000)
    assert set(told.delta) == {""}


def test_only_the_super_peer_of_the_unit_says_where_its_transaction_is_and_once():
    asker = Asker()
    effects = asker.answer(replace(found(UNIT), transaction="SP3/1"))
    assert [one.message for one in effects if isinstance(one, ToSuperPeer)] == [TraceWanted(asker.inquiry, "SP3/1", ())]
    trace = trace_of(asker.answer(replace(found(), transaction="SP2/99"), "SP3"))
    assert trace.transaction == "SP3/1"
