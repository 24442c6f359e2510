"""Rules over events in order, without Spark."""

from __future__ import annotations

import pytest

from triplewire.languages.rdftl import parse_rules
from triplewire.pipeline.jobs.questions.rule_replay import EventFilter, RuleReplay, listens
from triplewire.rdf.events import Event
from triplewire.rdf.terms import Literal, NamedNode, Triple
from triplewire.rules.name_resolution import resolved
from triplewire.rules.schema import Schema

EX = "http://example.org/"
TEXT = """
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix ex: <http://example.org/> .
ex:Book a rdfs:Class .
ex:title rdfs:domain ex:Book ; rdfs:range rdfs:Literal .
ex:note rdfs:domain ex:Book ; rdfs:range rdfs:Literal .
ex:count rdfs:domain ex:Book ; rdfs:range rdfs:Literal .
"""
RULES = """USING NAMESPACE ex http://example.org/
RULE notes ON INSERT (_, ex:title, _) IF True DO INSERT ($delta, ex:note, 'new');;
RULE counts ON INSERT (_, ex:note, 'new') IF True DO INSERT ($delta, ex:count, 'one');;
RULE ends ON DELETE (_, ex:title, _) IF True DO DELETE ($delta, ex:note, _);;
"""
SCHEMA = Schema.parse(TEXT)
PARSED = [resolved(rule, SCHEMA) for rule in parse_rules(RULES)]
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def event(name: str, *lines: str) -> Event:
    [found] = Event.parse("".join(f"{line} <urn:{name}> .\n" for line in lines))
    return found


BOOK = event("book", f"<urn:b> {TYPE} <{EX}Book>", f'<urn:b> <{EX}title> "Logic"')
STRANGER = event("stranger", f'<urn:c> <{EX}title> "Sets"')
OTHER = event("other", f"<urn:d> <{EX}elsewhere> <urn:e>")
CHANGE = event("change", f"<urn:change> {TYPE} <urn:triplewire:Inserted>", f'<urn:b> <{EX}title> "Logic"')


def test_only_rules_on_insert_listen():
    assert [rule.id for rule in PARSED if listens(rule)] == ["notes", "counts"]


@pytest.mark.parametrize(("given", "wanted"), [(BOOK, True), (STRANGER, True), (OTHER, False), (CHANGE, False)])
def test_an_event_is_wanted_if_it_may_trigger_a_rule_and_is_no_change_of_a_repository(given, wanted):
    assert EventFilter(SCHEMA, PARSED).takes(given) is wanted


def test_a_rule_triggers_another_and_each_says_what_it_changed():
    replay = RuleReplay(SCHEMA, PARSED)
    units = list(replay.play(BOOK))
    assert [(unit.order, unit.rule, unit.cause, unit.depth, unit.status) for unit in units] == [
        (1, None, None, 0, "committed"),
        (2, "notes", "urn:book", 1, "committed"),
        (3, "counts", "notes", 2, "committed"),
    ]
    assert units[1].inserted == (f'<urn:b> <{EX}note> "new" .',)
    assert len(replay.net.inserted) == 4


def test_an_event_that_does_not_conform_is_told_and_changes_nothing():
    replay = RuleReplay(SCHEMA, PARSED)
    [unit] = replay.play(STRANGER)
    assert (unit.rule, unit.inserted) == (None, ())
    assert "urn:c" in unit.error
    assert not replay.net


def test_what_was_there_before_and_what_came_before_count():
    replay = RuleReplay(SCHEMA, PARSED, [Triple(NamedNode("urn:c"), NamedNode(TYPE[1:-1]), NamedNode(f"{EX}Book"))])
    assert len(list(replay.play(STRANGER))) == 3
    # The same again inserts nothing, and triggers nothing.
    assert [unit.rule for unit in replay.play(STRANGER)] == [None]
    assert Triple(NamedNode("urn:c"), NamedNode(f"{EX}count"), Literal("one")) in replay.net.inserted
