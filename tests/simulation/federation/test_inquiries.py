"""Inquiries in the simulated network: messages get lost, come twice and late, and super-peers are cut off."""

from __future__ import annotations

import pytest

from triplewire.federation.execution.effects import InquiryAnswered
from triplewire.federation.inputs import AskRelevance, AskTrace
from triplewire.federation.outputs import InquiryBegun
from triplewire.federation.sites.privileges import Access, Privileges
from triplewire.languages.rdftl import parse_rule
from triplewire.languages.rdftl.syntax import Abort
from triplewire.rdf.terms import Literal, Triple
from triplewire.rules.vocabulary import TYPE
from triplewire.testing.simulation.federation.history import Happened
from triplewire.testing.simulation.federation.scenarios import LOSSY
from triplewire.testing.simulation.federation.workload import EX, PREAMBLE, SCHEMA
from triplewire.testing.simulation.federation.world import FederationWorld
from triplewire.wire.network_rules import NetworkTrace, RuleRelevance

SIZE = 5
SECONDS = 6.0
ALL = {f"SP{number}" for number in range(1, SIZE + 1)}
RULE = f"RULE r {PREAMBLE} ON INSERT (_, ex:mark1, _) IF True DO INSERT ($delta, ex:mark2, 'b')"
OPEN = Privileges(otherwise=Access.READ_WRITE)


class Town:
    """Everybody has ann, and what gets mark1 at one gets mark2 at all."""

    def __init__(self, seed: int) -> None:
        self.world = FederationWorld(seed, SCHEMA, LOSSY, dict.fromkeys(ALL, OPEN))
        self.world.found(SIZE)
        self.world.run_for(8.0)
        for name in sorted(ALL):
            ann = [Triple(EX["ann"], TYPE, EX["Person"]), Triple(EX["ann"], EX["mark1"], Literal("z"))]
            self.world.peer(f"at {name}", name, ann)
        self.world.run_for(15.0)
        self.world.register("SP2", parse_rule(RULE), Abort.MUTUAL)
        self.world.run_for(5.0)
        self.world.submit("at SP3", f"{PREAMBLE} INSERT (resource(http://example.org/ann), ex:mark1, 'a');;")
        self.world.run_for(1.0)
        self.world.run_while(lambda: not self.world.is_quiet, at_most=60.0)
        (self.transaction,) = self.world.submitted

    def ask(self, at: str, seconds: float = SECONDS) -> tuple[RuleRelevance, NetworkTrace]:
        """Ask both questions, and let the time pass that they may take."""
        host = self.world.hosts[at]
        begun = [
            *host.take(AskRelevance(host.rules_now, RULE, seconds)),
            *host.take(AskTrace(host.rules_now, self.transaction, seconds)),
        ]
        rule, trace = (output.inquiry for output in begun if isinstance(output, InquiryBegun))
        self.world.run_for(seconds + 1.0)
        happened = [one.what for one in self.world.history.records if isinstance(one, Happened) and one.node == at]
        answers = [one for one in happened if isinstance(one, InquiryAnswered)]
        answered = {one.inquiry: one.result for one in answers}
        assert len(answers) == len(answered), "an inquiry is over once"
        found = answered[rule], answered[trace]
        assert isinstance(found[0], RuleRelevance)
        assert isinstance(found[1], NetworkTrace)
        return found[0], found[1]


@pytest.mark.parametrize("seed", range(6))
def test_everybody_answers_although_messages_get_lost(seed: int):
    relevance, trace = Town(seed).ask("SP1")
    assert relevance.unanswered == ()
    assert {one.super_peer for one in relevance.concerns if one.part == "event" and one.is_concerned} == ALL
    assert trace.unanswered == ()
    assert {unit.super_peer for unit in trace.units if unit.rule is not None} == ALL
    assert {unit.status for unit in trace.units} == {"committed"}


@pytest.mark.parametrize("seed", range(4))
def test_who_is_cut_off_is_named_and_answers_again_when_it_is_back(seed: int):
    town = Town(seed)
    cut = town.world.isolate("SP4")
    relevance, trace = town.ask("SP1")
    assert relevance.unanswered == ("SP4",)
    # What it offers is known.
    assert {one.part for one in relevance.concerns if one.super_peer == "SP4"} == {"condition", "actions"}
    assert {one.super_peer for one in relevance.concerns} == ALL
    assert trace.unanswered == ("SP4",)
    assert {unit.super_peer for unit in trace.units if unit.rule is not None} == ALL - {"SP4"}
    town.world.heal(cut)
    town.world.run_for(60.0)
    relevance, trace = town.ask("SP1")
    assert relevance.unanswered == trace.unanswered == ()


def test_who_asks_while_it_is_cut_off_learns_what_it_knows_itself():
    town = Town(1)
    town.world.isolate("SP3")
    relevance, trace = town.ask("SP3")
    assert set(relevance.unanswered) == set(trace.unanswered) == ALL - {"SP3"}
    assert trace.units[0].id == town.transaction
