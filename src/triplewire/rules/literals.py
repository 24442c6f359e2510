"""Literals in a repository: the form in which Oxigraph keeps them, and whether they are of a datatype.

Oxigraph keeps numbers, booleans and dates by value: `"01"^^xsd:int` comes back as the xsd:integer 1. So that a change
has the terms by which it can be found again, a literal is brought into that form before anything else; and
whether it is of a derived integer type is asked of its value.
"""

from __future__ import annotations

import re

from triplewire.rdf.literals.kept import as_kept, as_written
from triplewire.rdf.literals.numbers import INTEGER_TYPES
from triplewire.rdf.literals.values import Kind, kind_of
from triplewire.rdf.terms import XSD, Literal, NamedNode, Triple
from triplewire.rules.vocabulary import LITERAL

__all__ = ["as_kept", "as_written", "is_of", "may_share", "triple_as_kept"]

_STRING = XSD["string"]
_INTEGER = re.compile(r"[+-]?[0-9]{1,4000}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_INTEGERS = frozenset(XSD[name] for name in INTEGER_TYPES)
_BOUNDS: dict[NamedNode, tuple[int | None, int | None]] = {
    XSD["byte"]: (-(1 << 7), (1 << 7) - 1),
    XSD["short"]: (-(1 << 15), (1 << 15) - 1),
    XSD["int"]: (-(1 << 31), (1 << 31) - 1),
    XSD["long"]: (-(1 << 63), (1 << 63) - 1),
    XSD["unsignedByte"]: (0, (1 << 8) - 1),
    XSD["unsignedShort"]: (0, (1 << 16) - 1),
    XSD["unsignedInt"]: (0, (1 << 32) - 1),
    XSD["unsignedLong"]: (0, (1 << 64) - 1),
    XSD["positiveInteger"]: (1, None),
    XSD["nonNegativeInteger"]: (0, None),
    XSD["negativeInteger"]: (None, -1),
    XSD["nonPositiveInteger"]: (None, 0),
}
_DERIVED: dict[NamedNode, frozenset[NamedNode]] = {
    XSD["decimal"]: _INTEGERS,
    XSD["dateTime"]: frozenset({XSD["dateTimeStamp"]}),
    XSD["dateTimeStamp"]: frozenset({XSD["dateTime"]}),  # as which it is kept
    XSD["duration"]: frozenset({XSD["yearMonthDuration"], XSD["dayTimeDuration"]}),
    _STRING: frozenset(
        XSD[name] for name in ("normalizedString", "token", "language", "NMTOKEN", "Name", "NCName", "ID", "IDREF")
    ),
}


def triple_as_kept(triple: Triple) -> Triple:
    """The triple with its object in that form."""
    return Triple(triple.subject, triple.predicate, as_kept(triple.object))


def is_of(literal: Literal, datatype: NamedNode) -> bool:
    """Whether the literal is a well-formed one of the datatype, or of one that is derived from it.

    >>> is_of(Literal("5", datatype=XSD["integer"]), XSD["int"]), is_of(Literal("abc"), XSD["int"])
    (True, False)
    """
    if datatype == LITERAL:
        return True
    if datatype in _INTEGERS:
        return literal.datatype in _INTEGERS and _is_integer_of(literal, datatype)
    if literal.datatype != datatype and literal.datatype not in _DERIVED.get(datatype, ()):
        return False
    return _is_well_formed(literal)


def may_share(one: NamedNode, other: NamedNode) -> bool:
    """Whether some literal, as it is kept, is of both datatypes.

    >>> may_share(XSD["int"], XSD["positiveInteger"]), may_share(XSD["int"], XSD["double"])
    (True, False)
    """
    return LITERAL in (one, other) or not _kept_of(one).isdisjoint(_kept_of(other))


def _kept_of(datatype: NamedNode) -> frozenset[NamedNode]:
    """The datatypes that literals of it may have where they are kept."""
    if datatype in _INTEGERS:
        return _INTEGERS
    return _DERIVED.get(datatype, frozenset()) | {datatype}


def _is_integer_of(literal: Literal, datatype: NamedNode) -> bool:
    if not _INTEGER.fullmatch(literal.value):
        return False
    lowest, highest = _BOUNDS.get(datatype, (None, None))
    value = int(literal.value)
    return (lowest is None or lowest <= value) and (highest is None or value <= highest)


def _is_well_formed(literal: Literal) -> bool:
    if literal.datatype in _INTEGERS:
        return _is_integer_of(literal, literal.datatype)
    if literal.datatype == XSD["decimal"]:
        return _DECIMAL.fullmatch(literal.value) is not None
    return kind_of(literal) is not Kind.ILL_TYPED
