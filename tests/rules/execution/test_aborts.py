"""Abort dependencies, compensation and readers of compensated data (sections 2.3 and 3.2); F12."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest
from tests.rules.execution.town import PREAMBLE, a, arc, arcs, elements, rulebook, rules_of, run, runner, town
from tests.rules.family import EX

from triplewire.errors import BudgetExceeded, Cascaded, CascadeTooLong, DepthExceeded, SchemaViolation, UpdateRefused
from triplewire.languages.rdftl import parse_updates
from triplewire.rdf.terms import Literal, Triple
from triplewire.rules.execution import Limits, ScheduleOutcome, Status, Work
from triplewire.rules.execution.context import StepContext
from triplewire.rules.execution.runner import Execution
from triplewire.rules.execution.state import AbortRequested, Advance, Submit
from triplewire.testing import VirtualClock

LIKE = "INSERT (resource(ex:ann), ex:likes, resource(ex:bob));;\n"
BREAK = "INSERT (resource(ex:ann), ex:owns, resource(ex:bob));;\n"
OWN = "INSERT (resource(ex:ann), ex:owns, resource(ex:mug))"
OTHER = "TRANSACTION u\nINSERT (resource(ex:bob), ex:owns, resource(ex:cup));;\n"
LIKED, OWNED = arc("ann", "likes", "bob"), arc("ann", "owns", "mug")


def statuses(outcome: ScheduleOutcome) -> dict[str, Status]:
    return {entry.rule or entry.transaction: entry.status for entry in outcome.entries}


@pytest.mark.parametrize("coupling", ["IMMEDIATE", "DEFERRED", "DETACHED"])
@pytest.mark.parametrize(
    ("dependency", "parent_survives"),
    [("PARENTCHILD", True), ("CHILDPARENT", False), ("MUTUAL", False), ("INDEPENDENT", True)],
)
def test_when_the_child_aborts(coupling: str, dependency: str, parent_survives: bool) -> None:
    repository = town()
    rule = f"RULE child COUPLING {coupling} ABORT {dependency} ON INSERT (_, ex:likes, _) IF True DO {OWN}; {BREAK}"
    outcome = run(repository, rule, "TRANSACTION t\n" + LIKE)
    assert arcs(repository.asserted) == ({LIKED} if parent_survives else set())
    ended = Status.COMMITTED if parent_survives else Status.ABORTED
    assert statuses(outcome) == {"t": ended, "child": Status.ABORTED}
    assert isinstance(outcome.firings[0].error, SchemaViolation)


@pytest.mark.parametrize("coupling", ["IMMEDIATE", "DETACHED"])
@pytest.mark.parametrize(
    ("dependency", "child_survives"),
    [("PARENTCHILD", False), ("CHILDPARENT", True), ("MUTUAL", False), ("INDEPENDENT", True)],
)
def test_when_the_parent_aborts(coupling: str, dependency: str, child_survives: bool) -> None:
    repository = town()
    rule = f"RULE child COUPLING {coupling} ABORT {dependency} ON INSERT (_, ex:likes, _) IF True DO {OWN};;"
    outcome = run(repository, rule, "TRANSACTION t\n" + LIKE + BREAK)
    assert arcs(repository.asserted) == ({OWNED} if child_survives else set())
    ended = Status.COMMITTED if child_survives else Status.ABORTED
    assert statuses(outcome) == {"t": Status.ABORTED, "child": ended}


def test_the_default_is_mutual_for_subtransactions_and_independent_for_detached_rules() -> None:
    for coupling, left in (("IMMEDIATE", set()), ("DEFERRED", set()), ("DETACHED", {LIKED})):
        repository = town()
        run(repository, f"COUPLING {coupling} ON INSERT (_, ex:likes, _) IF True DO {BREAK}", LIKE)
        assert arcs(repository.asserted) == left


def test_a_mutual_detached_child_that_fails_later_compensates_a_committed_parent() -> None:
    repository = town()
    rule = f"RULE child COUPLING DETACHED ABORT MUTUAL ON INSERT (_, ex:likes, _) IF True DO {BREAK}"
    outcome = run(
        repository,
        rule,
        "TRANSACTION t\n" + LIKE + OTHER,
    )
    assert arcs(repository.asserted) == {arc("bob", "owns", "cup")}
    assert statuses(outcome) == {"t": Status.ABORTED, "u": Status.COMMITTED, "child": Status.ABORTED}
    assert set(outcome.committed) == {"u"}


def test_a_failed_update_takes_its_transaction_back_but_no_other() -> None:
    repository = town()
    outcome = run(
        repository,
        "",
        "TRANSACTION t\n"
        + LIKE
        + OTHER
        + "TRANSACTION t\n"
        + BREAK
        + "INSERT (resource(ex:cat), ex:owns, resource(ex:cup));;",
    )
    assert arcs(repository.asserted) == {arc("bob", "owns", "cup")}
    assert statuses(outcome) == {"t": Status.ABORTED, "u": Status.COMMITTED}
    assert outcome.changes.edits.inserted == (arc("bob", "owns", "cup"),)


def test_the_figure_of_section_3_2() -> None:
    """T6 fails: its mutual parent T1 aborts, and T5, which depends on T1; T7, independent, fails alone."""
    rules = f"""
    RULE t1 ABORT INDEPENDENT ON INSERT (_, ex:likes, _) IF True
         DO INSERT (resource(ex:ann), ex:owes, resource(ex:bob));;
    RULE t5 ABORT PARENTCHILD ON INSERT (_, ex:owes, _) IF True
         DO INSERT (resource(ex:cat), ex:owns, resource(ex:cup));;
    RULE t6 ABORT MUTUAL ON INSERT (_, ex:owes, _) IF True DO {BREAK}
    RULE t7 ABORT INDEPENDENT ON INSERT (_, ex:likes, _) IF True DO {BREAK}
    """
    repository = town()
    outcome = run(repository, rules, "TRANSACTION t0\n" + LIKE)
    assert arcs(repository.asserted) == {LIKED}
    gone = dict.fromkeys(("t1", "t5", "t6", "t7"), Status.ABORTED)
    assert statuses(outcome) == {"t0": Status.COMMITTED, **gone}


def test_a_transaction_can_be_asked_to_abort_between_its_updates_and_after_it_has_committed() -> None:
    rule = f"RULE child COUPLING DETACHED ABORT PARENTCHILD ON INSERT (_, ex:likes, _) IF True DO {OWN};;"
    for advances in range(1, 6):
        repository = town()
        was = set(repository)
        execution = Execution(repository, StepContext(repository, rulebook(rule)))
        execution.take(Submit(parse_updates(PREAMBLE + "TRANSACTION t\n" + LIKE)))
        for _ in range(advances):
            assert not execution.take(Advance())
        execution.take(AbortRequested("t"))
        while not execution.take(Advance()):
            pass
        assert set(repository) == was, advances


def test_a_transaction_that_is_not_known_cannot_be_asked_to_abort() -> None:
    repository = town()
    with pytest.raises(UpdateRefused, match="'t'"):
        Execution(repository, StepContext(repository, rulebook(""))).take(AbortRequested("t"))


# Readers

INSERT_DAN = "TRANSACTION t\nINSERT resource(ex:dan) AS INSTANCE OF Person;;\n"
READ_DAN = "TRANSACTION u\nINSERT (resource()[target(ex:name) = 'x'], ex:owns, resource(ex:cup));;\n"
NAME_ANN = "TRANSACTION t\nINSERT (resource(ex:ann), ex:name, 'x');;\n"
FAIL = "TRANSACTION t\n" + BREAK


def reading(commutes: bool) -> tuple[set[Triple], ScheduleOutcome, list[tuple[Work, Work]]]:
    asked: list[tuple[Work, Work]] = []

    def judge(compensated: Work, reader: Work) -> bool:
        asked.append((compensated, reader))
        return commutes

    repository = town()
    outcome = runner(repository, commutes=judge).run(parse_updates(PREAMBLE + NAME_ANN + READ_DAN + FAIL))
    return arcs(repository.asserted), outcome, asked


def test_a_transaction_that_read_what_is_compensated_is_compensated_too() -> None:
    left, outcome, asked = reading(commutes=False)
    assert left == set()
    assert statuses(outcome) == {"t": Status.ABORTED, "u": Status.ABORTED}
    (error,) = (entry.error for entry in outcome.entries if entry.transaction == "u")
    assert isinstance(error, Cascaded)
    assert "transaction u has read what transaction t" in str(error)
    ((compensated, reader),) = asked
    assert (len(compensated.updates), len(reader.updates)) == (2, 1)


def test_a_reader_that_commutes_is_left_alone() -> None:
    left, outcome, _ = reading(commutes=True)
    assert left == {arc("ann", "owns", "cup")}
    assert statuses(outcome) == {"t": Status.ABORTED, "u": Status.COMMITTED}


def test_whoever_read_something_else_or_before_is_left_alone() -> None:
    repository = town()
    outcome = run(
        repository,
        "",
        READ_DAN.replace("u\n", "early\n") + NAME_ANN + OTHER + FAIL,
    )
    assert statuses(outcome) == {"early": Status.COMMITTED, "t": Status.ABORTED, "u": Status.COMMITTED}


def test_whoever_inserted_in_vain_what_was_there_has_read_it() -> None:
    repository = town()
    outcome = run(repository, "", "TRANSACTION t\n" + LIKE + "TRANSACTION u\n" + LIKE + FAIL)
    assert statuses(outcome) == {"t": Status.ABORTED, "u": Status.ABORTED}
    assert arcs(repository) == set()


def test_what_was_built_on_what_is_compensated_goes_with_it_even_if_it_commutes() -> None:
    repository = town()
    updates = INSERT_DAN + "TRANSACTION u\nINSERT (resource(ex:dan), ex:owns, resource(ex:cup));;\n" + FAIL
    outcome = runner(repository, commutes=lambda *_: True).run(parse_updates(PREAMBLE + updates))
    assert statuses(outcome) == {"t": Status.ABORTED, "u": Status.ABORTED}
    assert not list(repository.match(EX["dan"], None, None))


def named(transaction: str, node: str, name: str) -> str:
    return f"TRANSACTION {transaction}\nINSERT (resource(ex:{node}), ex:name, '{name}');;\n"


@pytest.mark.parametrize("commutes", [False, True])
def test_of_two_transactions_the_one_that_built_on_what_is_compensated_goes(commutes: bool) -> None:
    """t inserts Dan, u gives Dan a name, v writes something else; t fails."""
    repository = town()
    updates = INSERT_DAN + named("u", "dan", "Dan") + named("v", "bob", "Bob") + FAIL
    outcome = runner(repository, commutes=lambda *_: commutes).run(parse_updates(PREAMBLE + updates))
    assert statuses(outcome) == {"t": Status.ABORTED, "u": Status.ABORTED, "v": Status.COMMITTED}
    assert arcs(repository.asserted) == {arc("bob", "name", Literal("Bob"))}


def test_whoever_was_checked_against_what_is_compensated_has_read_it() -> None:
    repository = town()
    outcome = run(repository, "", INSERT_DAN + named("u", "dan", "Dan") + FAIL)
    [error] = (entry.error for entry in outcome.entries if entry.transaction == "u")
    assert isinstance(error, Cascaded)


def test_a_check_has_read_only_the_classes_that_the_schema_wants() -> None:
    """Ann was a person before t made her a nurse, so whoever gave her something did not need t."""
    repository = town()
    nurse = "TRANSACTION t\nINSERT resource(ex:ann) AS INSTANCE OF Nurse;;\n"
    outcome = run(repository, "", nurse + f"TRANSACTION u\n{OWN};;\n" + FAIL)
    assert statuses(outcome) == {"t": Status.ABORTED, "u": Status.COMMITTED}


def test_a_check_that_lost_classes_made_has_read_the_arcs() -> None:
    """t deletes an arc for which Dan has to be a person; only without it u can take that from him."""
    repository = town(a("dan", "Person"), a("dan", "Thing"), arc("dan", "owns", "mug"))
    deleted = "TRANSACTION t\nDELETE (resource(ex:dan), ex:owns, resource(ex:mug));;\n"
    lost = "TRANSACTION u\nDELETE resource(ex:dan) AS INSTANCE OF Person;;\n"
    for commutes in (False, True):
        outcome = runner(repository, commutes=lambda *_, answer=commutes: answer).dry_run(  # type: ignore[misc]
            parse_updates(PREAMBLE + deleted + lost + named("v", "bob", "Bob") + FAIL)
        )
        assert statuses(outcome) == {"t": Status.ABORTED, "u": Status.ABORTED, "v": Status.COMMITTED}


def test_of_two_independent_children_the_one_that_built_on_the_parent_goes_with_it() -> None:
    """Who is not judged by what it has read goes all the same where it cannot stay, and nobody else does."""
    repository = town()
    rules = """
    RULE naming ABORT INDEPENDENT ON INSERT resource() AS INSTANCE OF Person IF True DO INSERT ($delta, ex:name, 'x');;
    RULE noting ABORT INDEPENDENT ON INSERT resource() AS INSTANCE OF Person IF $delta/target(rdf:type)
         DO INSERT (resource(ex:log), seq++, resource(ex:ann));;
    """
    outcome = run(repository, rules, INSERT_DAN + FAIL)
    assert statuses(outcome) == {"t": Status.ABORTED, "naming": Status.ABORTED, "noting": Status.COMMITTED}


def test_an_independent_child_is_not_judged_by_what_it_read_of_its_parent() -> None:
    repository = town()
    rule = "RULE child ABORT INDEPENDENT ON INSERT (_, ex:likes, _) IF $delta/target(ex:likes) DO " + OWN + ";;"
    outcome = run(repository, rule, "TRANSACTION t\n" + LIKE + BREAK)
    assert statuses(outcome) == {"t": Status.ABORTED, "child": Status.COMMITTED}


# F12


ENDLESS = """
RULE r1 {0} ON INSERT (_, ex:likes, _) IF True DO DELETE (resource(ex:ann), ex:likes, _);
     INSERT (resource(ex:ann), ex:owes, resource(ex:bob));;
