"""Deferred rules: their events are noticed at once, their conditions and actions wait for the transaction's end."""

from __future__ import annotations

import pytest
from tests.rules.execution.town import PREAMBLE, a, arc, arcs, elements, rules_of, run, runner, town
from tests.rules.family import EX

from triplewire.errors import SchemaViolation
from triplewire.languages.rdftl import parse_updates
from triplewire.rdf.terms import Literal, Triple
from triplewire.rules.execution import ScheduleOutcome, Status

LIKE = "INSERT (resource(ex:ann), ex:likes, resource(ex:bob));;\n"
UNLIKE = "DELETE (resource(ex:ann), ex:likes, resource(ex:bob));;\n"
BREAK = "INSERT (resource(ex:ann), ex:owns, resource(ex:bob));;\n"
LIKED = arc("ann", "likes", "bob")


def logged(event: str, updates: str, *more: Triple, condition: str = "True", delta: str = "$delta") -> list[object]:
    """What a deferred rule on the event writes into the log in one transaction."""
    repository = town(*more)
    rule = f"COUPLING DEFERRED ON {event} IF {condition} DO INSERT (resource(ex:log), seq++, {delta});;"
    assert not run(repository, rule, "TRANSACTION t\n" + updates).aborted
    return list(elements(repository, "log"))


def fired(event: str, updates: str, *more: Triple) -> int:
    """How often a deferred rule on the event fires in one transaction."""
    rule = f"COUPLING DEFERRED ON {event} IF True DO DELETE (_, ex:owns, $delta);;"
    return len(run(town(*more), rule, "TRANSACTION t\n" + updates).firings)


def test_the_condition_reads_what_the_transaction_writes_later_and_what_its_immediate_rules_do() -> None:
    dan = "INSERT resource(ex:dan) AS INSTANCE OF Person;;\n"
    named = "INSERT (resource(ex:dan), ex:name, 'x');;\n"
    event, condition = "INSERT resource() AS INSTANCE OF Person", "$delta/target(ex:name) = 'x'"
    assert logged(event, dan + named, condition=condition) == [EX["dan"]]
    assert logged(event, dan, condition=condition) == []
    assert logged(event, dan + "TRANSACTION u\n" + named, condition=condition) == []
    repository = town()
    rules = f"""
    COUPLING DEFERRED ON {event} IF {condition} DO INSERT (resource(ex:log), seq++, $delta);;
    ON {event} IF True DO INSERT ($delta, ex:name, 'x');;
    """
    run(repository, rules, dan)
    assert elements(repository, "log") == [EX["dan"]]


def test_the_condition_does_not_hold_if_a_later_update_ends_it() -> None:
    updates = LIKE + "DELETE (resource(ex:bob), ex:name, _);;"
    named = arc("bob", "name", Literal("x"))
    assert logged("INSERT (_, ex:likes, _)", updates, named, condition="$delta.target/target(ex:name)") == []


@pytest.mark.parametrize(
    ("event", "updates", "before", "times"),
    [
        ("INSERT (_, ex:likes, _)", LIKE, (), 1),
        ("INSERT (_, ex:likes, _)", LIKE + UNLIKE, (), 0),
        ("INSERT (_, ex:likes, _)", LIKE + UNLIKE + LIKE, (), 1),
        ("INSERT (_, ex:likes, _)", UNLIKE + LIKE, (LIKED,), 0),
        ("INSERT (_, ex:knows, _)", LIKE + "INSERT (resource(ex:ann), ex:loves, resource(ex:bob));;" + UNLIKE, (), 0),
        ("DELETE (_, ex:likes, _)", UNLIKE, (LIKED,), 1),
        ("DELETE (_, ex:likes, _)", UNLIKE + LIKE, (LIKED,), 0),
        ("DELETE (_, ex:likes, _)", LIKE + UNLIKE, (), 0),
        ("DELETE (_, ex:likes, _)", "DELETE resource(ex:bob);;", (LIKED,), 1),
        ("INSERT resource()", "INSERT resource(ex:dan) AS INSTANCE OF Nurse;; DELETE resource(ex:dan);;", (), 0),
        (
            "INSERT resource()",
            "INSERT resource(ex:dan) AS INSTANCE OF Worker;; INSERT resource(ex:dan) AS INSTANCE OF Thing;;"
            "DELETE resource(ex:dan) AS INSTANCE OF Worker;;",
            (),
            1,
        ),
        (
            "INSERT resource() AS INSTANCE OF Worker",
            "INSERT resource(ex:dan) AS INSTANCE OF Worker;; INSERT resource(ex:dan) AS INSTANCE OF Thing;;"
            "DELETE resource(ex:dan) AS INSTANCE OF Worker;;",
            (),
            0,
        ),
        ("DELETE resource()", "DELETE resource(ex:bob);; INSERT resource(ex:bob) AS INSTANCE OF Thing;;", (), 0),
        (
            "DELETE resource() AS INSTANCE OF Person",
            "DELETE resource(ex:bob);; INSERT resource(ex:bob) AS INSTANCE OF Thing;;",
            (),
            1,
        ),
    ],
)
def test_an_event_that_was_undone_in_the_transaction_has_not_happened(
    event: str, updates: str, before: tuple[Triple, ...], times: int
) -> None:
    assert fired(event, updates, *before) == times


