"""How the cores of an outline are written: which words they have, and what has to be put in.

Patterns come in the order of the join, and a variable's index says when the join meets it. A condition becomes rows
once its operand is known.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any, Protocol

from msgspec import Struct

from triplewire.algebra.constraints import (
    Comparator,
    ComparisonTest,
    Condition,
    Constant,
    IntegerTest,
    MembershipTest,
    TaxonomyRelation,
    TaxonomyTest,
    Test,
    TextRelation,
    TextTest,
)
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Core
from triplewire.matching.kernels import layout
from triplewire.matching.kernels.layout import ROW
from triplewire.matching.segments.outlines import Place
from triplewire.rdf.terms import RDF, Literal, NamedNode, Term

_COMPARATORS = {
    Comparator.EQUAL: layout.EQUAL,
    Comparator.NOT_EQUAL: layout.NOT_EQUAL,
    Comparator.LESS: layout.LESS,
    Comparator.AT_MOST: layout.AT_MOST,
    Comparator.GREATER: layout.GREATER,
    Comparator.AT_LEAST: layout.AT_LEAST,
}
_MIRRORED = {
    layout.EQUAL: layout.EQUAL,
    layout.NOT_EQUAL: layout.NOT_EQUAL,
    layout.LESS: layout.GREATER,
    layout.AT_MOST: layout.AT_LEAST,
    layout.GREATER: layout.LESS,
    layout.AT_LEAST: layout.AT_MOST,
}
_TEXT_RELATIONS = {
    TextRelation.CONTAINS: layout.CONTAINS,
    TextRelation.STARTS: layout.STARTS,
    TextRelation.ENDS: layout.ENDS,
}
_CLASS_RELATIONS = {
    TaxonomyRelation.IS_A: layout.IS_A,
    TaxonomyRelation.ANCESTOR_OF: layout.ANCESTOR_OF,
    TaxonomyRelation.DIRECT: layout.DIRECT,
    TaxonomyRelation.DIRECT_OR_SAME: layout.DIRECT_OR_SAME,
}
_TYPE = RDF["type"]

Row = tuple[int, int, int, int, int]
Indices = dict[Variable, int]
EXACT: Row = (layout.EXACT, 0, 0, 0, 0)


class Operands(Protocol):
    """What numbers constants and texts, and knows how values are written."""

    def constant(self, term: Term) -> int: ...

    def text(self, text: str) -> int: ...

    def against(self, constant: Constant, comparator: int, index: int) -> Row: ...


MakeRows = Callable[[Operands, Any], list[Row]]


class Recipe(Struct, frozen=True):
    """How the cores of an outline are written.

    Each constant is a word, and each condition some rows, at a place of their own, made of the operand of that number.
    """

    words: array[int]
    constants: list[tuple[int, int]]
    rows: list[tuple[int, int, MakeRows]]
    variables: tuple[Variable, ...]


def recipe_of(core: Core, operands: list[Any], encoder: Operands) -> Recipe:
    """The recipe for cores like this one, which has places for constants.

    `operands` and `encoder` show how many rows a condition has, which is the same for all of them.
    """
    return _Writer().written(core, operands, encoder)


class _Writer:
    """Writes a core with places for constants."""

    def __init__(self) -> None:
        self._indices: Indices = {}
        self._words = array("i")
        self._constants: list[tuple[int, int]] = []
        self._rows: list[tuple[int, int, MakeRows]] = []

    def written(self, core: Core, operands: list[Any], encoder: Operands) -> Recipe:
        order, alternatives = visiting_order(core), core.constraint.alternatives
        self._words.extend((len(order), 0, len(core.graphs), len(alternatives)))
        # Graph variables are bound before the first pattern is visited.
        graphs = [self._word(term) for term in core.graphs]
        for pattern in order:
            for term in pattern:
                self._put(term, self._word(term))
        for term, word in zip(core.graphs, graphs, strict=True):
            self._put(term, word)
        operand = len(self._constants)
        for alternative in alternatives:
            count_at = len(self._words)
            self._words.append(0)
            for number, condition in enumerate(alternative, operand):
                make = _rows_of(condition, self._indices)
                rows = len(make(encoder, operands[number]))
                self._rows.append((len(self._words), number, make))
                self._words.extend([0] * (rows * ROW))
                self._words[count_at] += rows
            operand += len(alternative)
        self._words[1] = len(self._indices)
        return Recipe(self._words, self._constants, self._rows, tuple(self._indices))

    def _put(self, term: object, word: int) -> None:
        if isinstance(term, Place):
            self._constants.append((len(self._words), term.number))
        self._words.append(word)

    def _word(self, term: object) -> int:
        if not isinstance(term, Variable):
            return 0
        known = term in self._indices
        index = self._indices.setdefault(term, len(self._indices))
        return -1 - (2 * index + (not known))


def _rows_of(condition: Condition, indices: Indices) -> MakeRows:
    """How the rows of a condition are made of what it compares with."""
    make = _test_rows(condition.test, indices)
    if condition.holds:
        return make

    def failing(encoder: Operands, operand: Any) -> list[Row]:
        first, *rest = make(encoder, operand)
        return [(first[0] | layout.MUST_FAIL, *first[1:]), *rest]

    return failing


def _test_rows(test: Test, indices: Indices) -> MakeRows:
    if isinstance(test, ComparisonTest):
        return _comparison(test, indices)
    index = indices.get(test.variable)
    if index is None:
        return _always(EXACT)
    if isinstance(test, MembershipTest):
        return _membership(index)
    if isinstance(test, TextTest):
        return _text(index, _TEXT_RELATIONS[test.relation])
    if isinstance(test, TaxonomyTest):
        return _class(index, _CLASS_RELATIONS[test.relation])
    assert isinstance(test, IntegerTest)
    return _always((layout.INTEGER, index, 0, 0, 0))


def _always(row: Row) -> MakeRows:
    return lambda encoder, operand: [row]


def _comparison(test: ComparisonTest, indices: Indices) -> MakeRows:
    left, right, comparator = test.left, test.right, _COMPARATORS[test.operator]
    if not isinstance(left, Variable):
        left, right, comparator = right, left, _MIRRORED[comparator]
    if not isinstance(left, Variable) or left not in indices:
        return _always(EXACT)
    index = indices[left]
    if not isinstance(right, Variable):
        return lambda encoder, constant: [encoder.against(constant, comparator, index)]
    if right not in indices:
        return _always(EXACT)
    return _always((layout.VARIABLES, index, indices[right], 0, comparator))


def _membership(index: int) -> MakeRows:
    def make(encoder: Operands, constants: tuple[Constant, ...]) -> list[Row]:
        rows: list[Row] = [(layout.MEMBER, index, len(constants), 0, 0)]
        for constant in constants:
            operation, _, low, high, detail = encoder.against(constant, layout.EQUAL, index)
            rows.append((layout.OPERAND, operation, low, high, detail))
        return rows

    return make


def _text(index: int, relation: int) -> MakeRows:
    def make(encoder: Operands, text: Literal) -> list[Row]:
        return [EXACT if text.language is not None else (layout.TEXT, index, encoder.text(text.value), 0, relation)]

    return make


def _class(index: int, relation: int) -> MakeRows:
    def make(encoder: Operands, cls: NamedNode) -> list[Row]:
        encoder.constant(_TYPE)  # the kernel looks for the event's rdf:type triples by this constant
        return [(layout.CLASS, index, encoder.constant(cls), 0, relation)]

    return make


def visiting_order(core: Core) -> list[Pattern]:
    """The patterns in the order of the join: most constrained first, then those that share a bound variable."""
    left = list(core.patterns)
    if len(left) < 2:
        return left
    bound = {term for term in core.graphs if isinstance(term, Variable)}
    order: list[Pattern] = []
    while left:
        best = max(left, key=lambda pattern: _fixed(pattern, bound))
        left.remove(best)
        order.append(best)
        bound.update(best.variables)
    return order


def _fixed(pattern: Pattern, bound: set[Variable]) -> int:
    """How much of a pattern is known when it is visited. An object says more than a predicate does."""
    subject, predicate, thing = pattern.subject, pattern.predicate, pattern.object
    return (
        4 * (not isinstance(subject, Variable) or subject in bound)
        + 2 * (not isinstance(predicate, Variable) or predicate in bound)
        + 5 * (not isinstance(thing, Variable) or thing in bound)
    )
