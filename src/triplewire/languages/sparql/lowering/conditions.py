"""FILTER expressions to constraints in disjunctive normal form.

Negation is pushed down to the leaves, where a test must come out true or false; an error does neither. What a leaf
means is left to the caller: the fast lane reads it exactly or not at all, the requirements of a general query may read
it as weaker than it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from triplewire.algebra.constraints import ALWAYS, NEVER, Condition, Constraint, Test, both, either
from triplewire.languages.sparql.lowering.expression_tests import integer_test
from triplewire.languages.sparql.syntax.ast import And, Expression, In, Not, NotIn, Or
from triplewire.languages.sparql.syntax.terms import BOOLEAN
from triplewire.rdf.terms import Literal

# What an expression must satisfy to come out as wanted, or None if that cannot be said.
ReadLeaf = Callable[[Expression, bool], Constraint | None]

_TRUE = Literal("true", datatype=BOOLEAN)
_FALSE = Literal("false", datatype=BOOLEAN)


def normal_form(expression: Expression, read_leaf: ReadLeaf, most: int) -> Constraint | None:
    """When the expression comes out true. None if a leaf cannot be read, or beyond `most` alternatives."""
    return _wanted(expression, True, read_leaf, most)


def conjoined(a: Constraint | None, b: Constraint | None, most: int) -> Constraint | None:
    """Both, unless there are more than `most` alternatives."""
    return None if a is None or b is None else both(a, b, most)


def leaf_condition(test: Test, holds: bool) -> Constraint:
    return Constraint(((Condition(test, holds),),))


def _wanted(expression: Expression, holds: bool, read_leaf: ReadLeaf, most: int) -> Constraint | None:
    if isinstance(expression, Not):
        return _wanted(expression.operand, not holds, read_leaf, most)
    if isinstance(expression, NotIn):
        return _wanted(In(expression.operand, expression.choices), not holds, read_leaf, most)
    if isinstance(expression, And | Or) and integer_test(expression) is None:
        parts = (_wanted(operand, holds, read_leaf, most) for operand in expression.operands)
        return _all(parts, most) if isinstance(expression, And) == holds else _any(parts, most)
    if isinstance(expression, Literal) and expression in (_TRUE, _FALSE):
        return ALWAYS if (expression == _TRUE) == holds else NEVER
    return read_leaf(expression, holds)


def _all(parts: Iterable[Constraint | None], most: int) -> Constraint | None:
    result: Constraint | None = ALWAYS
    for part in parts:
        result = conjoined(result, part, most)
        if result is None:
            return None
    return result


def _any(parts: Iterable[Constraint | None], most: int) -> Constraint | None:
    result = NEVER
    for part in parts:
        if part is None or len(result.alternatives) + len(part.alternatives) > most:
            return None
        result = either(result, part)
    return result
