"""Opaque terms: how a term that Oxigraph's store would rewrite passes through it unharmed.

The store keeps numbers, booleans, dates and durations by value: `"01"^^xsd:integer` comes back as `"1"^^xsd:integer`,
`xsd:int` as `xsd:integer`, and two terms of one value join. So such a term is put into the store, and into the patterns
of a query, as an IRI that stands for it. Which IRIs stand for terms, nobody outside can guess.

>>> zero_one = Literal("01", datatype=XSD["integer"])
>>> is_rewritten(zero_one), is_rewritten(Literal("1", datatype=XSD["integer"])), is_rewritten(Literal("01"))
(True, False, False)
>>> decoded(encoded(zero_one)) == zero_one
True
"""

from __future__ import annotations

import os
import secrets
from functools import lru_cache
from typing import TypeGuard
from urllib.parse import quote, unquote

from pyoxigraph import RdfFormat, Store, parse, serialize

from triplewire.rdf.terms import RDF, XSD, Literal, NamedNode, Quad, Term, Triple

_KEPT = frozenset({XSD["string"], RDF["langString"], RDF["dirLangString"]})
_ANY = NamedNode("urn:triplewire:any")


# A process that evaluates for another (`isolated_evaluator`, `worker`) gets the other's by this variable.
SECRET_VARIABLE = "TRIPLEWIRE_EVALUATION_SECRET"
SECRET = os.environ.pop(SECRET_VARIABLE, None) or secrets.token_hex(8)
_OURS = f"urn:triplewire:{SECRET}:"
_TERMS = f"{_OURS}term:"


def internal(name: str) -> NamedNode:
    """An IRI for our own use inside a query, such as the name of a function."""
    return NamedNode(f"{_OURS}{name}")


def is_rewritten(term: Term) -> bool:
    """Whether Oxigraph's store gives another term back."""
    if isinstance(term, Literal):
        return term.datatype not in _KEPT and normal(term) != term
    return isinstance(term, Triple) and normal(term) != term


@lru_cache(maxsize=4_096)
def normal(term: Literal | Triple) -> Term:
    """The term as the store gives it back."""
    store = Store()
    store.add(Quad(_ANY, _ANY, term))
    kept: Term = next(iter(store)).object
    return kept


def encoded(term: Term) -> Term:
    """The IRI that stands for the term, if the store would rewrite it; else the term itself."""
    return _stand_in(term) if is_rewritten(term) else term


def is_opaque(term: object) -> TypeGuard[NamedNode]:
    """Whether it is an IRI that stands for a term."""
    return isinstance(term, NamedNode) and term.value.startswith(_TERMS)


def decoded(term: Term) -> Term:
    """The term that an IRI stands for; any other term as it is."""
    return _stood_for(term) if is_opaque(term) else term


@lru_cache(maxsize=4_096)
def _stand_in(term: Term) -> NamedNode:
    line = serialize([Triple(_ANY, _ANY, term)], format=RdfFormat.N_TRIPLES)
    return NamedNode(_TERMS + quote(line or b"", safe=""))


@lru_cache(maxsize=4_096)
def _stood_for(iri: NamedNode) -> Term:
    line = unquote(iri.value.removeprefix(_TERMS))
    term: Term = next(iter(parse(line, format=RdfFormat.N_TRIPLES))).object
    return term
