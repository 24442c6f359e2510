"""Questions reach everybody, answers come back, and what is late or cut off is named."""

from __future__ import annotations

import pytest
from tests.federation.federation import Federation, Step, a, arc
from tests.federation.inquiries.asking import SECONDS, answered, ask_relevance, begin_relevance, begin_trace
from tests.rules.execution.town import PREAMBLE

from triplewire.errors import MessageRefused, UnknownName
from triplewire.federation.effects import ToAll, ToSuperPeer
from triplewire.federation.execution.effects import InquiryAnswered
from triplewire.federation.inquiries.messages import PartConcern, RelevanceFound, RelevanceWanted
from triplewire.languages.rdftl import parse_rule
from triplewire.network.messages import Member, MemberStatus
from triplewire.wire.network_rules import RuleRelevance

TEXT = "ON INSERT resource() AS INSTANCE OF Person IF $delta/target(ex:knows) DO DELETE ($delta, ex:knows, _)"

RULE = parse_rule(PREAMBLE + TEXT)


def town(size: int = 4) -> Federation:
    found = Federation(size)
    for number in range(1, size + 1):
        found.peer(f"SP{number}", f"p{number}", a("ann", "Person"), arc("ann", "knows", "ann"))
    return found


def to(*names: str):
    """Holds what goes to some super-peers, or comes from them."""

    def holds(step: Step) -> bool:
        return isinstance(step[2], RelevanceWanted | RelevanceFound) and (step[0] in names or step[1] in names)

    return holds


def test_a_question_is_one_broadcast_and_one_answer_each():
    federation = town(8)
    federation.sent.clear()
    ask_relevance(federation, "SP1", TEXT)
    assert federation.sent == {"RelevanceWanted": 7, "RelevanceFound": 7}


def test_alone_it_is_answered_at_once():
    federation = town(1)
    inquiry = begin_relevance(federation, "SP1", TEXT)
    assert isinstance(answered(federation, inquiry), RuleRelevance)


def test_whom_the_broadcast_has_missed_is_asked_once_more():
    federation = town()
    federation.holds = to("SP3")
    inquiry = begin_relevance(federation, "SP1", TEXT)
    federation.run()
    assert answered(federation, inquiry) is None
    federation.held.clear()
    federation.holds = lambda step: False
    federation.sent.clear()
    federation.wait(2.0)
    found = answered(federation, inquiry)
    assert isinstance(found, RuleRelevance)
    assert found.unanswered == ()
    assert {one.super_peer for one in found.concerns} == {"SP1", "SP2", "SP3", "SP4"}
    assert federation.sent["RelevanceWanted"] == 1


def test_who_does_not_answer_in_time_is_named_and_its_offer_speaks_for_it():
    federation = town()
    federation.holds = to("SP3")
    inquiry = begin_relevance(federation, "SP1", TEXT)
    federation.wait(SECONDS - 1)
    assert answered(federation, inquiry) is None
    federation.wait(1)
    found = answered(federation, inquiry)
    assert isinstance(found, RuleRelevance)
    assert found.unanswered == ("SP3",)
    of_it = {one.part: one for one in found.concerns if one.super_peer == "SP3"}
    assert {part: (one.peer, one.is_concerned) for part, one in of_it.items()} == {
        "condition": ("", True),
        "actions": ("", True),
    }
    # A late answer, and a repeated one, change nothing.
    federation.release()
    assert answered(federation, inquiry) == found


def test_who_cannot_be_reached_is_not_waited_for():
    federation = town()
    federation.members.merge([Member("SP3", "SP3", claim=2, status=MemberStatus.FAILED)])
    federation.holds = to("SP3")
    found = ask_relevance(federation, "SP1", TEXT)
    assert found.unanswered == ("SP3",)


def test_an_inquiry_is_over_before_a_super_peer_is_quiet():
    federation = town()
    federation.holds = to("SP3")
    begin_relevance(federation, "SP1", TEXT)
    federation.run()
    assert not federation.super_peers["SP1"].is_quiet
    federation.release()
    assert federation.super_peers["SP1"].is_quiet


def test_a_rule_with_an_unknown_name_is_refused():
    with pytest.raises(UnknownName):
        begin_relevance(town(), "SP1", "ON INSERT (_, unheard, _) IF True DO DELETE $delta")


def test_what_is_no_unit_is_refused():
    with pytest.raises(MessageRefused):
        begin_trace(town(), "SP1", "no unit")


def test_a_rule_with_names_that_are_not_known_here_concerns_nobody_and_the_answer_tells_no_names():
    federation = town()
    (effect,) = federation.super_peers["SP2"].receive(
        0.0, "SP1", RelevanceWanted("x", "ON INSERT (_, persn, _) IF True DO DELETE $delta")
    )
    assert isinstance(effect, ToSuperPeer)
    assert isinstance(effect.message, RelevanceFound)
    assert [one.is_concerned for one in effect.message.concerns] == [False] * 3
    assert "Person" not in str(effect.message)


@pytest.mark.parametrize("sender", ["", "nobody", "x" * 10_000])
def test_who_is_no_member_gets_no_answer(sender: str):
    with pytest.raises(MessageRefused) as refused:
        town().super_peers["SP1"].receive(0.0, sender, RelevanceWanted("x", TEXT))
    assert len(refused.value.message) < 2_000


def test_one_answer_counts_and_only_of_those_who_may_know():
    federation = town()
    asker = federation.super_peers["SP1"]
    inquiry, effects = asker.ask_relevance(0.0, RULE, SECONDS)
    assert [type(effect) for effect in effects] == [ToAll]
    forged = RelevanceFound(inquiry, (PartConcern("x", "event", True, "y" * 100_000 + "\x1b[2J"),))
    for _ in range(3):
        assert asker.receive(0.0, "SP2", forged) == []
    assert asker.receive(0.0, "SP2", RelevanceFound("of another", ())) == []
    assert asker.receive(0.0, "SP3", RelevanceFound(inquiry, ())) == []
    (over,) = asker.receive(0.0, "SP4", RelevanceFound(inquiry, ()))
    assert isinstance(over, InquiryAnswered)
    assert isinstance(over.result, RuleRelevance)
    (one,) = [one for one in over.result.concerns if one.super_peer == "SP2"]
    assert (one.peer, one.part) == ("x", "event")
    assert len(one.reason) == 1_000


def test_an_answer_that_is_too_long_is_refused_and_its_sender_has_not_answered():
    federation = town(2)
    asker = federation.super_peers["SP1"]
    inquiry, _ = asker.ask_relevance(0.0, RULE, SECONDS)
    with pytest.raises(MessageRefused):
        asker.receive(0.0, "SP2", RelevanceFound(inquiry, (PartConcern("", "event", False, ""),) * 2_001))
    (over,) = [effect for effect in asker.tick(SECONDS) if isinstance(effect, InquiryAnswered)]
    assert over.result.unanswered == ("SP2",)


def test_no_two_inquiries_have_one_name():
    asker = town().super_peers["SP1"]
    names = [asker.ask_relevance(0.0, RULE, SECONDS)[0], asker.ask_trace(0.0, "SP2/1", SECONDS)[0]]
    assert len(set(names)) == 2
