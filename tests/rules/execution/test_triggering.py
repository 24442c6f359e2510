"""Which rules an update triggers, and for which $delta (sections 2.1 and 2.2)."""

from __future__ import annotations

import pytest
from tests.rules.execution.town import a, arc, arcs, elements, rules_of, run, town
from tests.rules.family import EX

from triplewire.languages.rdftl.syntax import Component
from triplewire.rdf.terms import Literal, Triple
from triplewire.rules.vocabulary import TYPE

LOG = "IF True DO INSERT (resource(ex:log), seq++, $delta);;"


def logged(event: str, updates: str, *more: Triple) -> list[object]:
    """For which nodes the event was seen."""
    repository = town(*more)
    outcome = run(repository, f"ON {event} {LOG}", updates)
    assert not outcome.aborted
    return list(elements(repository, "log"))


def test_only_real_changes_trigger() -> None:
    insert = "INSERT (resource(ex:ann), ex:likes, resource(ex:bob));;"
    assert logged("INSERT (_, ex:likes, _)", insert * 3) == [EX["ann"]]
    assert logged("INSERT (_, ex:likes, _)", insert, arc("ann", "likes", "bob")) == []
    assert logged("DELETE (_, ex:likes, _)", insert.replace("INSERT", "DELETE")) == []


def test_what_follows_from_a_triple_is_inserted_with_it() -> None:
    insert = "INSERT (resource(ex:ann), ex:loves, resource(ex:bob));;"
    assert logged("INSERT (_, ex:knows, _)", insert) == [EX["ann"]]
    # It was there already, under the name of a superproperty.
    assert logged("INSERT (_, ex:knows, _)", insert, arc("ann", "likes", "bob")) == []
    assert logged("INSERT resource() AS INSTANCE OF Being", "INSERT resource(ex:dan) AS INSTANCE OF Nurse;;") == [
        EX["dan"]
    ]
    assert logged("INSERT resource() AS INSTANCE OF Being", "INSERT resource(ex:ann) AS INSTANCE OF Nurse;;") == []
    assert logged("INSERT (_, rdf:type, resource(ex:Worker))", "INSERT resource(ex:ann) AS INSTANCE OF Nurse;;") == [
        EX["ann"]
    ]


def test_insertion_of_a_resource_without_a_class_wants_a_new_one() -> None:
    assert logged("INSERT resource()", "INSERT resource(ex:dan) AS INSTANCE OF Nurse;;") == [EX["dan"]]
    assert logged("INSERT resource()", "INSERT resource(ex:ann) AS INSTANCE OF Nurse;;") == []
    assert logged("INSERT resource(ex:dan)", "INSERT resource(ex:dan) AS INSTANCE OF Nurse;;") == [EX["dan"]]
    assert logged("INSERT resource(ex:eve)", "INSERT resource(ex:dan) AS INSTANCE OF Nurse;;") == []


def count(event: str, updates: str, *more: Triple) -> int:
    """How often a rule with the event fires that leaves $delta alone."""
    outcome = run(
        town(*more), f"ON {event} IF True DO INSERT (resource(ex:cup), rdf:type, resource(ex:Person));;", updates
    )
    assert not outcome.aborted
    return len(outcome.firings)


def test_deletion_of_a_resource_is_looked_for_in_the_graph_as_it_was() -> None:
    delete = "DELETE resource(ex:bob);;"
    known = arc("ann", "knows", "bob")
    assert count("DELETE resource()", delete) == 1
    assert count("DELETE resource()/target(ex:knows)", delete, known) == 1
    assert count("DELETE resource()/target(ex:knows)", delete) == 0
    assert count("DELETE resource() AS INSTANCE OF Being", delete) == 1
    assert count("DELETE resource() AS INSTANCE OF Worker", delete) == 0
    assert count("DELETE resource()", "DELETE resource(ex:bob) AS INSTANCE OF Worker;;", a("bob", "Worker")) == 0
    assert count("DELETE (resource(ex:ann), ex:knows, resource()[source(ex:knows)])", delete, known) == 1


