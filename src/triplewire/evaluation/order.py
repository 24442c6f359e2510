"""The order of terms: ORDER BY, MIN and MAX, and what is kept where a LIMIT has no order.

Unbound comes first, then blank nodes, IRIs, literals and triples (section 15.1). Literals compare by value where `<`
says so; all others are told apart by their kind, so that the order is total and the same on every run.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from math import isnan
from typing import Any

from triplewire.rdf.literals.dates import DAY, Moment
from triplewire.rdf.literals.durations import Duration
from triplewire.rdf.literals.numbers import Number
from triplewire.rdf.literals.values import Kind, Value, value_of
from triplewire.rdf.terms import BlankNode, Literal, NamedNode, Term

Key = tuple[Any, ...]

_RANKS = {kind: rank for rank, kind in enumerate(Kind)} | {Kind.LANG_STRING: list(Kind).index(Kind.STRING)}
_UNBOUND: Key = (0,)
# A month is taken to be as long as it is on average, where only the order of durations of one kind is defined.
_MONTH = 30_436_875 * DAY // 1_000_000


@lru_cache(maxsize=65_536)
def value_key(term: Term | None) -> Key:
    """Sorts by value: 1 and 1.0 are equal.

    >>> value_key(Literal(2)) < value_key(Literal(10)), value_key(None) < value_key(BlankNode("b"))
    (True, True)
    """
    if term is None:
        return _UNBOUND
    if isinstance(term, BlankNode):
        return (1, term.value)
    if isinstance(term, NamedNode):
        return (2, term.value)
    if isinstance(term, Literal):
        return (3, *_literal_key(term, value_of(term)))
    return (4, value_key(term.subject), value_key(term.predicate), value_key(term.object))


def total_key(term: Term | None) -> Key:
    """Sorts by value, and equal values by how they are written."""
    return (value_key(term), str(term))


def _literal_key(literal: Literal, value: Value) -> Key:
    content = value.content
    rank = _RANKS[value.kind]
    if isinstance(content, Number):
        return (rank, *_number_key(content.value))
    if isinstance(content, Moment):
        return (rank, content.instant)
    if isinstance(content, Duration):
        return (rank, content.months * _MONTH + content.time)
    if isinstance(content, bool):
        return (rank, content)
    return (rank, literal.value, literal.language or "", literal.datatype.value)


def _number_key(number: float | Decimal) -> Key:
    return (0, 0) if isnan(number) else (1, number)


class Descending:
    """A key that sorts the other way."""

    __slots__ = ("key",)

    def __init__(self, key: Key) -> None:
        self.key = key

    def __lt__(self, other: Descending) -> bool:
        return other.key < self.key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Descending) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)