def test_of_updates_of_one_arc_the_one_that_stands_at_the_end_counts() -> None:
    rename = "UPDATE (resource(ex:ann), ex:likes, resource(ex:{}) -> resource(ex:{}));;\n"
    there, back, on = rename.format("bob", "cat"), rename.format("cat", "bob"), rename.format("cat", "ann")
    event = "UPDATE (_, ex:likes, _ -> _)"
    assert logged(event, there, LIKED, delta="$delta.new_target") == [EX["cat"]]
    assert logged(event, there + back, LIKED) == []
    assert logged(event, there + on, LIKED, delta="$delta.new_target") == [EX["ann"]]
    assert logged(event, there + on, LIKED, delta="$delta.old_target") == [EX["cat"]]
    # The new arc was there already: what has changed is that the old one is gone.
    assert logged(event, there, LIKED, arc("ann", "likes", "cat"), delta="$delta.new_target") == [EX["cat"]]
    assert logged(event, there + LIKE, LIKED, arc("ann", "likes", "cat")) == []


def test_an_update_that_is_undone_by_another_transaction_does_not_count() -> None:
    repository = town()
    rule = "COUPLING DEFERRED ON INSERT (_, ex:likes, _) IF True DO INSERT (resource(ex:log), seq++, $delta);;"
    between = "TRANSACTION t\n" + LIKE + "TRANSACTION u\n" + UNLIKE + "TRANSACTION t\nDELETE (_, ex:owes, _);;"
    assert rules_of(run(repository, rule, between)) == []


def test_what_other_transactions_have_changed_meanwhile_is_not_this_ones() -> None:
    """u ends first, and its rule sees t's arc as something that was there."""
    repository = town()
    rule = "COUPLING DEFERRED ON INSERT (_, ex:likes, _) IF True DO INSERT (resource(ex:log), seq++, $delta.target);;"
    updates = (
        "TRANSACTION t\n" + LIKE + "TRANSACTION u\nINSERT (resource(ex:ann), ex:likes, resource(ex:cat));;"
        "TRANSACTION t\nDELETE (_, ex:owes, _);;"
    )
    outcome = run(repository, rule, updates)
    assert [(entry.transaction, entry.cause) for entry in outcome.firings] == [("u", 2), ("t", 1)]
    assert elements(repository, "log") == [EX["cat"], EX["bob"]]


def test_conditions_of_one_round_are_all_evaluated_before_any_of_its_rules_acts() -> None:
    repository = town()
    rules = """
    RULE first COUPLING DEFERRED ON INSERT (_, ex:likes, _) IF True
         DO INSERT (resource(ex:ann), ex:owns, resource(ex:mug));;
    RULE second COUPLING DEFERRED ON INSERT (_, ex:likes, _) IF not resource(ex:ann)/target(ex:owns)
         DO INSERT (resource(ex:ann), ex:owns, resource(ex:cup));;
    RULE third COUPLING DEFERRED ON INSERT (_, ex:owns, _) IF resource(ex:ann)/target(ex:owns) = resource(ex:cup)
         DO INSERT (resource(ex:log), seq++, $delta.source);;
    """
    outcome = run(repository, rules, LIKE)
    assert rules_of(outcome) == ["first", "second", "third", "third"]
    assert [entry.cause for entry in outcome.firings] == [1, 1, 2, 3]


def test_the_cause_of_an_event_that_happened_twice_is_the_update_that_made_it_last() -> None:
    rules = """
    RULE inner ON INSERT (_, ex:owes, _) IF True DO INSERT (resource(ex:ann), ex:likes, resource(ex:bob));;
    RULE late COUPLING DEFERRED ON INSERT (_, ex:likes, _) IF True DO DELETE (_, ex:owns, $delta);;
    """
    updates = "TRANSACTION t\n" + LIKE + UNLIKE + "INSERT (resource(ex:ann), ex:owes, resource(ex:bob));;"
    outcome = run(town(), rules, updates)
    assert [(entry.rule, entry.cause) for entry in outcome.firings] == [("inner", 1), ("late", 2)]


def test_a_rule_without_delta_fires_for_each_update_whose_event_stands() -> None:
    rule = (
        "COUPLING DEFERRED ON INSERT (_, ex:likes, _) IF True DO INSERT (resource(ex:log), seq++, resource(ex:cat));;"
    )
    more = "INSERT (resource(ex:bob), ex:likes, resource(ex:ann));;\n"
    for updates, times in ((LIKE + more, 2), (LIKE + more + UNLIKE, 1), (LIKE + UNLIKE, 0)):
        repository = town()
        run(repository, rule, "TRANSACTION t\n" + updates)
        assert len(elements(repository, "log")) == times


