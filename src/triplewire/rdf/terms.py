"""The terms of RDF 1.1, as pyoxigraph holds them, and the few vocabularies that we name.

`NamedNode`, `BlankNode`, `Literal`, `Triple` and `Quad` are pyoxigraph's own classes: immutable, hashable and
compared by identity of the term, never by value. What a literal's value is, `rdf.literals.values` says.
"""

from __future__ import annotations

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

__all__ = [
    "RDF",
    "RDFS",
    "TW",
    "XSD",
    "BlankNode",
    "DefaultGraph",
    "Literal",
    "NamedNode",
    "Namespace",
    "Quad",
    "Term",
    "Triple",
]

Term = NamedNode | BlankNode | Literal | Triple


class Namespace(str):
    """An IRI prefix that makes terms.

    >>> Namespace("http://example.org/")["Paper"]
    <NamedNode value=http://example.org/Paper>
    """

    __slots__ = ()

    def __getitem__(self, name: object) -> NamedNode:  # type: ignore[override]
        return NamedNode(f"{self!s}{name}")


RDF = Namespace("http://www.w3.org/1999/02/22-rdf-syntax-ns#")
RDFS = Namespace("http://www.w3.org/2000/01/rdf-schema#")
XSD = Namespace("http://www.w3.org/2001/XMLSchema#")
TW = Namespace("urn:triplewire:")
