"""Where all the terms lie that Oxigraph holds to be the same as one, or comparable with it.

Oxigraph keeps literals of the XSD types by value: `"01"^^xsd:int` and `"1"^^xsd:integer` are one term to it, and join.
The space keeps them as they were published. So a constant or a bound value of such a type says little about where
its equals lie: only that they are spelled with digits, or that they are literals. Triple terms may contain such
literals, so they too say only what they are.
"""

from __future__ import annotations

import re

from triplewire.network.can.geometry.coordinates import coordinate
from triplewire.network.can.geometry.space import Interval, exactly, starting_with
from triplewire.network.queries.bounds.intervals import Intervals, union_of
from triplewire.rdf.literals.dates import PATTERNS
from triplewire.rdf.literals.numbers import INTEGER_TYPES
from triplewire.rdf.terms import XSD, Literal, NamedNode

LITERALS = union_of([starting_with(b'"')])
TRIPLE_TERMS = union_of([starting_with(b"<<")])
BLANK_NODES = union_of([starting_with(b"_:")])
# No IRI begins with `<`.
IRIS = union_of([Interval(b"<", b"<<"), Interval(b"<=", b"=")])
# A sign, a point or a digit first: `+ , - . / 0-9`.
NUMERALS = union_of([Interval(b'"+', b'":')])
# INF and NaN are read in any case, by what Oxigraph does.
NUMBERS = union_of([*NUMERALS.parts, *(starting_with(b'"' + letter) for letter in (b"I", b"N", b"i", b"n"))])

_BY_VALUE = re.compile(rb'"\^\^<' + re.escape(str(XSD).encode()) + rb"(\w+)>\Z")
_CLASSES = {
    **{name.encode(): NUMBERS for name in (*INTEGER_TYPES, "decimal", "float", "double")},
    **{name.encode(): NUMERALS for name in (*PATTERNS, "dateTimeStamp")},
}


def is_kept_by_value(text: bytes) -> bool:
    """Whether a term of these coordinates may be one term with others that are spelled differently."""
    return text.startswith(b"<<") or _BY_VALUE.search(text) is not None


def spellings(text: bytes) -> Intervals:
    """Where the terms lie that Oxigraph holds to be the same as, or equal to, the one with these coordinates.

    >>> spellings(b"<urn:a>").parts
    (Interval(lower=b'<urn:a>', upper=b'<urn:a>\\x00'),)
    """
    return union_of([exactly(text)]) | comparable(text) if is_kept_by_value(text) else union_of([exactly(text)])


def spellings_of(term: NamedNode | Literal) -> Intervals:
    return spellings(coordinate(term))


def comparable(text: bytes) -> Intervals:
    """Where the terms lie that have an order with one that is kept by value. What is ill-typed is kept by text."""
    if text.startswith(b"<<"):
        return TRIPLE_TERMS
    found = _BY_VALUE.search(text)
    return LITERALS if found is None else _CLASSES.get(found[1], LITERALS)
