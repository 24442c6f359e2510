"""`DO ABORT 'reason'`: a rule fails on purpose, and its abort dependency says who goes with it."""

from __future__ import annotations

import pytest
from tests.rules.execution.town import PREAMBLE, a, arc, arcs, rulebook, run, town

from triplewire.errors import AbortedByRule, Cascaded
from triplewire.languages.rdftl import parse_updates
from triplewire.rules.execution import Principals, Runner, ScheduleOutcome, Status

LIKE = "INSERT (resource(ex:ann), ex:likes, resource(ex:bob));;\n"
OWN = "INSERT (resource(ex:ann), ex:owns, resource(ex:mug))"
OTHER = "TRANSACTION u\nINSERT (resource(ex:bob), ex:owns, resource(ex:cup));;\n"
LIKED, OWNED, OTHERS = arc("ann", "likes", "bob"), arc("ann", "owns", "mug"), arc("bob", "owns", "cup")


def statuses(outcome: ScheduleOutcome) -> dict[str, Status]:
    return {entry.rule or entry.transaction: entry.status for entry in outcome.entries}


@pytest.mark.parametrize("coupling", ["IMMEDIATE", "DEFERRED", "DETACHED"])
@pytest.mark.parametrize(
    ("dependency", "parent_survives"),
    [("PARENTCHILD", True), ("CHILDPARENT", False), ("MUTUAL", False), ("INDEPENDENT", True)],
)
def test_the_abort_dependency_says_who_aborts_with_it(coupling: str, dependency: str, parent_survives: bool) -> None:
    repository = town()
    rule = f"RULE no COUPLING {coupling} ABORT {dependency} ON INSERT (_, ex:likes, _) IF True DO {OWN}; ABORT 'so';;"
    outcome = run(repository, rule, "TRANSACTION t\n" + LIKE + OTHER)
    assert arcs(repository.asserted) == ({LIKED, OTHERS} if parent_survives else {OTHERS})
    ended = Status.COMMITTED if parent_survives else Status.ABORTED
    assert statuses(outcome) == {"t": ended, "no": Status.ABORTED, "u": Status.COMMITTED}


def test_the_reason_stands_in_the_trace_of_all_that_abort_with_it() -> None:
    rules = f"""
    RULE first ON INSERT (_, ex:likes, _) IF True DO {OWN};;
    RULE guard ON INSERT (_, ex:owns, _) IF not $delta/target(ex:name) DO ABORT 'owners have names';;
    """
    repository = town()
    outcome = run(repository, rules, "TRANSACTION t\n" + LIKE)
    assert arcs(repository.asserted) == set()
    assert statuses(outcome) == dict.fromkeys(("t", "first", "guard"), Status.ABORTED)
    for entry in outcome.entries:
        assert isinstance(entry.error, AbortedByRule)
        assert (entry.error.rule, entry.error.reason) == ("guard", "owners have names")
        assert str(entry.error) == "the rule guard has aborted it: owners have names"


def test_who_has_read_what_is_undone_is_undone_too() -> None:
    rules = "RULE no COUPLING DETACHED ABORT MUTUAL ON INSERT (_, ex:likes, _) IF True DO ABORT 'no';;"
    updates = (
        "TRANSACTION t\n" + LIKE + "TRANSACTION u\nINSERT (resource()/target(ex:likes), ex:owns, resource(ex:cup));;"
    )
    repository = town()
    outcome = run(repository, rules, updates)
    assert arcs(repository.asserted) == set()
    assert isinstance(next(e.error for e in outcome.entries if e.transaction == "u"), Cascaded)


def test_what_it_has_triggered_before_goes_with_it() -> None:
    rules = f"""
    RULE first ON INSERT (_, ex:likes, _) IF True DO {OWN}; ABORT 'never mind';;
    RULE then ON INSERT (_, ex:owns, _) IF True DO INSERT ($delta, ex:name, 'owner');;
    """
    repository = town()
    outcome = run(repository, rules, LIKE)
    assert arcs(repository.asserted) == set()
    assert [(entry.rule, entry.status) for entry in outcome.firings] == [
        ("first", Status.ABORTED),
        ("then", Status.ABORTED),
    ]


def test_a_rule_of_somebody_else_aborts_nothing_but_itself_unless_it_guards() -> None:
    rule = "RULE no ON INSERT (_, ex:likes, _) IF True DO ABORT 'no';;"
    for guards, left in ((False, {LIKED}), (True, set())):
        repository = town()
        principals = Principals(author="ann", owners={"no": "eve"}, is_guard=lambda _, guards=guards: guards)
        outcome = Runner(repository, rulebook(rule)).run(parse_updates(PREAMBLE + LIKE), principals)
        assert arcs(repository.asserted) == left
        assert isinstance(outcome.firings[0].error, AbortedByRule)


def test_a_condition_may_let_it_through() -> None:
    rule = (
        "RULE guard ON INSERT resource() AS INSTANCE OF Thing IF not resource(ex:ann)/target(ex:owns) DO ABORT 'no';;"
    )
    insert = "INSERT resource(ex:toy) AS INSTANCE OF Thing;;"
    repository = town()
    assert run(repository, rule, insert).aborted
    assert a("toy", "Thing") not in repository
    repository = town(OWNED)
    assert not run(repository, rule, insert).aborted
    assert a("toy", "Thing") in repository
