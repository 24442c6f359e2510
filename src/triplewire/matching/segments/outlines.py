"""The outline of a core: all of it but its constants. Cores of one outline lie in memory alike.

How a core is written depends on its constants word by word only. So that is worked out once for an outline, as a
recipe (`encoding`), and from then on constants are put in their places.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from triplewire.algebra.constraints import ComparisonTest, Condition, MembershipTest, TaxonomyTest, TextTest
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Core


class Place(Struct, frozen=True, gc=False):
    """Stands where a constant was: the operand of that number."""

    number: int


class Outline(Struct, frozen=True, gc=False):
    """`key` is the same for all cores of an outline; `operands` are what this one has beside it.

    First the constants of patterns and graphs, then what each condition compares with, all in the core's order.
    """

    key: tuple[object, ...]
    operands: list[Any]


def outline_of(core: Core) -> Outline:
    """Take a core apart."""
    key: list[object] = []
    operands: list[Any] = []
    for pattern in core.patterns:
        for term in (pattern.subject, pattern.predicate, pattern.object):
            if type(term) is Variable:
                key.append(term)
            else:
                key.append(None)
                operands.append(term)
    key.append(len(core.patterns))
    for graph in core.graphs:
        if type(graph) is Variable:
            key.append(graph)
        else:
            key.append(None)
            operands.append(graph)
    for alternative in core.constraint.alternatives:
        key.append(len(alternative))
        operands += [_taken_apart(condition, key) for condition in alternative]
    return Outline(tuple(key), operands)


def _taken_apart(condition: Condition, key: list[object]) -> Any:
    """What a condition compares with; the rest of it goes into the key."""
    test = condition.test
    key += (type(test), condition.holds)
    if isinstance(test, ComparisonTest):
        left, right = test.left, test.right
        if type(right) is not Variable:
            key += (test.operator, left if type(left) is Variable else None, None)
            return right
        key += (test.operator, left if type(left) is Variable else None, right)
        return left
    if isinstance(test, MembershipTest):
        key += (test.variable, len(test.constants))
        return test.constants
    if isinstance(test, TextTest):
        key += (test.variable, test.relation)
        return test.text
    if isinstance(test, TaxonomyTest):
        key += (test.variable, test.relation)
        return test.cls
    key.append(test.variable)
    return None


def with_places(core: Core) -> Core:
    """The patterns and graphs of a core with places in the place of constants; its constraint stays."""
    number = 0

    def placed(term: object) -> Any:
        nonlocal number
        if type(term) is Variable:
            return term
        number += 1
        return Place(number - 1)

    patterns = tuple(Pattern(placed(p.subject), placed(p.predicate), placed(p.object)) for p in core.patterns)
    return Core(patterns, core.constraint, tuple(placed(graph) for graph in core.graphs))
