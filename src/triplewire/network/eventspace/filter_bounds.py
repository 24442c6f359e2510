"""Where the terms lie that satisfy the filters on a variable, as far as the order of the space tells.

Strings that begin so or compare so with another, and the members of a list lie in a few intervals. Numbers and dates do
not: their order is not that of their texts, so a condition on them says only that the term is a literal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce

from triplewire.algebra.constraints import (
    Comparator,
    ComparisonTest,
    Condition,
    IntegerTest,
    MembershipTest,
    TextRelation,
    TextTest,
)
from triplewire.algebra.patterns import Variable
from triplewire.algebra.queries import GeneralQuery, Query
from triplewire.languages.sparql.syntax import ast
from triplewire.network.can.geometry.coordinates import coordinate, string_prefix
from triplewire.network.can.geometry.space import exactly, starting_with
from triplewire.network.queries.bounds.filters import both, bounds_of_condition
from triplewire.network.queries.bounds.intervals import EVERYTHING, NOTHING, Intervals, union_of
from triplewire.network.queries.bounds.spellings import LITERALS
from triplewire.network.queries.bounds.text_ranges import string_range, string_starts
from triplewire.rdf.terms import XSD, Literal, NamedNode

VariableBounds = Mapping[Variable, Intervals]

_FLIPPED = {
    Comparator.LESS: Comparator.GREATER,
    Comparator.GREATER: Comparator.LESS,
    Comparator.AT_MOST: Comparator.AT_LEAST,
    Comparator.AT_LEAST: Comparator.AT_MOST,
}
_NEGATED = {
    Comparator.EQUAL: Comparator.NOT_EQUAL,
    Comparator.NOT_EQUAL: Comparator.EQUAL,
    Comparator.LESS: Comparator.AT_LEAST,
    Comparator.AT_LEAST: Comparator.LESS,
    Comparator.GREATER: Comparator.AT_MOST,
    Comparator.AT_MOST: Comparator.GREATER,
}


def variable_bounds(alternatives: Iterable[Iterable[Condition]]) -> VariableBounds:
    """Where each variable lies if all conditions of one of the alternatives are met."""
    found = [_all_of(conditions) for conditions in alternatives]
    shared = reduce(frozenset.intersection, (frozenset(bounds) for bounds in found)) if found else frozenset[Variable]()
    return {variable: reduce(Intervals.__or__, (bounds[variable] for bounds in found)) for variable in shared}


def general_bounds(query: Query) -> VariableBounds:
    """Where variables lie by what the fast lane has no test for: STRSTARTS(STR(?x), …) on IRIs, for one.

    A filter of the outermost group, or of one that is joined to it, holds for every solution. Variables of parts that
    have their own, as EXISTS and sub-selects do, have other names in what the query requires.
    """
    tree = query.tree if isinstance(query, GeneralQuery) else None
    where = tree.where if isinstance(tree, ast.SelectQuery | ast.AskQuery | ast.ConstructQuery) else ast.Group(())
    return both(map(bounds_of_condition, _conditions(where)))


def _conditions(group: ast.Group) -> Iterator[ast.Expression]:
    for element in group.elements:
        if isinstance(element, ast.Filter):
            yield element.condition
        elif isinstance(element, ast.Group | ast.Graph):
            yield from _conditions(element.group if isinstance(element, ast.Graph) else element)


def _all_of(conditions: Iterable[Condition]) -> dict[Variable, Intervals]:
    found: dict[Variable, Intervals] = {}
    for condition in conditions:
        for variable, intervals in _bounds(condition):
            found[variable] = found.get(variable, EVERYTHING) & intervals
    return found


def _bounds(condition: Condition) -> list[tuple[Variable, Intervals]]:
    test = condition.test
    if isinstance(test, ComparisonTest):
        return _comparison(test, condition.holds)
    if isinstance(test, MembershipTest) and condition.holds:
        return [(test.variable, reduce(Intervals.__or__, map(_equal, test.constants), NOTHING))]
    if isinstance(test, TextTest):
        # Whether it holds or not, it is an error for anything but a string.
        starts = condition.holds and test.relation is TextRelation.STARTS
        return [(test.variable, string_starts(test.text.value) if starts else LITERALS)]
    return [(test.variable, LITERALS)] if isinstance(test, IntegerTest) and condition.holds else []


def _comparison(test: ComparisonTest, holds: bool) -> list[tuple[Variable, Intervals]]:
    operator, left, right = test.operator, test.left, test.right
    if not isinstance(left, Variable):
        operator, left, right = _FLIPPED.get(operator, operator), right, left
    if not isinstance(left, Variable) or isinstance(right, Variable):
        return []
    return [(left, _compared(operator if holds else _NEGATED[operator], right))]


def _compared(operator: Comparator, constant: NamedNode | Literal) -> Intervals:
    if operator is Comparator.NOT_EQUAL:
        return EVERYTHING
    if operator is Comparator.EQUAL:
        return _equal(constant)
    if isinstance(constant, NamedNode):
        # An IRI has no order with others, but it is at most and at least itself.
        return union_of([exactly(coordinate(constant))])
    return string_range(operator, constant.value) if _is_string(constant) else LITERALS


def _equal(constant: NamedNode | Literal) -> Intervals:
    """Where the terms lie that are equal to a constant: literals that are no strings may be spelled in many ways."""
    if isinstance(constant, NamedNode) or _is_plain(constant):
        return union_of([exactly(coordinate(constant))])
    return union_of([starting_with(string_prefix(constant.value) + b'"@')]) if constant.language else LITERALS


def _is_plain(literal: Literal) -> bool:
    return literal.datatype == XSD["string"]


def _is_string(literal: Literal) -> bool:
    return bool(literal.language) or _is_plain(literal)
