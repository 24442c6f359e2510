"""Inquiries are inputs of the machine like any others: a restart in the middle changes no answer."""

from __future__ import annotations

from tests.federation.inquiries.test_questions import UNIT
from tests.rules.execution.town import PREAMBLE
from tests.rules.family import FAMILY

from triplewire.federation.codec import encode
from triplewire.federation.delivery import Parcel
from triplewire.federation.execution.effects import InquiryAnswered
from triplewire.federation.inputs import AskRelevance, AskTrace, BodyReceived, NetworkChanged, Tick
from triplewire.federation.inquiries.messages import PartConcern, RelevanceFound, TraceFound
from triplewire.federation.machine import MachineSetup, RuleMachine
from triplewire.federation.outputs import InquiryBegun
from triplewire.wire.network_rules import NetworkTrace, RuleRelevance

OTHERS = ("SP2", "SP3")
TEXT = f"{PREAMBLE} ON INSERT (_, ex:knows, _) IF True DO DELETE $delta"
ONWARD = (0, "SP2"), (1, "SP3")


def test_what_was_answered_before_a_restart_counts_after_it():
    machine = RuleMachine(MachineSetup(me="SP1", whole=FAMILY, seed=1))
    machine.take(NetworkChanged(0.0, OTHERS, OTHERS, ONWARD))
    begun = [*machine.take(AskRelevance(1.0, TEXT, 5.0)), *machine.take(AskTrace(1.0, "SP2/1", 5.0))]
    rule, trace = (one.inquiry for one in begun if isinstance(one, InquiryBegun))
    said = RelevanceFound(rule, (PartConcern("ann", "event", True, "why"),))
    machine.take(BodyReceived(2.0, "SP2", encode(Parcel(1, said))))
    machine.take(
        BodyReceived(2.0, "SP2", encode(Parcel(2, TraceFound(trace, "SP2/1", (UNIT,), onward=(("SP3", "SP2/1"),)))))
    )
    answers = []
    for one in (machine, RuleMachine.restore(machine.snapshot())):
        assert one.is_due(6.0)
        outputs = one.take(Tick(6.0))
        answers.append({out.inquiry: out.result for out in outputs if isinstance(out, InquiryAnswered)})
    assert answers[0] == answers[1]
    relevance, found = answers[1][rule], answers[1][trace]
    assert isinstance(relevance, RuleRelevance)
    assert isinstance(found, NetworkTrace)
    assert [(one.super_peer, one.peer) for one in relevance.concerns if one.is_concerned] == [("SP2", "ann")]
    assert [unit.id for unit in found.units] == ["SP2/1"]
    assert relevance.unanswered == found.unanswered == ("SP3",)


def test_alone_it_is_answered_at_once():
    machine = RuleMachine(MachineSetup(me="SP1", whole=FAMILY, seed=1))
    begun, answered = machine.take(AskRelevance(1.0, TEXT, 5.0))
    assert isinstance(begun, InquiryBegun)
    assert isinstance(answered, InquiryAnswered)
    assert answered.inquiry == begun.inquiry
