"""Demands: what the reasoner asks of a test's outcome.

A query's condition wants a test true, or wants it false. To refute that a query misses something, the reasoner also
needs the opposites: not true (false or an error) and not false. A demand names the outcomes that it allows.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.algebra.constraints import Comparator, ComparisonTest, Condition, Operand, Test, variables_in
from triplewire.algebra.evaluation import Binding, Outcome, outcome
from triplewire.algebra.patterns import Variable
from triplewire.algebra.taxonomy import EMPTY, Taxonomy, TypesInEvent
from triplewire.rdf.terms import Literal, NamedNode, Triple

# What a pattern can hold that is not a variable.
Ground = NamedNode | Literal | Triple


class Identity(Struct, frozen=True):
    """The variable is this very term. Patterns ask for it; constraints compare by value."""

    variable: Variable
    term: Ground


AnyTest = Test | Identity
Outcomes = frozenset[Outcome]

TRUE: Outcomes = frozenset({True})
FALSE: Outcomes = frozenset({False})
NOT_TRUE: Outcomes = frozenset({False, None})
NOT_FALSE: Outcomes = frozenset({True, None})


class Demand(Struct, frozen=True):
    """A test, and the outcomes that will do."""

    test: AnyTest
    outcomes: Outcomes

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.test.variable,) if isinstance(self.test, Identity) else variables_in(self.test)

    def allows(self, binding: Binding, taxonomy: Taxonomy = EMPTY, types_in_event: TypesInEvent = lambda _: ()) -> bool:
        """Whether the outcome for these terms will do."""
        if isinstance(self.test, Identity):
            return (binding.get(self.test.variable) == self.test.term) in self.outcomes
        return outcome(self.test, binding, taxonomy, types_in_event) in self.outcomes


def demand_of(condition: Condition) -> Demand:
    """The condition itself."""
    return Demand(condition.test, TRUE if condition.holds else FALSE)


def opposite_of(condition: Condition) -> Demand:
    """That the condition is not met."""
    return Demand(condition.test, NOT_TRUE if condition.holds else NOT_FALSE)


_MIRRORED = {
    Comparator.LESS: Comparator.GREATER,
    Comparator.GREATER: Comparator.LESS,
    Comparator.AT_MOST: Comparator.AT_LEAST,
    Comparator.AT_LEAST: Comparator.AT_MOST,
}


def mirrored(test: ComparisonTest) -> ComparisonTest:
    """The same comparison, read from the right: `5 < ?x` is `?x > 5`."""
    return ComparisonTest(_MIRRORED.get(test.operator, test.operator), test.right, test.left)


def oriented(left: Operand, operator: Comparator, right: Operand) -> ComparisonTest:
    """A comparison with its variable on the left, and two variables in the order of their names."""
    test = ComparisonTest(operator, left, right)
    if not isinstance(left, Variable):
        return mirrored(test)
    return mirrored(test) if isinstance(right, Variable) and right < left else test
