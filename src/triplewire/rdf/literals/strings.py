"""Strings with and without a language, and SPARQL's CONTAINS, STRSTARTS and STRENDS over them.

The arguments must be compatible: the second is a plain string, or both have the same language and direction. Otherwise
there is no answer.
"""

from __future__ import annotations

from collections.abc import Callable

from triplewire.rdf.terms import RDF, XSD, Literal, Term

_STRING = XSD["string"]
_TEXTS = frozenset((_STRING, RDF["langString"], RDF["dirLangString"]))


def contains(a: Term, b: Term) -> bool | None:
    """CONTAINS(a, b).

    >>> contains(Literal("W. Nejdl"), Literal("Nejdl")), contains(Literal("1"), Literal("1", language="en"))
    (True, None)
    """
    return _related(str.__contains__, a, b)


def starts_with(a: Term, b: Term) -> bool | None:
    """STRSTARTS(a, b)."""
    return _related(str.startswith, a, b)


def ends_with(a: Term, b: Term) -> bool | None:
    """STRENDS(a, b)."""
    return _related(str.endswith, a, b)


def _related(relation: Callable[[str, str], bool], a: Term, b: Term) -> bool | None:
    if not isinstance(a, Literal) or not isinstance(b, Literal):
        return None
    return relation(a.value, b.value) if compatible(a, b) else None


def compatible(a: Literal, b: Literal) -> bool:
    """SPARQL's argument compatibility rules."""
    type_of_b = b.datatype
    if type_of_b == _STRING:
        return a.datatype in _TEXTS
    same = a.language == b.language and a.direction == b.direction
    return type_of_b in _TEXTS and same
