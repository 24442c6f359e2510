"""The index: every subscription that matches is a candidate, and few others are."""

from __future__ import annotations

import pytest
from benchmarks.rivals.first.candidates import Candidates
from tests.matching.algebra import EX, G, X, Y, Z, comparison, core, where
from tests.matching.asking import event

from triplewire.algebra.constraints import NEVER, Condition, Constraint, MembershipTest
from triplewire.matching.evaluation.event_view import EventView
from triplewire.rdf.terms import RDF, Literal

ON = EventView.of(event(":a a :Paper ; :title 'x' ; :year 2004 ."))


def candidates(**cores) -> set[str]:
    index = Candidates()
    for name, wanted in cores.items():
        index.add(name, wanted if isinstance(wanted, list) else [wanted])
    return index.lookup(ON)


@pytest.mark.parametrize(
    "wanted",
    [
        core((X, RDF["type"], EX["Paper"])),
        core((EX["a"], X, Y)),
        core((X, EX["year"], Y)),
        core((X, Y, Literal(2004))),
        core((EX["a"], EX["year"], Literal(2004))),
        core((X, Y, Z), graphs=(EX["event"],)),
        core((X, Y, Z), constraint=where(comparison(Y, "=", EX["year"]))),
        core((X, Y, Z), constraint=where(Condition(MembershipTest(Z, (EX["Paper"], EX["Book"]))))),
        core((G, Y, Z), (X, Y, Z), constraint=where(comparison(G, "=", EX["a"]))),
    ],
)
def test_what_the_event_shows_makes_a_candidate(wanted):
    assert candidates(wanted=wanted) == {"wanted"}
    index = Candidates()
    index.add("wanted", [wanted])
    assert index.unindexed == 0


@pytest.mark.parametrize(
    "wanted",
    [
        core((X, RDF["type"], EX["Book"])),
        core((EX["b"], X, Y)),
        core((X, EX["price"], Y)),
        core((X, Y, Literal("2004"))),
        core((X, Y, Z), graphs=(EX["other"],)),
        core((X, Y, Z), constraint=where(comparison(Y, "=", EX["price"]))),
        core((X, RDF["type"], EX["Paper"]), constraint=NEVER),
    ],
)
def test_what_the_event_lacks_makes_none(wanted):
    assert candidates(wanted=wanted) == set()


@pytest.mark.parametrize(
    "constraint",
    [
        where(comparison(Z, "=", Literal(2004))),
        where(comparison(Y, "!=", EX["price"])),
        where(Condition(MembershipTest(Y, (EX["price"],)), holds=False)),
        Constraint(((comparison(Y, "=", EX["price"]),), (comparison(Z, ">", Literal(1)),))),
    ],
)
def test_what_pins_nothing_is_tested_on_every_event(constraint):
    wanted = core((X, Y, Z), constraint=constraint)
    assert candidates(wanted=wanted) == {"wanted"}


def test_one_of_several_cores_is_enough():
    missing, present = core((X, EX["price"], Y)), core((X, EX["year"], Y))
    assert candidates(wanted=[missing, present]) == {"wanted"}
    assert candidates(wanted=[missing, missing]) == set()
    assert candidates(wanted=[]) == set()


def test_a_core_without_constants_is_counted():
    index = Candidates()
    index.add("all", [core((X, Y, Z))])
    index.add("mixed", [core((X, EX["price"], Y)), core()])
    assert index.unindexed == 2
    assert index.lookup(ON) == {"all", "mixed"}
    index.remove("all")
    index.remove("mixed")
    assert index.unindexed == 0
    assert index.lookup(ON) == set()


def test_a_crowded_key_is_left_for_another():
    index = Candidates()
    for number in range(20):
        index.add(f"typed{number}", [core((X, RDF["type"], EX["Paper"]), (X, EX[f"p{number}"], Y))])
    assert len(index.lookup(ON)) < 10


def test_many_constants_are_preferred():
    index = Candidates()
    index.add("typed", [core((X, EX["title"], Y), (X, RDF["type"], EX["Book"]))])
    assert index.lookup(ON) == set()


def test_removing_leaves_the_others():
    index = Candidates()
    index.add("a", [core((X, EX["year"], Y))])
    index.add("b", [core((X, EX["year"], Y))])
    index.remove("a")
    assert index.lookup(ON) == {"b"}
