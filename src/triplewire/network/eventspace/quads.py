"""Quadruples of an event as rows of coordinates, blank nodes qualified, and back to N-Quads as it was published.

Coordinates are canonical N-Triples, and so is the text of an event: rows are cut from it and put together to it
again without a term being made. Only triple terms, which may have blank nodes inside, are parsed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from triplewire.matching.scanning.strict_parser import spelling
from triplewire.matching.scanning.term_decoding import term_of
from triplewire.network.can.geometry.space import Bounds, Point, bounds_of, exactly
from triplewire.network.eventspace.blank_nodes import PREFIX_LENGTH, prefix_of, unqualified, with_prefix
from triplewire.rdf.events import Event
from triplewire.rdf.terms import Triple

SpelledTriple: TypeAlias = tuple[bytes, bytes, bytes]
"""The coordinates of a quadruple but for its graph: subject, predicate, object."""

_BLANK, _TRIPLE = b"_:", b"<<"
_DIGEST_SIZE = 16


def graph_coordinate(event: str) -> bytes:
    """Where the quadruples of an event lie in the first dimension."""
    return b"<%s>" % event.encode()


def event_bounds(event: str) -> Bounds:
    """The bounds of `(g, ?s, ?p, ?o)`."""
    return bounds_of(graph=exactly(graph_coordinate(event)))


def points_of(event: str, rows: Iterable[SpelledTriple]) -> list[Point]:
    graph = graph_coordinate(event)
    return [(graph, subject, predicate, obj) for subject, predicate, obj in rows]


def rows_of(event: Event) -> tuple[SpelledTriple, ...]:
    """The rows of an event, blank nodes qualified.

    >>> [event] = Event.parse('<urn:s> <urn:p> "a b" <urn:e> .')
    >>> rows_of(event)
    ((b'<urn:s>', b'<urn:p>', b'"a b"'),)
    """
    end = -len(graph_coordinate(event.graph.value)) - len(b"  .")
    prefix = prefix_of(event.graph.value)
    return tuple(_row(line[:end], prefix) for line in event.nquads.split(b"\n")[:-1])


def nquads_of(event: str, rows: Iterable[SpelledTriple]) -> bytes:
    """The text of an event, of all of its rows: sorted, its labels as they were published."""
    end = b" %s .\n" % graph_coordinate(event)
    return b"".join(sorted(b" ".join((_plain(row[0]), row[1], _plain(row[2]))) + end for row in rows))


def digest_of(event: Event) -> bytes:
    """What tells one content of an event from another."""
    return hashlib.sha256(event.nquads).digest()[:_DIGEST_SIZE]


def size_of(rows: Sequence[SpelledTriple]) -> int:
    """How many bytes the rows of an event take."""
    return sum(len(value) for row in rows for value in row)


def _row(line: bytes, prefix: str) -> SpelledTriple:
    subject, predicate, obj = line.split(b" ", 2)
    return _qualified(subject, prefix), predicate, _qualified(obj, prefix)


def _qualified(value: bytes, prefix: str) -> bytes:
    if value.startswith(_BLANK):
        return b"_:%s%s" % (prefix.encode(), value[2:])
    if value.startswith(_TRIPLE):
        return spelling(with_prefix(_triple_in(value), prefix)).encode()
    return value


def _plain(value: bytes) -> bytes:
    if value.startswith(_BLANK):
        return _BLANK + value[2 + PREFIX_LENGTH :]
    return spelling(unqualified(_triple_in(value))).encode() if value.startswith(_TRIPLE) else value


def _triple_in(value: bytes) -> Triple:
    triple = term_of(value)
    assert isinstance(triple, Triple)
    return triple
