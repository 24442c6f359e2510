"""A core becomes words: see `kernels.layout` for what they mean."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator
from decimal import Context, Decimal

from triplewire.algebra.constraints import (
    Comparator,
    ComparisonTest,
    Condition,
    Constant,
    IntegerTest,
    MembershipTest,
    TaxonomyRelation,
    TaxonomyTest,
    TextRelation,
    TextTest,
)
from triplewire.algebra.patterns import Pattern, PatternTerm, Variable
from triplewire.algebra.queries import Core
from triplewire.matching.kernels import layout
from triplewire.matching.kernels.scan.datatypes import DATE, DATE_TIME
from triplewire.matching.kernels.search.conditions import OPERAND_ROUNDED, OPERAND_SINGLE
from triplewire.matching.scanning.strict_parser import spelling
from triplewire.rdf.literals.dates import SECOND, Moment
from triplewire.rdf.literals.numbers import Number, Rank
from triplewire.rdf.literals.values import Kind, value_of
from triplewire.rdf.terms import RDF, NamedNode, Term

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
_DATATYPES = {Kind.DATE_TIME: DATE_TIME, Kind.DATE: DATE}
_TYPE = RDF["type"]
_HALVES = struct.Struct("<ii")
_DOUBLE = struct.Struct("<d")
_ALL_DIGITS = Context(prec=60)
_SHORT = 15  # digits that float64 holds; longer decimals are rounded in more than one step

Row = tuple[int, int, int, int, int]


class Encoder:
    """Numbers constants and texts as it meets them, and turns cores into words that use those numbers."""

    def __init__(self) -> None:
        self._constants: dict[Term, int] = {}
        self._texts: dict[str, int] = {}

    @property
    def constants(self) -> list[bytes]:
        """The constants' canonical bytes, by number."""
        return [spelling(term).encode() for term in self._constants]

    @property
    def texts(self) -> list[bytes]:
        """The texts' bytes, by number."""
        return [text.encode() for text in self._texts]

    def encode(self, core: Core) -> tuple[bytes, tuple[Variable, ...]]:
        """The core's words as bytes, and its variables in the order of their indices."""
        order = visiting_order(core)
        indices: dict[Variable, int] = {}
        words = array("i", (len(order), 0, len(core.graphs), len(core.constraint.alternatives)))
        # Graph variables are bound before the first pattern is visited.
        graphs = [self._word(term, indices) for term in core.graphs]
        for pattern in order:
            words.extend(self._word(term, indices) for term in pattern)
        words.extend(graphs)
        for alternative in core.constraint.alternatives:
            rows = [row for condition in alternative for row in self._rows(condition, indices)]
            words.append(len(rows))
            for row in rows:
                words.extend(row)
        words[1] = len(indices)
        return words.tobytes(), tuple(indices)

    def _constant(self, term: Term) -> int:
        return self._constants.setdefault(term, len(self._constants))

    def _word(self, term: PatternTerm, indices: dict[Variable, int]) -> int:
        if not isinstance(term, Variable):
            return self._constant(term)
        known = term in indices
        index = indices.setdefault(term, len(indices))
        return -1 - (2 * index + (not known))

    def _rows(self, condition: Condition, indices: dict[Variable, int]) -> Iterator[Row]:
        fails = 0 if condition.holds else layout.MUST_FAIL
        for index, row in enumerate(self._test_rows(condition, indices)):
            yield row if index else (row[0] | fails, *row[1:])

    def _test_rows(self, condition: Condition, indices: dict[Variable, int]) -> list[Row]:
        test = condition.test
        if isinstance(test, ComparisonTest):
            return [self._comparison(test, indices)]
        index = indices.get(test.variable)
        if index is None:
            return [_EXACT]
        if isinstance(test, MembershipTest):
            return self._membership(test, index)
        if isinstance(test, TextTest):
            return [self._text(test, index)]
        if isinstance(test, TaxonomyTest):
            return [self._class(test, index)]
        assert isinstance(test, IntegerTest)
        return [(layout.INTEGER, index, 0, 0, 0)]

    def _comparison(self, test: ComparisonTest, indices: dict[Variable, int]) -> Row:
        left, right, comparator = test.left, test.right, _COMPARATORS[test.operator]
        if not isinstance(left, Variable):
            left, right, comparator = right, left, _MIRRORED[comparator]
        if not isinstance(left, Variable) or left not in indices:
            return _EXACT
        if not isinstance(right, Variable):
            return self._against(right, comparator, indices[left])
        if right not in indices:
            return _EXACT
        return layout.VARIABLES, indices[left], indices[right], 0, comparator

    def _against(self, constant: Constant, comparator: int, index: int) -> Row:
        """A variable compared with a constant, in the one form that the kernel knows, or EXACT."""
        if isinstance(constant, NamedNode):
            if comparator > layout.NOT_EQUAL:
                return _EXACT
            return layout.TERM, index, self._constant(constant), 0, comparator | layout.TERM_IS_IRI
        value = value_of(constant)
        if value.kind is Kind.STRING and comparator <= layout.NOT_EQUAL:
            return layout.TERM, index, self._constant(constant), 0, comparator
        if isinstance(value.content, Number) and _is_nearest(value.content):
            low, high, flags = _number_words(value.content)
            return layout.NUMBER, index, low, high, comparator | flags << 8
        if value.kind in _DATATYPES and isinstance(value.content, Moment):
            return _moment_row(value.kind, value.content, comparator, index)
        return _EXACT

    def _membership(self, test: MembershipTest, index: int) -> list[Row]:
        rows: list[Row] = [(layout.MEMBER, index, len(test.constants), 0, 0)]
        for constant in test.constants:
            operation, _, low, high, detail = self._against(constant, layout.EQUAL, index)
            rows.append((layout.OPERAND, operation, low, high, detail))
        return rows

    def _text(self, test: TextTest, index: int) -> Row:
        if test.text.language is not None:
            return _EXACT
        text = self._texts.setdefault(test.text.value, len(self._texts))
        return layout.TEXT, index, text, 0, _TEXT_RELATIONS[test.relation]

    def _class(self, test: TaxonomyTest, index: int) -> Row:
        self._constant(_TYPE)  # the kernel looks for the event's rdf:type triples by this constant
        return layout.CLASS, index, self._constant(test.cls), 0, _CLASS_RELATIONS[test.relation]


def _moment_row(kind: Kind, moment: Moment, comparator: int, index: int) -> Row:
    seconds, rest = divmod(moment.instant, SECOND)
    if rest:
        return _EXACT
    low, high = _HALVES.unpack(_DOUBLE.pack(float(seconds)))
    zoned = layout.MOMENT_IS_ZONED if moment.zoned else 0
    return layout.MOMENT, index, low, high, comparator | zoned | _DATATYPES[kind] << 12


_EXACT: Row = (layout.EXACT, 0, 0, 0, 0)


def _is_nearest(number: Number) -> bool:
    """Whether the value becomes the nearest float64 when it is compared with one: not NaN, nor a long decimal."""
    if isinstance(number.value, Decimal):
        return len(number.value.normalize(_ALL_DIGITS).as_tuple().digits) <= _SHORT
    return number.value == number.value


def _number_words(number: Number) -> tuple[int, int, int]:
    """The halves of the nearest float64, and what to beware of when comparing with it."""
    nearest = float(number.value)
    flags = 0 if nearest == number.value else OPERAND_ROUNDED
    if number.rank is Rank.FLOAT:
        flags |= OPERAND_SINGLE
    low, high = _HALVES.unpack(_DOUBLE.pack(nearest))
    return low, high, flags


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