@pytest.mark.parametrize(
    ("event", "fires"),
    [
        ("INSERT (resource(ex:ann), ex:likes, resource(ex:bob))", True),
        ("INSERT (resource(ex:ann), ex:likes, _)", True),
        ("INSERT (_, _, resource(ex:bob))", True),
        ("INSERT (_, _, _)", True),
        ("INSERT (resource(), ex:likes, resource())", True),
        ("INSERT (resource()[target(ex:name) = 'Ann'], ex:likes, _)", True),
        ("INSERT (resource()[target(ex:name) = 'Bob'], ex:likes, _)", False),
        ("INSERT (resource(ex:cat)/source(ex:knows), ex:likes, _)", True),
        ("INSERT (resource(ex:bob)/source(ex:owes), ex:likes, _)", False),
        ("INSERT (resource(ex:ann), ex:owes, _)", False),
        ("INSERT (resource(ex:bob), ex:likes, _)", False),
        ("INSERT (_, ex:likes, 'Bob')", False),
        ("DELETE (_, ex:likes, _)", False),
        ("UPDATE (_, ex:likes, _ -> _)", False),
        ("INSERT resource()", False),
    ],
)
def test_events_of_arcs(event: str, fires: bool) -> None:
    happening = "INSERT (resource(ex:ann), ex:likes, resource(ex:bob));;"
    more = (arc("ann", "name", Literal("Ann")), arc("ann", "knows", "cat"))
    assert count(event, happening, *more) == int(fires)


def test_a_wildcard_arc_is_never_rdf_type() -> None:
    assert count("INSERT (_, _, _)", "INSERT resource(ex:dan) AS INSTANCE OF Person;;") == 0


@pytest.mark.parametrize(
    ("event", "fires"),
    [
        ("UPDATE (resource(ex:ann), ex:likes, resource(ex:bob) -> resource(ex:cat))", True),
        ("UPDATE (_, ex:likes, _ -> _)", True),
        ("UPDATE (_, ex:knows, _ -> _)", True),
        ("UPDATE (_, _, resource(ex:bob) -> _)", True),
        ("UPDATE (_, ex:likes, resource(ex:cat) -> _)", False),
        ("UPDATE (_, ex:likes, _ -> resource(ex:bob))", False),
        ("UPDATE (_, ex:likes, resource(ex:ann)/target(ex:likes) -> _)", True),
        ("UPDATE (_, ex:likes, _ -> resource(ex:ann)/target(ex:likes))", True),
        ("UPDATE (_, ex:owes, _ -> _)", False),
        ("INSERT (_, ex:likes, _)", False),
        ("DELETE (_, ex:likes, _)", False),
    ],
)
def test_events_of_updates(event: str, fires: bool) -> None:
    happening = "UPDATE (resource(ex:ann), ex:likes, resource(ex:bob) -> resource(ex:cat));;"
    assert count(event, happening, arc("ann", "likes", "bob")) == int(fires)
    assert count(event, happening) == 0


def test_an_update_of_a_class_triggers_the_events_of_resources() -> None:
    update = "UPDATE (resource(ex:ann), rdf:type, resource(ex:Person) -> resource(ex:Thing));;"
    assert count("INSERT resource() AS INSTANCE OF Thing", update) == 1
    assert count("DELETE resource() AS INSTANCE OF Being", update) == 1
    assert count("UPDATE (_, rdf:type, _ -> resource(ex:Thing))", update) == 1
    assert count("INSERT resource()", update) == 0


def test_the_components_of_delta() -> None:
    repository = town(arc("ann", "likes", "bob"))
    outcome = run(
        repository,
        """
        ON UPDATE (_, ex:likes, _ -> _) IF True DO
        INSERT ($delta.new_target, ex:owes, $delta.old_target), ($delta.old_target, $delta.arc_name, $delta.source);;
        """,
        "UPDATE (resource(ex:ann), ex:likes, _ -> resource(ex:cat));;",
    )
    assert arcs(repository.asserted) == {
        arc("ann", "likes", "cat"),
        arc("cat", "owes", "bob"),
        arc("bob", "likes", "ann"),
    }
    (firing,) = outcome.firings
    assert firing.delta is not None
    assert firing.delta[Component.OLD_TARGET] == EX["bob"]


def test_a_set_oriented_rule_fires_once_and_an_instance_oriented_one_for_each_delta() -> None:
    both = "INSERT (resource(ex:ann), ex:likes, resource(ex:bob)), (resource(ex:ann), ex:likes, resource(ex:cat));;"
    repository = town()
    outcome = run(
        repository,
        """
        RULE set ON INSERT (_, ex:likes, _) IF True DO INSERT (resource(ex:log), seq++, resource(ex:log));;
        RULE instance ON INSERT (_, ex:likes, _) IF True DO INSERT (resource(ex:log), seq++, $delta.target);;
        RULE some ON INSERT (_, ex:likes, _) IF $delta.target = resource(ex:cat)
             DO INSERT (resource(ex:log), seq++, resource(ex:log));;
        """.replace("resource(ex:log));;", "resource(ex:ann));;"),
        both,
    )
    assert sorted(map(str, rules_of(outcome))) == ["instance", "instance", "set", "some"]


