"""The functions and aggregates that Oxigraph calls back: the taxonomy's, and those that a rewritten query calls.

A function that returns None makes its expression an error, as SPARQL has it. Aggregates over opaque terms compute with
values, tell terms apart, and give terms back: Oxigraph does the computing, on a store that holds one triple for each
term. MIN and MAX give a term of the group.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from hashlib import sha256

from pyoxigraph import QuerySolutions, Store

from triplewire.algebra.constraints import TaxonomyRelation
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.general import rewriting
from triplewire.matching.general.opaque_terms import decoded, encoded, internal, normal
from triplewire.matching.general.standard_semantics import BLANK_NODE
from triplewire.rdf.terms import TW, XSD, BlankNode, Literal, NamedNode, Quad, Term, Triple

Function = Callable[..., Term | None]

_BOOLEAN = XSD["boolean"]
_OURS = f"b{secrets.token_hex(8)}"


def taxonomy_functions(view: EventView) -> Mapping[NamedNode, Function]:
    """`tw:isA` and its kin over the view's taxonomy and the types in its event. The class may be computed, too."""
    return {TW[relation.value]: _taxonomy_function(relation, view) for relation in TaxonomyRelation}


# Only to tell whether a query calls functions that there are.
TAXONOMY_STUBS: Mapping[NamedNode, Function] = {TW[relation.value]: lambda *_: None for relation in TaxonomyRelation}


def _taxonomy_function(relation: TaxonomyRelation, view: EventView) -> Function:
    def stands(node: Term, cls: Term) -> Literal:
        holds = isinstance(cls, NamedNode) and view.taxonomy.holds(relation, node, cls, view.types)
        return Literal("true" if holds else "false", datatype=_BOOLEAN)

    return stands


def value(term: Term) -> Term:
    """The literal to compute with."""
    return decoded(term)


def lexical_form(term: Term) -> Term | None:
    """SPARQL's STR, of the term as it was written."""
    original = decoded(term)
    return Literal(original.value) if isinstance(original, Literal | NamedNode) else None


def datatype(term: Term) -> Term | None:
    """SPARQL's DATATYPE, of the term as it was written."""
    original = decoded(term)
    return original.datatype if isinstance(original, Literal) else None


def typed(lexical: Term, kind: Term) -> Term | None:
    """SPARQL's STRDT: keeps the lexical form as it is given."""
    if isinstance(lexical, Literal) and lexical.datatype == XSD["string"] and isinstance(kind, NamedNode):
        return encoded(Literal(lexical.value, datatype=kind))
    return None


def blank_node(name: Term) -> Term | None:
    """SPARQL's BNODE of a string: a node that is none of the event's."""
    if isinstance(name, Literal) and name.datatype == XSD["string"]:
        return BlankNode(_OURS + sha256(name.value.encode()).hexdigest())
    return None


OWN_FUNCTIONS: Mapping[NamedNode, Function] = {
    rewriting.VALUE: value,
    rewriting.STR: lexical_form,
    rewriting.DATATYPE: datatype,
    rewriting.STRDT: typed,
    BLANK_NODE: blank_node,
}


# Aggregates


_HAS = internal("has")


class Accumulator:
    """Collects the terms of one group; `finish` gives the result, or None for an error."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.terms: dict[Term, None] = {}

    def accumulate(self, term: Term) -> None:
        # Every aggregate here is of distinct terms: MIN and MAX are the same with repeats and without.
        self.terms[term] = None

    def finish(self) -> Term | None:
        return _computed(self.name, [decoded(term) for term in self.terms])


class Extreme(Accumulator):
    """MIN or MAX: the result is one of the terms."""

    def finish(self) -> Term | None:
        found = super().finish()
        return next((term for term in self.terms if _as_stored(decoded(term)) == found), None)


def _computed(name: str, terms: list[Term]) -> Term | None:
    store = Store()
    store.extend(Quad(internal(f"row{n}"), _HAS, term) for n, term in enumerate(terms))
    rows = store.query(f"SELECT ({name}(?term) AS ?result) {{ ?row {_HAS} ?term }}")
    assert isinstance(rows, QuerySolutions)
    result: Term | None = next(iter(rows))["result"]
    return result


def _as_stored(term: Term) -> Term:
    return normal(term) if isinstance(term, Literal | Triple) else term


def _maker(kind: type[Accumulator], name: str) -> Callable[[], Accumulator]:
    return lambda: kind(name)


OPAQUE_AGGREGATES: Mapping[NamedNode, Callable[[], Accumulator]] = {
    function: _maker(Extreme if name in ("MIN", "MAX") else Accumulator, name)
    for (name, _), function in rewriting.AGGREGATES.items()
}
