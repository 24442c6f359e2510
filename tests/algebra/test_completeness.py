"""In class L every answer is exact: each yes holds in, and each no has a counterexample among, small events.

The events are canonical ones: a narrower query's own patterns, filled with each combination of a domain's terms. That
is where a counterexample must be found if there is one.
"""

from __future__ import annotations

import itertools
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.algebra.building import EX, P, Q, S, integer, select
from tests.algebra.naive import answers
from tests.algebra.random_queries import DOMAIN_OF_L, bindings_in_l, canonical, constraint_in_l, query_in_l

from triplewire.algebra.advertisements.advertisement import Advertisement
from triplewire.algebra.advertisements.value_sets import Interval, Value
from triplewire.algebra.evaluation import satisfied
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import FastQuery
from triplewire.algebra.reasoning.covering import covers
from triplewire.algebra.reasoning.satisfiability import satisfiable
from triplewire.algebra.reasoning.subsumption import implies, subsumes
from triplewire.rdf.terms import Literal, Triple

SEEDS = st.integers(0, 2**32)
# A yes is looked at in this many matching events; for a no, all are searched until one refutes it.
_ENOUGH = 120


def counterexample(
    a: FastQuery, b: FastQuery, chance: Random, enough: int | None, *, projected: bool
) -> list[Triple] | None:
    """An event in which b has an answer that a has not."""
    bindings = list(bindings_in_l(b))
    chance.shuffle(bindings)
    matching = (binding for binding in bindings if satisfied(b.core.constraint, binding))
    for binding in itertools.islice(matching, enough):
        triples = canonical(b, binding)
        found = answers(a, triples)
        wanted = tuple(binding[variable] for variable in b.form.variables)  # type: ignore[union-attr]
        if (wanted not in found) if projected else not found:
            return triples
    return None


@given(SEEDS, st.integers(0, 2))
@settings(max_examples=180, deadline=None)
def test_definition_3_subsumption_in_l_is_exact(seed: int, projected: int) -> None:
    chance = Random(seed)
    a, b = query_in_l(chance, projected), query_in_l(chance, projected)
    yes = subsumes(a, b)
    found = counterexample(a, b, chance, _ENOUGH if yes else None, projected=True)
    assert (found is None) is yes


@given(SEEDS)
@settings(max_examples=100, deadline=None)
def test_implication_in_l_is_exact(seed: int) -> None:
    chance = Random(seed)
    a, b = query_in_l(chance, 1), query_in_l(chance, 2)
    yes = implies(b, a)
    found = counterexample(a, b, chance, _ENOUGH if yes else None, projected=False)
    assert (found is None) is yes


@given(SEEDS)
@settings(max_examples=100, deadline=None)
def test_definition_1_satisfiability_in_l_is_exact(seed: int) -> None:
    chance = Random(seed)
    query = select((S,), Pattern(S, P, Variable("O0")), Pattern(S, P, Variable("O1")))
    constraint = constraint_in_l(chance, [Variable("O0"), Variable("O1")])
    query = select((S,), *query.core.patterns, where=constraint)
    assert satisfiable(query) is any(satisfied(constraint, binding) for binding in bindings_in_l(query))


@given(SEEDS)
@settings(max_examples=100, deadline=None)
def test_definition_8_covering_in_l_is_exact(seed: int) -> None:
    chance = Random(seed)
    constraint = constraint_in_l(chance, [Variable("O0"), Variable("O1")])
    query = select((S,), Pattern(S, P, Variable("O0")), Pattern(S, Q, Variable("O1")), where=constraint)
    members: list[Value] = [
        integer(1),
        integer(2),
        EX["a"],
        Literal("b"),
        Literal("b a"),
        Interval(2, 3),
        Interval(None, 0),
    ]
    values = chance.sample(members, chance.randint(1, 3))
    offered = [t for t in DOMAIN_OF_L if any(t in v if isinstance(v, Interval) else t == v for v in values)]
    expected = any(
        satisfied(constraint, binding) for binding in bindings_in_l(query) if binding[Variable("O0")] in offered
    )
    assert covers(Advertisement.values({P: values}), query) is expected
