"""Solutions in SPARQL 1.1's JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triplewire.rdf.terms import XSD, BlankNode, Literal, NamedNode, Term

_PLAIN = XSD["string"]


def json_binding(solution: Mapping[str, Term]) -> dict[str, Any]:
    """One solution: name -> term.

    >>> json_binding({"x": NamedNode("http://example.org/a"), "n": Literal("1", datatype=XSD["integer"])})["n"]
    {'type': 'literal', 'value': '1', 'datatype': 'http://www.w3.org/2001/XMLSchema#integer'}
    """
    return {name: json_term(term) for name, term in solution.items()}


def json_term(term: Term) -> dict[str, Any]:
    """One term, as SPARQL 1.1 Query Results JSON Format section 3.2.2 says; triple terms as SPARQL 1.2 does."""
    if isinstance(term, NamedNode):
        return {"type": "uri", "value": term.value}
    if isinstance(term, BlankNode):
        return {"type": "bnode", "value": term.value}
    if isinstance(term, Literal):
        return {"type": "literal", "value": term.value} | _kind(term)
    parts = {"subject": term.subject, "predicate": term.predicate, "object": term.object}
    return {"type": "triple", "value": {role: json_term(part) for role, part in parts.items()}}


def _kind(literal: Literal) -> dict[str, str]:
    if literal.direction is not None:
        return {"xml:lang": literal.language or "", "its:dir": literal.direction.value}
    if literal.language is not None:
        return {"xml:lang": literal.language}
    return {} if literal.datatype == _PLAIN else {"datatype": literal.datatype.value}