# Precedence


def named(name: str, event: str, clauses: str = "", coupling: str = "DEFERRED") -> str:
    return (
        f"RULE {name} COUPLING {coupling} {clauses} ON INSERT (_, {event}, _) IF True "
        f"DO INSERT (resource(ex:log), seq++, resource(ex:{name}));;\n"
    )


OWE = "INSERT (resource(ex:ann), ex:owes, resource(ex:bob));;\n"
LOGGED = [a(name, "Being") for name in ("one", "two")]


def test_precedence_orders_deferred_rules_that_different_updates_have_triggered() -> None:
    for clauses, order in (("", ["two", "one"]), ("PRECEDES two", ["one", "two"])):
        repository = town(*LOGGED)
        rules = named("one", "ex:likes", clauses) + named("two", "ex:owes")
        assert not run(repository, rules, "TRANSACTION t\n" + OWE + LIKE).aborted
        assert elements(repository, "log") == [EX[name] for name in order]


def test_precedence_orders_deferred_rules_that_a_transaction_and_its_subtransactions_have_triggered() -> None:
    repository = town(*LOGGED)
    rules = (
        named("one", "ex:likes", "PRECEDES two")
        + named("two", "ex:owes")
        + "ON INSERT (_, ex:owes, _) IF True DO INSERT (resource(ex:ann), ex:likes, resource(ex:bob));;"
    )
    run(repository, rules, OWE)
    assert elements(repository, "log") == [EX["one"], EX["two"]]


def test_precedence_does_not_order_rules_of_different_transactions() -> None:
    repository = town(*LOGGED)
    rules = named("one", "ex:likes", "PRECEDES two") + named("two", "ex:owes")
    run(repository, rules, "TRANSACTION t\n" + OWE + "TRANSACTION u\n" + LIKE)
    assert elements(repository, "log") == [EX["two"], EX["one"]]


def test_whoever_arranges_deferred_rules_cannot_break_precedence() -> None:
    repository = town(*LOGGED)
    rules = named("one", "ex:likes", "PRECEDES two") + named("two", "ex:owes")
    backwards = runner(repository, rules, arrange=lambda firings: list(reversed(firings)))
    backwards.run(parse_updates(PREAMBLE + "TRANSACTION t\n" + LIKE + OWE))
    assert elements(repository, "log") == [EX["one"], EX["two"]]


# Aborts


def statuses(outcome: ScheduleOutcome) -> dict[str, Status]:
    return {entry.rule or entry.transaction: entry.status for entry in outcome.entries}


@pytest.mark.parametrize("dependency", ["PARENTCHILD", "CHILDPARENT", "MUTUAL", "INDEPENDENT"])
def test_what_was_compensated_before_the_end_has_triggered_no_deferred_rule(dependency: str) -> None:
    repository = town()
    rule = f"COUPLING DEFERRED ABORT {dependency} ON INSERT (_, ex:likes, _) IF True DO DELETE (_, ex:owes, _);;"
    outcome = run(repository, rule, "TRANSACTION t\n" + LIKE + BREAK)
    assert statuses(outcome) == {"t": Status.ABORTED}
    assert isinstance(outcome.entries[0].error, SchemaViolation)


def test_what_an_independent_subtransaction_has_triggered_fires_without_the_transaction() -> None:
    repository = town()
    rules = """
    RULE child ABORT INDEPENDENT ON INSERT (_, ex:likes, _) IF True
         DO INSERT (resource(ex:ann), ex:owes, resource(ex:bob));;
    RULE late COUPLING DEFERRED ON INSERT (_, ex:owes, _) IF True DO INSERT ($delta, ex:name, 'debtor');;
    """
    outcome = run(repository, rules, "TRANSACTION t\n" + LIKE + BREAK)
    assert statuses(outcome) == {"t": Status.ABORTED, "child": Status.COMMITTED, "late": Status.COMMITTED}
    assert arcs(repository.asserted) == {arc("ann", "owes", "bob"), arc("ann", "name", Literal("debtor"))}


def test_a_deferred_guard_sees_the_whole_transaction() -> None:
    guard = """
    RULE guard COUPLING DEFERRED ON INSERT resource() AS INSTANCE OF Person IF not $delta/target(ex:name)
         DO ABORT 'a person has a name';;
    """
    dan, named_dan = "INSERT resource(ex:dan) AS INSTANCE OF Person;;", "INSERT (resource(ex:dan), ex:name, 'Dan');;"
    assert statuses(run(town(), guard, "TRANSACTION t\n" + dan + named_dan)) == {"t": Status.COMMITTED}
    assert statuses(run(town(), guard, "TRANSACTION t\n" + dan)) == dict.fromkeys(("t", "guard"), Status.ABORTED)
