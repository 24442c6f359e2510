"""Aggregates that take values back: COUNT, SUM and AVG by totals, the others by the values that they keep.

An error among the values makes the aggregate an error, but for COUNT and SAMPLE, which leave it out. Where the standard
leaves a choice it is the least by the order of terms: what SAMPLE gives, which of two equal values is MIN or MAX, and
in what order GROUP_CONCAT joins.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable
from decimal import Context, Decimal
from math import fsum
from typing import Protocol

from triplewire.evaluation.expressions import functions
from triplewire.evaluation.order import Key, total_key, value_key
from triplewire.languages.sparql.syntax import ast
from triplewire.rdf.literals.kept import as_kept
from triplewire.rdf.literals.numbers import Number, Rank
from triplewire.rdf.literals.values import value_of
from triplewire.rdf.terms import RDF, XSD, Literal, Term

_ZERO = Literal("0", datatype=functions.INTEGER)
_TEXTS = frozenset((XSD["string"], RDF["langString"]))
_TYPES = {Rank.DECIMAL: XSD["decimal"], Rank.FLOAT: XSD["float"], Rank.DOUBLE: XSD["double"]}
# Decimals are whole numbers of these, so that a total is exact.
_PLACES = 18
_UNIT = 10**_PLACES
_EXACTLY = Context(prec=400)
_LARGEST = 2**127


class Accumulator(Protocol):
    """The values of one aggregate in one group; None is an error."""

    def add(self, term: Term | None) -> None: ...

    def remove(self, term: Term | None) -> None:
        """Take back a value that was added."""
        ...

    def result(self) -> Term | None:
        """The value of the aggregate; None for an error."""
        ...


def accumulator(aggregate: ast.Aggregate) -> Accumulator:
    """An empty one."""
    made = _MAKERS[aggregate.name](aggregate)
    return _DistinctValues(made) if aggregate.distinct and aggregate.name != "COUNT" else made


def keeps_values(aggregate: ast.Aggregate) -> bool:
    """Whether an aggregate keeps each of its values."""
    return aggregate.distinct or aggregate.name not in ("COUNT", "SUM", "AVG")


def _count_of(aggregate: ast.Aggregate) -> Accumulator:
    return _DistinctValues(_Count()) if aggregate.distinct else _Count()


class _Count:
    def __init__(self) -> None:
        self._count = 0

    def add(self, term: Term | None) -> None:
        self._count += term is not None

    def remove(self, term: Term | None) -> None:
        self._count -= term is not None

    def result(self) -> Term | None:
        return Literal(str(self._count), datatype=functions.INTEGER)


class _DistinctValues:
    """Hands each value on once."""

    def __init__(self, inner: Accumulator) -> None:
        self._inner = inner
        self._counts: Counter[Term | None] = Counter()

    def add(self, term: Term | None) -> None:
        self._counts[term] += 1
        if self._counts[term] == 1:
            self._inner.add(term)

    def remove(self, term: Term | None) -> None:
        self._counts[term] -= 1
        if not self._counts[term]:
            del self._counts[term]
            self._inner.remove(term)

    def result(self) -> Term | None:
        return self._inner.result()


class _Sum:
    """Integers and decimals have an exact total; floating-point numbers are added up when asked, rounded once."""

    def __init__(self, *_: object) -> None:
        self._count = 0
        self._errors = 0
        self._exact = 0
        self._ranks: Counter[Rank] = Counter()
        self._floating: Counter[str] = Counter()

    def add(self, term: Term | None) -> None:
        self._change(term, 1)

    def remove(self, term: Term | None) -> None:
        self._change(term, -1)

    def _change(self, term: Term | None, by: int) -> None:
        number = None if term is None else value_of(term).content
        self._count += by
        if not isinstance(number, Number):
            self._errors += by
            return
        self._ranks[number.rank] += by
        if number.rank >= Rank.FLOAT:
            self._floating[repr(float(number.value))] += by
        else:
            self._exact += by * int(Decimal(number.value).scaleb(_PLACES, _EXACTLY))

    def result(self) -> Term | None:
        if self._errors:
            return None
        if not self._count:
            return _ZERO
        rank = max(rank for rank, count in self._ranks.items() if count)
        if rank is Rank.INTEGER:
            return functions.integer(self._exact // _UNIT)
        if rank is Rank.DECIMAL:
            fits = -_LARGEST <= self._exact < _LARGEST
            return as_kept(Literal(f"{self._total():f}", datatype=_TYPES[rank])) if fits else None
        return as_kept(Literal(repr(self._floating_total()), datatype=_TYPES[rank]))

    def _total(self) -> Decimal:
        return Decimal(self._exact).scaleb(-_PLACES, _EXACTLY)

    def _floating_total(self) -> float:
        parts = [float(value) for value, count in self._floating.items() for _ in range(count)]
        try:
            return fsum((*parts, float(self._total())))
        except (OverflowError, ValueError):  # infinities of both signs, or more than there is
            return sum(parts, float(self._total()))

    @property
    def count(self) -> Literal:
        return Literal(str(self._count), datatype=functions.INTEGER)


class _Average(_Sum):
    def result(self) -> Term | None:
        total = super().result()
        return functions.divide(total, self.count) if total is not None and self._count else total


class _Sorted:
    """Keeps every value, in the order of terms."""

    def __init__(self, aggregate: ast.Aggregate) -> None:
        self._name = aggregate.name
        self._separator = " " if aggregate.separator is None else aggregate.separator
        self._keys: list[tuple[Key, Term]] = []
        self._errors = 0

    def add(self, term: Term | None) -> None:
        if term is None:
            self._errors += 1
        else:
            insort(self._keys, (total_key(term), term), key=lambda pair: pair[0])

    def remove(self, term: Term | None) -> None:
        if term is None:
            self._errors -= 1
        else:
            del self._keys[bisect_left(self._keys, total_key(term), key=lambda pair: pair[0])]

    def result(self) -> Term | None:
        if self._errors and self._name != "SAMPLE":
            return None
        if self._name == "GROUP_CONCAT":
            return self._joined()
        if not self._keys:
            return None
        return self._greatest() if self._name == "MAX" else self._keys[0][1]

    def _greatest(self) -> Term:
        """The first of those that are as great as the last."""
        value = value_key(self._keys[-1][1])
        return self._keys[bisect_left(self._keys, value, key=lambda pair: pair[0][0])][1]

    def _joined(self) -> Term | None:
        terms = [term for _, term in self._keys]
        if not all(isinstance(term, Literal) and term.datatype in _TEXTS for term in terms):
            return None
        return Literal(self._separator.join(term.value for term in terms if isinstance(term, Literal)))


_MAKERS: dict[str, Callable[[ast.Aggregate], Accumulator]] = {
    "COUNT": _count_of,
    "SUM": _Sum,
    "AVG": _Average,
    "MIN": _Sorted,
    "MAX": _Sorted,
    "SAMPLE": _Sorted,
    "GROUP_CONCAT": _Sorted,
}
