"""Subscriptions as rivals read them: patterns of text and a conjunction of checks.

Understood: patterns with constant predicates, numeric comparisons of a variable with a constant, CONTAINS, isA, and
L's "is an integer". A variable is text that begins with a question mark; anything else is a term in N-Triples form.
Numbers are floats: exact for the integers of the workloads. Everything else is `NotUnderstood`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from msgspec import Struct

from benchmarks.rivals.ancestry import Lineage
from triplewire import Subscription
from triplewire.algebra.constraints import (
    Comparator,
    ComparisonTest,
    Condition,
    IntegerTest,
    TaxonomyRelation,
    TaxonomyTest,
    TextRelation,
    TextTest,
)
from triplewire.algebra.patterns import PatternTerm, Variable
from triplewire.algebra.queries import FastQuery
from triplewire.errors import TriplewireError
from triplewire.rdf.terms import Literal

Pattern = tuple[str, str, str]

_XSD = "http://www.w3.org/2001/XMLSchema#"
_NUMERAL = re.compile(rf'"([^"]*)"\^\^<{_XSD}(integer|decimal|double|float|int|long|short|byte)>')
_WHOLE = re.compile(rf'"[+-]?[0-9]+"\^\^<{_XSD}(?:integer|int|long|short|byte)>')
_TEXT = re.compile(r'"([^"\\]*)"(?:@\S+)?')

_OPERATORS: dict[Comparator, Callable[[float, float], bool]] = {
    Comparator.EQUAL: operator.eq,
    Comparator.NOT_EQUAL: operator.ne,
    Comparator.LESS: operator.lt,
    Comparator.AT_MOST: operator.le,
    Comparator.GREATER: operator.gt,
    Comparator.AT_LEAST: operator.ge,
}
_MIRRORED = {
    Comparator.LESS: Comparator.GREATER,
    Comparator.AT_MOST: Comparator.AT_LEAST,
    Comparator.GREATER: Comparator.LESS,
    Comparator.AT_LEAST: Comparator.AT_MOST,
}


class NotUnderstood(TriplewireError):  # noqa: N818  a limit more than a fault
    """A subscription that is beyond what the workloads need."""


class Compared(Struct, frozen=True):
    """`variable operator number`."""

    variable: str
    comparator: Comparator
    number: float

    def holds(self, term: str, lineage: Lineage) -> bool:
        value = number_in(term)
        return value is not None and _OPERATORS[self.comparator](value, self.number)


class Contains(Struct, frozen=True):
    """`CONTAINS(variable, text)`."""

    variable: str
    text: str

    def holds(self, term: str, lineage: Lineage) -> bool:
        found = text_in(term)
        return found is not None and self.text in found


class Under(Struct, frozen=True):
    """`tw:isA(variable, cls)`."""

    variable: str
    cls: str

    def holds(self, term: str, lineage: Lineage) -> bool:
        return lineage.descends(term, self.cls)


class Whole(Struct, frozen=True):
    """The variable is an integer, as the formula language has it."""

    variable: str

    def holds(self, term: str, lineage: Lineage) -> bool:
        return _WHOLE.fullmatch(term) is not None


Check = Compared | Contains | Under | Whole


class Standing(Struct, frozen=True):
    """A subscription: its patterns in their order, and what must hold of its variables."""

    id: str
    patterns: tuple[Pattern, ...]
    checks: tuple[Check, ...]

    def accepts(self, binding: dict[str, str], lineage: Lineage) -> bool:
        """Whether the values of its variables pass every check."""
        return all(check.holds(binding[check.variable], lineage) for check in self.checks)


def is_variable(term: str) -> bool:
    """Whether a pattern's term is a variable."""
    return term[0] == "?"


def read_all(subscriptions: Iterable[Subscription]) -> list[Standing]:
    """Every subscription, read."""
    return [read(subscription) for subscription in subscriptions]


def read(subscription: Subscription) -> Standing:
    """One subscription, or `NotUnderstood`."""
    query = subscription.query
    if not isinstance(query, FastQuery) or query.core.graphs or len(query.core.constraint.alternatives) != 1:
        raise NotUnderstood(f"wanted patterns and a conjunction of conditions, found {subscription.text!r}")
    patterns = tuple((_term(p.subject), _predicate(p.predicate), _term(p.object)) for p in query.core.patterns)
    bound = {term for pattern in patterns for term in pattern}
    checks = tuple(_check(condition) for condition in query.core.constraint.alternatives[0])
    if not all(check.variable in bound for check in checks):
        raise NotUnderstood(f"wanted conditions on variables of the patterns, found {subscription.text!r}")
    return Standing(subscription.id, patterns, checks)


@lru_cache(maxsize=1 << 16)
def number_in(term: str) -> float | None:
    """The value of a numeric literal."""
    numeral = _NUMERAL.fullmatch(term)
    try:
        return float(numeral[1]) if numeral else None
    except ValueError:
        return None


def text_in(term: str) -> str | None:
    """What a string literal says."""
    found = _TEXT.fullmatch(term)
    return found[1] if found else None


def _term(term: PatternTerm) -> str:
    return f"?{term.name}" if isinstance(term, Variable) else str(term)


def _predicate(term: PatternTerm) -> str:
    if isinstance(term, Variable):
        raise NotUnderstood(f"wanted a constant predicate, found {term}")
    return str(term)


def _check(condition: Condition) -> Check:
    test = condition.test
    if condition.holds and isinstance(test, ComparisonTest):
        return _compared(test)
    if condition.holds and isinstance(test, TextTest) and test.relation is TextRelation.CONTAINS:
        return Contains(_term(test.variable), test.text.value)
    if condition.holds and isinstance(test, TaxonomyTest) and test.relation is TaxonomyRelation.IS_A:
        return Under(_term(test.variable), str(test.cls))
    if condition.holds and isinstance(test, IntegerTest):
        return Whole(_term(test.variable))
    raise NotUnderstood(f"wanted a comparison, CONTAINS or isA, found {condition}")


def _compared(test: ComparisonTest) -> Compared:
    left, right, comparator = test.left, test.right, test.operator
    if not isinstance(left, Variable):
        left, right, comparator = right, left, _MIRRORED.get(comparator, comparator)
    number = number_in(str(right)) if isinstance(right, Literal) else None
    if not isinstance(left, Variable) or number is None:
        raise NotUnderstood(f"wanted a variable compared with a number, found {test}")
    return Compared(_term(left), comparator, number)
