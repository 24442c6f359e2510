"""Solutions to and from SPARQL 1.1's JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from pyoxigraph import BaseDirection

from triplewire.errors import InputError
from triplewire.rdf.solutions import Solution, Solutions
from triplewire.rdf.terms import XSD, BlankNode, Literal, NamedNode, Term, Triple

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


class _Head(msgspec.Struct):
    vars: list[str] = []


class _Results(msgspec.Struct):
    bindings: list[dict[str, Any]] = []


class _Document(msgspec.Struct):
    head: _Head
    results: _Results | None = None
    boolean: bool | None = None


def answer_of(document: bytes) -> Solutions | bool:
    """The answer in a document of SPARQL 1.1 Query Results JSON Format: solutions, or yes or no."""
    try:
        read = msgspec.json.decode(document, type=_Document)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(wanted="SPARQL results in JSON", found=f"something else: {error}") from None
    if read.results is None:
        return bool(read.boolean)
    return Solutions(map(solution_of, read.results.bindings), read.head.vars)


def solution_of(binding: Mapping[str, Any]) -> Solution:
    """The opposite of `json_binding`.

    >>> solution_of({"n": {"type": "literal", "value": "1", "xml:lang": "en"}})["n"]
    <Literal value=1 language=en>
    """
    return {name: term_of(written) for name, written in binding.items()}


def term_of(written: Mapping[str, Any]) -> Term:
    """The opposite of `json_term`; the `typed-literal` of older servers is read too."""
    try:
        kind, value = written["type"], written["value"]
        if kind == "uri":
            return NamedNode(value)
        if kind == "bnode":
            return BlankNode(value)
        if kind == "triple":
            subject, predicate, object_ = (term_of(value[role]) for role in ("subject", "predicate", "object"))
            return Triple(subject, predicate, object_)  # type: ignore[arg-type]
        if kind in ("literal", "typed-literal"):
            return _literal(value, written)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(wanted="a term in SPARQL's JSON form", found=f"{written!r}: {error}") from None
    raise InputError(wanted="a term of type uri, literal, bnode or triple", found=repr(kind))


def _literal(value: str, written: Mapping[str, Any]) -> Literal:
    if "its:dir" in written:
        return Literal(value, language=written["xml:lang"], direction=BaseDirection(written["its:dir"]))
    if "xml:lang" in written:
        return Literal(value, language=written["xml:lang"])
    return Literal(value, datatype=NamedNode(written["datatype"])) if "datatype" in written else Literal(value)
