"""Quadruples from another member: each coordinate must be the canonical text of a term, in a place where it may stand.

Nearly all are plain enough for one expression. The rest is read as a term and spelled again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from triplewire.errors import LimitExceeded, MessageRefused
from triplewire.matching.scanning.strict_parser import spelling
from triplewire.matching.scanning.term_decoding import term_of
from triplewire.network.can.geometry.space import Point
from triplewire.network.eventspace.quads import SpelledTriple, graph_coordinate
from triplewire.rdf.documents import Document
from triplewire.rdf.formats import NTRIPLES
from triplewire.rdf.limits import DEFAULT_LIMITS
from triplewire.rdf.parsing.nesting_depth import check_nesting
from triplewire.rdf.terms import BlankNode, NamedNode, Term

_PLAIN_IRI = rb"<(?:https?://[a-z0-9.-]+(?::[0-9]{1,5})?(?:[/?#][a-zA-Z0-9._~/-]*)?(?:#[a-zA-Z0-9._~-]*)?|urn:[a-zA-Z0-9._~:-]+)>"
_PLAIN_BLANK = rb"_:[a-zA-Z0-9]+"
_PLAIN_LITERAL = rb'"[ !#-\[\]-~]*"(?:@[a-z]{2,3}|\^\^' + _PLAIN_IRI + rb")?"
_PLAIN = re.compile(
    rb"(?:%b|%b)\0%b\0(?:%b|%b|%b)" % (_PLAIN_IRI, _PLAIN_BLANK, _PLAIN_IRI, _PLAIN_LITERAL, _PLAIN_IRI, _PLAIN_BLANK)
)
_PLAIN_GRAPH = re.compile(_PLAIN_IRI)


def check_rows(rows: Iterable[SpelledTriple]) -> None:
    """`MessageRefused` if one is no subject, predicate and object."""
    for row in rows:
        if _PLAIN.fullmatch(b"\0".join(row)) is None:
            subject, predicate, obj = map(_term, row)
            if not isinstance(subject, NamedNode | BlankNode) or not isinstance(predicate, NamedNode):
                raise MessageRefused(
                    "term", wanted="a subject, a predicate and an object", found=_shown(b" ".join(row))
                )
            del obj


def check_points(points: Iterable[Point]) -> None:
    """`MessageRefused` if one is no quadruple of an event."""
    graphs = set[bytes]()
    for graph, *row in points:
        if graph not in graphs:
            check_graph(graph)
            graphs.add(graph)
        check_rows([(row[0], row[1], row[2])])


def check_event_name(event: str) -> None:
    """`MessageRefused` if it is no IRI."""
    check_graph(graph_coordinate(event))


def check_graph(graph: bytes) -> None:
    """`MessageRefused` if it is not the coordinate of an event's graph."""
    if _PLAIN_GRAPH.fullmatch(graph) is None and not isinstance(_term(graph), NamedNode):
        raise MessageRefused("term", wanted="the IRI of an event", found=_shown(graph))


def term_in(spelled: bytes) -> Term:
    """The term that is spelled so, canonically; `MessageRefused` if there is none."""
    return _term(spelled)


def _term(spelled: bytes) -> Term:
    try:
        # The parser recurses over nested triple terms.
        check_nesting(Document(spelled), NTRIPLES, DEFAULT_LIMITS)
        term = term_of(spelled)
        is_canonical = spelling(term).encode() == spelled
    except (ValueError, IndexError, SyntaxError, StopIteration, LimitExceeded, AttributeError) as problem:
        raise MessageRefused("term", wanted="a term", found=f"{_shown(spelled)}: {problem}") from None
    if not is_canonical:
        raise MessageRefused("term", wanted="a term as it is spelled canonically", found=_shown(spelled))
    return term


def _shown(spelled: bytes) -> str:
    return repr(spelled[:80])
