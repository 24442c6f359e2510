"""Literals as Oxigraph's store keeps them: numbers, booleans and dates by value.

`"01"^^xsd:int` comes back as the xsd:integer 1. So that what changed has the terms by which it is found again, a
literal is brought into that form before anything else.
"""

from __future__ import annotations

import re
from functools import lru_cache

from pyoxigraph import Quad, Store

from triplewire.rdf.terms import RDF, XSD, Literal, Term, Triple

_AS_WRITTEN = frozenset({XSD["string"], RDF["langString"]})
_PLACE = RDF["value"]
_INTEGER = XSD["integer"]
# Within 64 bits, and written as the store would.
_CANONICAL_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")


def as_kept(term: Term) -> Term:
    """The form in which the store gives the term back.

    >>> as_kept(Literal("01", datatype=XSD["integer"])).value
    '1'
    """
    if isinstance(term, Triple):
        return Triple(term.subject, term.predicate, as_kept(term.object))
    if not isinstance(term, Literal):
        return term
    datatype = term.datatype
    if datatype in _AS_WRITTEN or (datatype == _INTEGER and _CANONICAL_INTEGER.fullmatch(term.value)):
        return term
    return _kept(term)


def as_written(literal: Literal) -> bool:
    """Whether the literal is kept as it is written, so that no other one is the same."""
    return literal.datatype in _AS_WRITTEN


@lru_cache(maxsize=4096)
def _kept(literal: Literal) -> Literal:
    store = Store()
    store.add(Quad(_PLACE, _PLACE, literal))
    (quad,) = store
    assert isinstance(quad.object, Literal)
    return quad.object
