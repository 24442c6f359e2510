"""Asks in a federation on a bus, and waits for the answer."""

from __future__ import annotations

from tests.federation.federation import Federation
from tests.rules.execution.town import PREAMBLE

from triplewire.federation.execution.effects import InquiryAnswered
from triplewire.languages.rdftl import parse_rule
from triplewire.wire.network_rules import NetworkTrace, RuleRelevance

SECONDS = 5.0


def ask_relevance(town: Federation, at: str, text: str) -> RuleRelevance:
    inquiry = begin_relevance(town, at, text)
    town.run()
    found = answered(town, inquiry)
    assert isinstance(found, RuleRelevance)
    return found


def begin_relevance(town: Federation, at: str, text: str) -> str:
    inquiry, effects = town.super_peers[at].ask_relevance(town.now, parse_rule(PREAMBLE + text), SECONDS)
    town.act(at, effects)
    return inquiry


def ask_trace(town: Federation, at: str, unit: str) -> NetworkTrace:
    inquiry = begin_trace(town, at, unit)
    town.run()
    found = answered(town, inquiry)
    assert isinstance(found, NetworkTrace)
    return found


def begin_trace(town: Federation, at: str, unit: str) -> str:
    inquiry, effects = town.super_peers[at].ask_trace(town.now, unit, SECONDS)
    town.act(at, effects)
    return inquiry


def answered(town: Federation, inquiry: str) -> RuleRelevance | NetworkTrace | None:
    """The answer, if there is one."""
    found = [one for one in town.happened if isinstance(one, InquiryAnswered) and one.inquiry == inquiry]
    assert len(found) < 2, "an inquiry is over once"
    return found[0].result if found else None