RULE r2 {0} ON INSERT (_, ex:owes, _) IF True DO DELETE (resource(ex:ann), ex:owes, _);
     INSERT (resource(ex:ann), ex:likes, resource(ex:bob));;
"""


@pytest.mark.parametrize("coupling", ["IMMEDIATE", "DEFERRED", "DETACHED"])
@pytest.mark.parametrize("dependency", ["MUTUAL", "INDEPENDENT"])
def test_f12_rules_that_trigger_each_other_without_end_are_stopped_and_shown(coupling: str, dependency: str) -> None:
    repository = town()
    was = set(repository)
    outcome = run(repository, ENDLESS.format(f"COUPLING {coupling} ABORT {dependency}"), "TRANSACTION t\n" + LIKE)
    assert set(repository) == was
    assert not outcome.changes
    error = outcome.entries[0].error
    assert isinstance(error, DepthExceeded)
    assert error.cycle in (("r1", "r2", "r1"), ("r2", "r1", "r2"))
    assert " -> ".join(error.cycle) in str(error)
    assert set(statuses(outcome).values()) == {Status.ABORTED}


def test_f12_other_transactions_go_on() -> None:
    repository = town()
    run(repository, ENDLESS.format(""), "TRANSACTION t\n" + LIKE + OTHER)
    assert arcs(repository.asserted) == {arc("bob", "owns", "cup")}


def test_f12_a_rule_that_triggers_itself() -> None:
    repository = town()
    append = "INSERT (resource(ex:log), seq++, resource(ex:ann));;"
    outcome = run(repository, f"RULE self ON INSERT (resource(ex:log), _, _) IF True DO {append}", append)
    error = outcome.entries[0].error
    assert isinstance(error, DepthExceeded)
    assert error.cycle == ("self", "self")
    assert elements(repository, "log") == []


def test_a_cascade_that_ends_within_the_depth_is_fine_and_one_step_less_is_not() -> None:
    append = "INSERT (resource(ex:log), seq++, resource(ex:ann));;"
    listening = "ON INSERT (resource(ex:log), rdf:_{0}, _) IF True DO"
    chain = "".join(f"RULE c{n} {listening.format(n)} {append}" for n in range(1, 11))
    start = parse_updates(PREAMBLE + append)
    repository = town()
    outcome = runner(repository, chain, limits=Limits(depth=10)).run(start)
    assert rules_of(outcome) == [f"c{n}" for n in range(1, 11)]
    assert len(elements(repository, "log")) == 11
    repository = town()
    outcome = runner(repository, chain, limits=Limits(depth=9)).run(start)
    assert isinstance(outcome.entries[0].error, DepthExceeded)
    assert elements(repository, "log") == []


def test_rules_that_multiply_are_stopped_by_the_number_of_updates() -> None:
    repository = town(*(a(f"p{n}", "Person") for n in range(20)))
    was = set(repository)
    rule = "RULE all ON INSERT (_, ex:owes, _) IF True DO INSERT (_, ex:owes, $delta.source);;"
    outcome = runner(repository, rule, limits=Limits(updates=50)).run(
        parse_updates(PREAMBLE + "INSERT (resource(ex:ann), ex:owes, resource(ex:bob));;")
    )
    assert isinstance(outcome.entries[0].error, BudgetExceeded)
    assert "50 updates" in str(outcome.entries[0].error)
    assert set(repository) == was


# A schedule's time

MULTIPLY = "RULE all ON INSERT (_, ex:owes, _) IF True DO INSERT (_, ex:owes, $delta.source);;"
OWE = "TRANSACTION t\nINSERT (resource(ex:ann), ex:owes, resource(ex:bob));;"


def ticking() -> Callable[[], float]:
    """A clock on which each look takes a second."""
    return VirtualClock(flow=count().__next__).monotonic


def test_f12_a_cascade_that_takes_too_long_is_undone_whole_and_shown() -> None:
    repository = town(*(a(f"p{n}", "Person") for n in range(20)))
    was = set(repository.store)
    slow = runner(repository, MULTIPLY, limits=Limits(seconds=200), clock=ticking())
    with pytest.raises(CascadeTooLong) as caught:
        slow.run(parse_updates(PREAMBLE + OWE))
    assert caught.value.cascade[:2] == ("t", "all")
    assert "200 s" in str(caught.value)
    assert set(repository.store) == was


@pytest.mark.parametrize("seconds", range(0, 99, 3))
def test_whenever_the_time_is_over_everything_is_put_back(seconds: int) -> None:
    repository = town(a("dan", "Person"))
    was = set(repository.store)
    rules = f"RULE child ABORT INDEPENDENT ON INSERT (_, ex:likes, _) IF $delta/target(ex:likes) DO {OWN};; {MULTIPLY}"
    slow = runner(repository, rules, limits=Limits(seconds=seconds), clock=ticking())
    with pytest.raises(CascadeTooLong):
        slow.run(parse_updates(PREAMBLE + "TRANSACTION t\n" + LIKE + BREAK + OWE.replace("t\n", "u\n")))
    assert set(repository.store) == was


def test_a_look_that_takes_too_long_ends_in_the_middle() -> None:
    """One action, whose path looks at every resource for every resource."""
    repository = town(*(a(f"p{n}", "Person") for n in range(50)))
    nested = "INSERT (resource()[resource()[target(ex:name) != 'q']/target(ex:likes)], ex:name, 'z');;"
    slow = runner(repository, limits=Limits(seconds=500), clock=ticking())
    with pytest.raises(CascadeTooLong):
        slow.run(parse_updates(PREAMBLE + nested))


def test_an_action_that_combines_more_than_it_may_is_refused_before_it_is_put_together() -> None:
    repository = town(*(a(f"p{n}", "Person") for n in range(50)))
    together = "INSERT (resource()[True], ex:knows, resource()[True]);;"
    outcome = runner(repository, limits=Limits(edits=100)).run(parse_updates(PREAMBLE + together))
    [entry] = outcome.entries
    assert isinstance(entry.error, UpdateRefused)
    assert "at most 100 triples" in str(entry.error)
