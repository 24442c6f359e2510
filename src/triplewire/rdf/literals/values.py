"""What a term's value is, and how two values compare: the semantics of FILTER for matcher and reasoner.

Every comparison has three outcomes: True, False, and None for SPARQL's error. Where SPARQL 1.1 leaves freedom, and in
a few places where it does not, this follows Oxigraph, which is also what evaluates the general lane:

- Values of two known kinds are different, not incomparable: `"1" = 1` is false. An unknown or ill-typed literal is
  equal to itself, an error against any other literal that has a datatype, and different from everything else.
- The same value is at most and at least itself, whatever its kind: `<urn:a> <= <urn:a>` is true, `<urn:a> < <urn:b>`
  an error.
- Booleans have no order, though SPARQL 1.1 gives them one: `false < true` is an error.
- The order of NaN and another value is an error, where XPath says false; `=` is false and `!=` true, as there. By the
  rule above NaN is also at most itself, where XPath says false again.
- Strings with the same language compare by their text, where SPARQL 1.1 has no such operator.
- Integers beyond 64 bits and decimals beyond 128 have no value; neither do literals with white space around them.
- Ranges of derived integer types are not checked, and `inf`, `infinity` and `nan` are floats in any case.
- `--02-29` has no value, and a dateTimeStamp without a zone has one; `PT.5S`, `PT1.S` and `P1DT` are durations.

One thing differs from Oxigraph: it may take forever to order two durations of which one is longer than the history of
the world. Here that takes no longer than for short ones.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from functools import partial
from typing import Any

from msgspec import Struct

from triplewire.rdf.literals.dates import PATTERNS, order_moments, parse_moment
from triplewire.rdf.literals.durations import (
    order_durations,
    parse_day_time_duration,
    parse_duration,
    parse_year_month_duration,
)
from triplewire.rdf.literals.numbers import (
    INTEGER_TYPES,
    Number,
    Rank,
    equal_numbers,
    order_numbers,
    parse_decimal,
    parse_double,
    parse_float,
    parse_integer,
)
from triplewire.rdf.literals.strings import contains, ends_with, starts_with
from triplewire.rdf.terms import XSD, BlankNode, Literal, NamedNode, Term, Triple

__all__ = [
    "Kind",
    "Value",
    "compare",
    "contains",
    "ends_with",
    "equal",
    "is_integer",
    "kind_of",
    "less",
    "number",
    "order",
    "starts_with",
    "value_of",
]


class Kind(Enum):
    """Values of one kind compare with each other; those of two kinds never do."""

    IRI = "IRI"
    BLANK = "blank node"
    TRIPLE = "triple"
    STRING = "string"
    LANG_STRING = "string with a language"
    NUMERIC = "number"
    BOOLEAN = "boolean"
    DATE_TIME = "dateTime"
    DATE = "date"
    TIME = "time"
    G_YEAR = "gYear"
    G_YEAR_MONTH = "gYearMonth"
    G_MONTH = "gMonth"
    G_MONTH_DAY = "gMonthDay"
    G_DAY = "gDay"
    DURATION = "duration"
    ILL_TYPED = "ill-typed literal"
    UNKNOWN = "literal of an unknown datatype"


class Value(Struct, frozen=True, gc=False):
    """A kind, and what is compared within it."""

    kind: Kind
    content: Any


def _boolean(lexical: str) -> bool | None:
    return _BOOLEANS.get(lexical)


_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}

_MOMENTS = {kind.value: kind for kind in Kind if kind.value in PATTERNS}

_PARSERS: dict[str, tuple[Kind, Callable[[str], Any]]] = {
    **{f"{XSD!s}{name}": (Kind.NUMERIC, parse_integer) for name in INTEGER_TYPES},
    f"{XSD!s}decimal": (Kind.NUMERIC, parse_decimal),
    f"{XSD!s}float": (Kind.NUMERIC, parse_float),
    f"{XSD!s}double": (Kind.NUMERIC, parse_double),
    f"{XSD!s}boolean": (Kind.BOOLEAN, _boolean),
    **{f"{XSD!s}{name}": (kind, partial(parse_moment, PATTERNS[name])) for name, kind in _MOMENTS.items()},
    f"{XSD!s}dateTimeStamp": (Kind.DATE_TIME, partial(parse_moment, PATTERNS["dateTime"])),
    f"{XSD!s}duration": (Kind.DURATION, parse_duration),
    f"{XSD!s}yearMonthDuration": (Kind.DURATION, parse_year_month_duration),
    f"{XSD!s}dayTimeDuration": (Kind.DURATION, parse_day_time_duration),
}
_STRING = f"{XSD!s}string"
# Terms come again and again, and asking the dictionary is four times faster than asking the term. Long ones are not
# kept: they would let a stranger fill the memory.
_KEPT_LENGTH = 256
_KEPT_TERMS = 65_536
_kept: dict[Term, Value] = {}


def value_of(term: Term) -> Value:
    """The value of any term.

    >>> from triplewire.rdf.terms import XSD, Literal
    >>> value_of(Literal("01", datatype=XSD["integer"])).content.value
    1
    """
    return _kept.get(term) or _kept_from_now_on(term)


def _kept_from_now_on(term: Term) -> Value:
    if isinstance(term, Triple):
        return Value(Kind.TRIPLE, term)
    value = _value_of_literal(term) if isinstance(term, Literal) else Value(_KINDS[type(term)], term)
    if len(term.value) <= _KEPT_LENGTH:
        if len(_kept) >= _KEPT_TERMS:
            _kept.clear()
        _kept[term] = value
    return value


_KINDS = {NamedNode: Kind.IRI, BlankNode: Kind.BLANK}


def _value_of_literal(literal: Literal) -> Value:
    datatype = literal.datatype.value
    if datatype == _STRING:
        return Value(Kind.STRING, literal.value)
    if datatype in _PARSERS:
        kind, parse = _PARSERS[datatype]
        content = parse(literal.value)
        return Value(Kind.ILL_TYPED, literal) if content is None else Value(kind, content)
    if literal.language:
        return Value(Kind.LANG_STRING, (literal.value, literal.language, literal.direction))
    return Value(Kind.UNKNOWN, literal)


def kind_of(term: Term) -> Kind:
    """What the term compares with."""
    return value_of(term).kind


def number(term: Term) -> int | Decimal | float | None:
    """The number that a literal stands for, or None if it stands for none.

    >>> from triplewire.rdf.terms import XSD, Literal
    >>> number(Literal("+007", datatype=XSD["int"])), number(Literal("abc", datatype=XSD["integer"]))
    (7, None)
    """
    content = value_of(term).content
    return content.value if isinstance(content, Number) else None


def is_integer(term: Term) -> bool:
    """Whether the term is a well-formed literal of xsd:integer or a type derived from it."""
    content = value_of(term).content
    return isinstance(content, Number) and content.rank is Rank.INTEGER


def equal(a: Term, b: Term) -> bool | None:
    """a = b."""
    return _equal(value_of(a), value_of(b))


def less(a: Term, b: Term) -> bool | None:
    """a < b."""
    found = order(value_of(a), value_of(b))
    return None if found is None else found < 0


def compare(operator: str, a: Term, b: Term) -> bool | None:
    """One of SPARQL's six comparisons, by its sign.

    >>> from triplewire.rdf.terms import XSD, Literal
    >>> compare("<=", Literal("1.0", datatype=XSD["decimal"]), Literal("01", datatype=XSD["integer"]))
    True
    """
    x, y = value_of(a), value_of(b)
    if operator == "=":
        return _equal(x, y)
    if operator == "!=":
        found = _equal(x, y)
        return None if found is None else not found
    found_order = order(x, y)
    return None if found_order is None else _HOLDS[operator](found_order)


_HOLDS: dict[str, Callable[[int], bool]] = {
    "<": lambda found: found < 0,
    "<=": lambda found: found <= 0,
    ">": lambda found: found > 0,
    ">=": lambda found: found >= 0,
}

_OPAQUE = frozenset((Kind.ILL_TYPED, Kind.UNKNOWN))
_WITHOUT_DATATYPE = frozenset((Kind.IRI, Kind.BLANK, Kind.TRIPLE, Kind.LANG_STRING))


def _equal(x: Value, y: Value) -> bool | None:
    if x.kind is not y.kind:
        return _equal_across(x.kind, y.kind)
    if x.kind is Kind.TRIPLE:
        return _equal_triples(x.content, y.content)
    if x.kind in _OPAQUE:
        return True if x.content == y.content else None
    if x.kind is Kind.NUMERIC:
        return equal_numbers(x.content, y.content)
    return bool(x.content == y.content)


def _equal_across(x: Kind, y: Kind) -> bool | None:
    if x in _OPAQUE:
        return False if y in _WITHOUT_DATATYPE else None
    return None if y in _OPAQUE and x not in _WITHOUT_DATATYPE else False


def _equal_triples(a: Triple, b: Triple) -> bool | None:
    if a.subject != b.subject or a.predicate != b.predicate:
        return False
    return equal(a.object, b.object)


def order(x: Value, y: Value) -> int | None:
    """-1, 0 or 1 as x is before, equal to or after y; None where they have no order."""
    if x.kind is not y.kind:
        return None
    within = _ORDERS.get(x.kind)
    if within is not None:
        return within(x.content, y.content)
    return 0 if _equal(x, y) else None


def _order_plain(a: Any, b: Any) -> int:
    return int(a > b) - int(a < b)


def _order_tagged(a: tuple[str, str, object], b: tuple[str, str, object]) -> int | None:
    return _order_plain(a[0], b[0]) if a[1:] == b[1:] else None


_ORDERS: dict[Kind, Callable[[Any, Any], int | None]] = {
    Kind.STRING: _order_plain,
    Kind.LANG_STRING: _order_tagged,
    Kind.NUMERIC: order_numbers,
    Kind.DURATION: order_durations,
    **dict.fromkeys(_MOMENTS.values(), order_moments),
}
