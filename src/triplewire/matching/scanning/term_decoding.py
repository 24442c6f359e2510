"""From a term's canonical bytes back to the term."""

from __future__ import annotations

from pyoxigraph import RdfFormat, parse

from triplewire.rdf.terms import BlankNode, Literal, NamedNode, Term

_IRI, _BLANK, _QUOTE, _BACKSLASH = b"<"[0], b"_"[0], b'"'[0], b"\\"


def term_of(spelled: bytes) -> Term:
    """The term that is spelled so.

    >>> term_of(b'"7"^^<http://www.w3.org/2001/XMLSchema#integer>').value
    '7'
    """
    first = spelled[0]
    if first == _IRI and spelled[1] != _IRI:
        return NamedNode(spelled[1:-1].decode())
    if first == _BLANK:
        return BlankNode(spelled[2:].decode())
    if first == _QUOTE and _BACKSLASH not in spelled:
        return _literal(spelled)
    return _parsed(spelled)


def _literal(spelled: bytes) -> Term:
    """A literal without escapes: no quote stands inside, so the last one closes it."""
    close = spelled.rindex(b'"')
    value, tag = spelled[1:close].decode(), spelled[close + 1 :].decode()
    if not tag:
        return Literal(value)
    if tag.startswith("^^"):
        return Literal(value, datatype=NamedNode(tag[3:-1]))
    if "--" in tag:
        return _parsed(spelled)
    return Literal(value, language=tag[1:])


def _parsed(spelled: bytes) -> Term:
    quad = next(parse(b"<urn:s> <urn:p> " + spelled + b" .", format=RdfFormat.N_TRIPLES))
    term: Term = quad.object
    return term
