"""Terms to rdflib and back, exactly: no lexical form is normalised on the way."""

from __future__ import annotations

import rdflib
from rdflib.term import BNode, Identifier, URIRef
from rdflib.term import Literal as RdflibLiteral

from triplewire.errors import InvalidTerm
from triplewire.rdf.terms import XSD, BlankNode, Literal, NamedNode, Term

_STRING = XSD["string"].value


def to_rdflib(term: Term) -> Identifier:
    """rdflib tells `"a"` and `"a"^^xsd:string` apart, which RDF 1.1 does not: here it is always the plain one."""
    if isinstance(term, NamedNode):
        return URIRef(term.value)
    if isinstance(term, BlankNode):
        return BNode(term.value)
    if isinstance(term, Literal):
        if term.language or term.datatype.value == _STRING:
            return RdflibLiteral(term.value, lang=term.language)
        return RdflibLiteral(term.value, datatype=URIRef(term.datatype.value), normalize=False)
    raise InvalidTerm(subject="rdflib", wanted="an IRI, a blank node or a literal", found=str(term))


def from_rdflib(term: Identifier) -> Term:
    """The same term in pyoxigraph's classes."""
    if isinstance(term, BNode):
        return BlankNode(str(term))
    if isinstance(term, URIRef):
        return NamedNode(str(term))
    if isinstance(term, RdflibLiteral):
        if term.language:
            return Literal(str(term), language=term.language)
        return Literal(str(term), datatype=NamedNode(str(term.datatype or _STRING)))
    raise InvalidTerm(wanted="a term of rdflib", found=f"{type(term).__name__} {term!r}")


def plain_strings(term: object) -> object | None:
    """For rdflib's tree walker: the plain form of an xsd:string, None (leave it) for all else."""
    if isinstance(term, RdflibLiteral) and term.datatype == rdflib.XSD.string:
        return RdflibLiteral(str(term))
    return None
