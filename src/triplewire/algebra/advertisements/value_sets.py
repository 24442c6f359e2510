"""Value sets: what an advertisement says about a property's values, as terms and intervals.

An interval is about values: `Interval(2002, None)` holds "2004", "02004" and "2004.5" alike, and every date is in some
interval of dates. A term in a value set is that term.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable
from decimal import Decimal

from msgspec import Struct
from msgspec.structs import force_setattr

from triplewire.errors import InputError, InvalidTerm
from triplewire.rdf.literals import values
from triplewire.rdf.literals.values import Kind
from triplewire.rdf.terms import XSD, BlankNode, Literal, NamedNode, Term

_UNORDERED = frozenset({Kind.BOOLEAN, Kind.ILL_TYPED, Kind.UNKNOWN})


class Interval(Struct, frozen=True):
    """All values from `low` to `high`; None, or an infinite float, leaves that end open for ever.

    >>> print(Interval(2002, None))
    [2002, ∞)
    """

    low: Literal | None = None
    high: Literal | None = None
    low_open: bool = False
    high_open: bool = False

    def __post_init__(self) -> None:
        force_setattr(self, "low", _end(self.low, -math.inf))
        force_setattr(self, "high", _end(self.high, math.inf))
        if self.low is None and self.high is None:
            raise InputError(subject="an interval", wanted="at least one end", found="none")
        self._check_order()

    def __contains__(self, term: Term) -> bool:
        above = self.low is None or values.compare(">" if self.low_open else ">=", term, self.low) is True
        return above and (self.high is None or values.compare("<" if self.high_open else "<=", term, self.high) is True)

    def __str__(self) -> str:
        low = "(-∞" if self.low is None else f"{'(' if self.low_open else '['}{self.low.value}"
        high = "∞)" if self.high is None else f"{self.high.value}{')' if self.high_open else ']'}"
        return f"{low}, {high}"

    def _check_order(self) -> None:
        ends = [end for end in (self.low, self.high) if end is not None]
        for end in ends:
            if values.kind_of(end) in _UNORDERED or not values.equal(end, end):
                raise InputError(subject="an interval", wanted="ends that have an order", found=str(end))
        operator = "<" if self.low_open or self.high_open else "<="
        if len(ends) == 2 and values.compare(operator, *ends) is not True:
            raise InputError(subject="an interval", wanted="its low end below its high end", found=str(self))


Value = NamedNode | Literal | Interval


class Offer(Struct, frozen=True):
    """A property and the values that it will have."""

    property: NamedNode
    values: tuple[Value, ...]

    def __str__(self) -> str:
        return f"{self.property} in {{{', '.join(map(str, self.values))}}}"


def literal_of(value: object) -> NamedNode | Literal:
    """The term that a plain Python value stands for. A string is a string; for an IRI give a NamedNode.

    >>> literal_of(Decimal("2.50"))
    <Literal value=2.50 datatype=<NamedNode value=http://www.w3.org/2001/XMLSchema#decimal>>
    """
    if isinstance(value, NamedNode | Literal):
        return value
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, datetime.datetime):
        return Literal(value.isoformat(), datatype=XSD["dateTime"])
    if isinstance(value, datetime.date):
        return Literal(value.isoformat(), datatype=XSD["date"])
    if isinstance(value, int) and not isinstance(value, bool):
        return Literal(str(value), datatype=XSD["integer"])
    if isinstance(value, str | bool | float):
        return Literal(value)
    wanted = "an IRI, a literal, or a plain str, bool, int, float, Decimal, date or datetime"
    raise InvalidTerm(subject="a value set", wanted=wanted, found=_found(value))


def value_set(given: object) -> tuple[Value, ...]:
    """The members of a value set: one value, one interval, or a collection of these, each once."""
    members = given if isinstance(given, Iterable) and not isinstance(given, str | bytes) else (given,)
    found = {member if isinstance(member, Interval) else literal_of(member) for member in members}
    if not found:
        raise InputError(subject="a value set", wanted="at least one value", found="none")
    return tuple(sorted(found, key=str))


def _end(end: object, infinite: float) -> Literal | None:
    if end is None or (isinstance(end, float) and end == infinite):
        return None
    term = literal_of(end)
    if isinstance(term, Literal):
        return term
    raise InvalidTerm(subject="an interval", wanted="literals as its ends", found=str(term))


def _decimal(value: Decimal) -> Literal:
    if not value.is_finite():
        raise InvalidTerm(subject="xsd:decimal", wanted="a finite number", found=str(value))
    return Literal(f"{value:f}", datatype=XSD["decimal"])


def _found(value: object) -> str:
    return "a blank node" if isinstance(value, BlankNode) else type(value).__name__
