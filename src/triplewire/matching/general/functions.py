"""The functions that Oxigraph calls back: the taxonomy's, and those that a rewritten query calls.

A function that returns None makes its expression an error, as SPARQL has it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from hashlib import sha256

from triplewire.algebra.constraints import TaxonomyRelation
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.general import rewriting
from triplewire.matching.general.opaque_terms import decoded, encoded
from triplewire.matching.general.standard_semantics import BLANK_NODE
from triplewire.rdf.terms import TW, XSD, BlankNode, Literal, NamedNode, Term

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
