"""The join of a core: order, early conditions and the work budget."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.matching.algebra import EX, G, X, Y, Z, comparison, core, where
from tests.matching.asking import event

from triplewire.algebra.constraints import ALWAYS, NEVER, Constraint
from triplewire.algebra.evaluation import satisfied
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Core
from triplewire.errors import BudgetExceeded
from triplewire.matching.evaluation.budget import Budget
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.evaluation.join import solutions
from triplewire.rdf.events import Event
from triplewire.rdf.terms import Literal, Triple

NUMBERS = event(":a :n 1, 2, 3 . :b :n 3, 4 .")


def found(wanted: Core, on: Event, steps: int = 10_000) -> list[dict]:
    return list(solutions(wanted, EventView.of(on), Budget(steps)))


def test_a_core_without_patterns_has_one_empty_solution():
    assert found(core(), NUMBERS) == [{}]
    assert found(core(graphs=(G,)), NUMBERS) == [{G: EX["event"]}]


def test_a_constraint_that_nothing_satisfies_gives_nothing():
    assert found(core((X, EX["n"], Y), constraint=NEVER), NUMBERS) == []


def test_solutions_come_in_the_order_of_the_event():
    values = [solution[Y].value for solution in found(core((EX["a"], EX["n"], Y)), NUMBERS)]
    assert values == [triple.object.value for triple in NUMBERS.triples if triple.subject == EX["a"]]


def test_conditions_between_variables_of_two_patterns():
    wanted = core((EX["a"], EX["n"], Y), (EX["b"], EX["n"], Z), constraint=where(comparison(Y, "=", Z)))
    assert found(wanted, NUMBERS) == [{Y: Literal(3), Z: Literal(3)}]


def test_alternatives_are_joined_by_or_without_repeating_a_solution():
    either = Constraint(((comparison(Y, "<", Literal(3)),), (comparison(Y, "<", Literal(4)),)))
    assert len(found(core((EX["a"], EX["n"], Y), constraint=either), NUMBERS)) == 3


def test_a_condition_on_a_variable_that_nothing_binds_is_an_error():
    unbound = comparison(Variable("nowhere"), "=", Literal(1))
    assert found(core((X, EX["n"], Y), constraint=where(unbound)), NUMBERS) == []
    either = Constraint(((unbound,), (comparison(Y, "=", Literal(4)),)))
    assert len(found(core((X, EX["n"], Y), constraint=either), NUMBERS)) == 1


def test_a11_a_cross_product_is_stopped_by_the_budget():
    wanted = core(*((Variable(f"s{n}"), Variable(f"p{n}"), Variable(f"o{n}")) for n in range(8)))
    with pytest.raises(BudgetExceeded, match="more than 10,000 intermediate bindings"):
        found(wanted, NUMBERS)


def test_the_budget_is_not_spent_on_what_early_conditions_cut_off():
    cut = where(*(comparison(Variable(f"o{n}"), "=", Literal(4)) for n in range(8)))
    wanted = core(*((Variable(f"s{n}"), EX["n"], Variable(f"o{n}")) for n in range(8)), constraint=cut)
    assert len(found(wanted, NUMBERS, steps=100)) == 1


def test_many_patterns_do_not_overflow_the_stack():
    wanted = core(*((X, EX["n"], Variable(f"o{n}")) for n in range(1_200)))
    on = event(":a :n 1 .")
    assert len(found(wanted, on)) == 1


# Small worlds, in which every assignment can be tried.

NODES = [EX["a"], EX["b"], Literal("1"), Literal(1)]
SUBJECTS = NODES[:2]
VARIABLES = [X, Y, Z]

triples = st.builds(Triple, st.sampled_from(SUBJECTS), st.sampled_from(SUBJECTS), st.sampled_from(NODES))
events = st.lists(triples, min_size=1, max_size=6).map(lambda made: Event.from_triples("http://example.org/e", made))
patterns = st.builds(
    Pattern,
    st.sampled_from([*VARIABLES, *SUBJECTS]),
    st.sampled_from([*VARIABLES, *SUBJECTS]),
    st.sampled_from([*VARIABLES, *NODES]),
)
conditions = st.builds(
    comparison, st.sampled_from(VARIABLES), st.sampled_from(["=", "<", "!="]), st.sampled_from([*VARIABLES, *NODES])
)
constraints = st.one_of(
    st.just(ALWAYS),
    st.lists(st.lists(conditions, max_size=2).map(tuple), max_size=2).map(lambda made: Constraint(tuple(made))),
)


@settings(max_examples=150, deadline=None)
@given(events, st.lists(patterns, min_size=1, max_size=3), constraints)
def test_the_join_equals_trying_every_assignment(on, wanted, constraint):
    asked = Core(tuple(wanted), constraint)
    tried = _every_assignment(asked, on)
    assert sorted(map(_line, found(asked, on))) == sorted(map(_line, tried))


def _every_assignment(asked: Core, on: Event) -> list[dict]:
    terms = {term for triple in on.triples for term in (triple.subject, triple.predicate, triple.object)}
    held = {(triple.subject, triple.predicate, triple.object) for triple in on.triples}
    assignments = [
        dict(zip(asked.variables, values, strict=True)) for values in product(terms, repeat=len(asked.variables))
    ]
    return [
        assignment
        for assignment in assignments
        if all(tuple(assignment.get(term, term) for term in pattern) in held for pattern in asked.patterns)
        and satisfied(asked.constraint, assignment)
    ]


def _line(solution: dict) -> str:
    return " ".join(f"{variable}={term}" for variable, term in sorted(solution.items()))
