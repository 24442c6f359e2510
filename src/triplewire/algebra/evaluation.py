"""What a test comes out as for given terms: true, false, or None for SPARQL's error.

This is the one place that says what a constraint means. The matcher verifies with it, and the reasoner tries its
witnesses on it. A variable without a value makes its test an error, as an unbound variable does in SPARQL.
"""

from __future__ import annotations

from collections.abc import Mapping

from triplewire.algebra.constraints import (
    ComparisonTest,
    Condition,
    Constraint,
    IntegerTest,
    MembershipTest,
    Operand,
    TaxonomyTest,
    Test,
    TextRelation,
    TextTest,
)
from triplewire.algebra.patterns import Variable
from triplewire.algebra.taxonomy import EMPTY, Taxonomy, TypesInEvent
from triplewire.rdf.literals import values
from triplewire.rdf.terms import Term

Binding = Mapping[Variable, Term]
Outcome = bool | None

NO_TYPES: Mapping[Term, tuple[Term, ...]] = {}

_TEXT = {
    TextRelation.CONTAINS: values.contains,
    TextRelation.STARTS: values.starts_with,
    TextRelation.ENDS: values.ends_with,
}


def outcome(
    test: Test, binding: Binding, taxonomy: Taxonomy = EMPTY, types_in_event: TypesInEvent = NO_TYPES
) -> Outcome:
    """True, false, or None for an error.

    `types_in_event` gives, for a term, the objects of its rdf:type triples in the event: a mapping or a function.
    """
    if isinstance(test, ComparisonTest):
        return _compared(test, binding)
    term = binding.get(test.variable)
    if term is None:
        return None
    if isinstance(test, TaxonomyTest):
        return taxonomy.holds(test.relation, term, test.cls, types_in_event)
    return _of_value(test, term)


def met(
    condition: Condition, binding: Binding, taxonomy: Taxonomy = EMPTY, types_in_event: TypesInEvent = NO_TYPES
) -> bool:
    """Whether the test comes out as the condition wants; an error never does."""
    return outcome(condition.test, binding, taxonomy, types_in_event) is condition.holds


def satisfied(
    constraint: Constraint, binding: Binding, taxonomy: Taxonomy = EMPTY, types_in_event: TypesInEvent = NO_TYPES
) -> bool:
    """Whether some alternative has all its conditions met."""
    return any(
        all(met(condition, binding, taxonomy, types_in_event) for condition in alternative)
        for alternative in constraint.alternatives
    )


def _compared(test: ComparisonTest, binding: Binding) -> Outcome:
    left, right = _value(test.left, binding), _value(test.right, binding)
    if left is None or right is None:
        return None
    return values.compare(test.operator.value, left, right)


def _value(operand: Operand, binding: Binding) -> Term | None:
    return binding.get(operand) if isinstance(operand, Variable) else operand


def _of_value(test: MembershipTest | TextTest | IntegerTest, term: Term) -> Outcome:
    if isinstance(test, TextTest):
        return _TEXT[test.relation](term, test.text)
    if isinstance(test, IntegerTest):
        return values.is_integer(term)
    return _member(test, term)


def _member(test: MembershipTest, term: Term) -> Outcome:
    """Kleene's disjunction of the comparisons: one true is enough; else one error spoils it."""
    found: Outcome = False
    for constant in test.constants:
        equal = values.compare("=", term, constant)
        if equal:
            return True
        found = None if equal is None else found
    return found