def test_a_condition_that_does_not_hold_keeps_a_rule_from_firing() -> None:
    rule = "ON INSERT (_, ex:likes, _) IF {} DO INSERT (resource(ex:log), seq++, $delta);;"
    insert = "INSERT (resource(ex:ann), ex:likes, resource(ex:bob));;"
    assert rules_of(run(town(), rule.format("resource(ex:ann)/target(ex:owns)"), insert)) == []
    assert rules_of(run(town(), rule.format("not resource(ex:ann)/target(ex:owns)"), insert)) == ["r1"]
    assert rules_of(run(town(), rule.format("False"), insert)) == []


def test_conditions_see_the_update_and_nothing_that_rules_do_because_of_it() -> None:
    repository = town()
    outcome = run(
        repository,
        """
        RULE first ON INSERT (_, ex:likes, _) IF True DO INSERT (resource(ex:ann), ex:owns, resource(ex:mug));;
        RULE second ON INSERT (_, ex:likes, _) IF resource(ex:ann)/target(ex:owns) DO
             INSERT (resource(ex:ann), ex:owns, resource(ex:cup));;
        RULE third ON INSERT (_, ex:likes, _) IF resource(ex:ann)/target(ex:likes) DO
             INSERT (resource(ex:bob), ex:owns, resource(ex:cup));;
        """,
        "INSERT (resource(ex:ann), ex:likes, resource(ex:bob));;",
    )
    assert rules_of(outcome) == ["first", "third"]
    assert Triple(EX["ann"], TYPE, EX["Person"]) in repository


DELETED = "ON DELETE resource(){} IF {} DO INSERT (resource(ex:log), seq++, resource(ex:ann));;"


@pytest.mark.parametrize(
    ("condition", "fires"),
    [
        ("$delta/target(ex:name) = 'Bob'", True),
        ("$delta/target(ex:name) = 'Ann'", False),
        ("$delta/target(rdf:type) = resource(ex:Person)", True),
        ("$delta/target(ex:owns)/target(rdf:type)", True),
        ("$delta/source(ex:likes)[target(ex:likes) = $delta]", True),
        ("not $delta/target(ex:name)", False),
        # Only what begins at $delta is read as it was before.
        ("resource(ex:bob)/target(ex:name)", False),
        ("resource(ex:ann)/target(ex:likes) = $delta", False),
        ("$delta/source(ex:likes)[resource(ex:ann)/target(ex:likes)]", False),
        ("$delta/target(ex:name) = resource(ex:cat)/target(ex:name)", True),
    ],
)
@pytest.mark.parametrize("clauses", ["", "COUPLING DEFERRED "])
def test_a_condition_on_a_deleted_resource_reads_what_it_was(clauses: str, condition: str, fires: bool) -> None:
    bobs = (arc("bob", "name", Literal("Bob")), arc("bob", "owns", "mug"), arc("ann", "likes", "bob"))
    repository = town(*bobs, arc("cat", "name", Literal("Bob")))
    rule = clauses + DELETED.format(" AS INSTANCE OF Being", condition)
    assert bool(rules_of(run(repository, rule, "DELETE resource(ex:bob);;"))) is fires


def test_a_deferred_condition_on_a_deleted_resource_reads_what_it_was_when_the_transaction_began() -> None:
    updates = "TRANSACTION t\nDELETE (resource(ex:bob), ex:name, _);; DELETE resource(ex:bob);;"
    for clauses, fires in (("", False), ("COUPLING DEFERRED ", True)):
        rule = clauses + DELETED.format("", "$delta/target(ex:name) = 'Bob'")
        outcome = run(town(arc("bob", "name", Literal("Bob"))), rule, updates)
        assert bool(rules_of(outcome)) is fires


def test_a_condition_on_a_deleted_arc_reads_what_is_there_after_it() -> None:
    rule = "ON DELETE (_, ex:likes, _) IF not $delta/target(ex:likes) DO INSERT (resource(ex:log), seq++, $delta);;"
    unlike = "DELETE (resource(ex:ann), ex:likes, resource(ex:{}));;"
    repository = town(arc("ann", "likes", "bob"), arc("ann", "likes", "cat"))
    assert rules_of(run(repository, rule, unlike.format("bob"))) == []
    assert rules_of(run(repository, rule, unlike.format("cat"))) == ["r1"]


def test_listening_to_elements() -> None:
    rule = "ON INSERT (resource(ex:log), rdf:_2, _) IF True DO INSERT ($delta.target, ex:owns, resource(ex:mug));;"
    twice = "INSERT (resource(ex:log), seq++, resource(ex:ann));; INSERT (resource(ex:log), seq++, resource(ex:bob));;"
    repository = town()
    assert rules_of(run(repository, rule, twice)) == ["r1"]
    assert arc("bob", "owns", "mug") in repository
