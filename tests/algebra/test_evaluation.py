"""What a test comes out as."""

from __future__ import annotations

import pytest
from tests.algebra.building import EX, D, X, Y, cmp, contains, every, integer, is_a, lit, member, some, starts, z

from triplewire.algebra.constraints import NEVER, Condition, Constraint, MembershipTest
from triplewire.algebra.evaluation import met, outcome, satisfied
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.rdf.terms import BlankNode, Literal

TAXONOMY = Taxonomy.parse(
    "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix : <http://example.org/> ."
    ":Journal rdfs:subClassOf :Publication . :tods a :Journal ."
)


def come_out(constraint: Constraint, **binding: object) -> bool | None:
    [[condition]] = constraint.alternatives
    return outcome(condition.test, {v: binding[v.name] for v in (X, Y, D) if v.name in binding}, TAXONOMY)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("term", "expected"),
    [(integer("05"), True), (lit("5.0", "decimal"), True), (integer(6), False), (lit("abc", "integer"), None)],
)
def test_comparisons_are_by_value_and_an_ill_typed_literal_is_an_error_a1(term: Literal, expected: bool | None) -> None:
    assert come_out(cmp(X, "<=", 5), X=term) is expected


def test_an_unbound_variable_is_an_error() -> None:
    tests = [cmp(X, "=", 5), cmp(X, "=", Y), contains(X, "a"), member(X, 5), is_a(X, EX["C"])]
    assert {come_out(test, Y=integer(5)) for test in tests} == {None}


def test_constants_may_stand_on_either_side() -> None:
    assert come_out(cmp(5, "<", X), X=integer(6)) is True


def test_membership_is_a_disjunction_with_errors() -> None:
    assert come_out(member(X, 1, 2), X=integer("02")) is True
    assert come_out(member(X, 1, 2), X=integer(3)) is False
    assert come_out(member(X, lit("abc", "integer"), 2), X=integer(2)) is True
    assert come_out(member(X, lit("abc", "integer"), 2), X=integer(3)) is None
    assert outcome(MembershipTest(X, ()), {X: integer(1)}) is False


def test_text_tests_want_strings() -> None:
    assert come_out(contains(X, "Nejdl"), X=Literal("W. Nejdl")) is True
    assert come_out(starts(X, "Nejdl"), X=Literal("W. Nejdl", language="en")) is False
    assert come_out(contains(X, "5"), X=integer(5)) is None


def test_taxonomy_tests_are_never_errors() -> None:
    assert come_out(is_a(X, EX["Publication"]), X=EX["tods"]) is True
    assert come_out(is_a(X, EX["Publication"]), X=integer(5)) is False
    [[condition]] = is_a(X, EX["Publication"]).alternatives
    node = BlankNode("n")
    assert outcome(condition.test, {X: node}, TAXONOMY, {node: [EX["Journal"]]}) is True
    assert outcome(condition.test, {X: node}, TAXONOMY, lambda _: [EX["Journal"]]) is True


def test_an_error_meets_neither_a_condition_nor_its_negation() -> None:
    [[condition]] = cmp(X, "<", 5).alternatives
    text = {X: Literal("five")}
    assert not met(condition, text)
    assert not met(Condition(condition.test, holds=False), text)


def test_a_constraint_wants_one_alternative_with_every_condition() -> None:
    constraint = some(every(z(D, ">", 3), contains(Y, "a")), cmp(Y, "=", "b"))
    assert satisfied(constraint, {D: integer(4), Y: Literal("abc")})
    assert satisfied(constraint, {Y: Literal("b")})
    assert not satisfied(constraint, {D: integer(3), Y: Literal("abc")})
    assert not satisfied(NEVER, {})
