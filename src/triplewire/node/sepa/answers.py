"""What a view says, and what a query is answered, in SEPA's words: solutions.

A yes of ASK is one solution without bindings, a no is none. Triples of CONSTRUCT and DESCRIBE are solutions that bind
`subject`, `predicate` and `object`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct
from pyoxigraph import RdfFormat, parse

from triplewire.rdf.sparql_json import json_binding, json_term
from triplewire.rdf.terms import DefaultGraph, Quad, Triple
from triplewire.rules.changes import Changes
from triplewire.wire.sepa import Results

_TRIPLE = ("subject", "predicate", "object")
_Items = list[dict[str, Any] | str] | bool


class _Said(Struct, frozen=True):
    """What `node.views.answers` writes."""

    variables: tuple[str, ...] = ()
    answer: _Items | None = None
    added: _Items = []
    removed: _Items = []
    failed: str | None = None


_decode = msgspec.json.Decoder(_Said).decode


class Answer(Struct, frozen=True):
    """The whole answer of a view, its first notification."""

    results: Results


class Difference(Struct, frozen=True):
    """What one change added to it and removed from it."""

    added: Results
    removed: Results


class Failure(Struct, frozen=True):
    """Why it is not kept up to date any more."""

    reason: str


def read_view(said: bytes, *, is_graph: bool = False) -> Answer | Difference | Failure:
    """A notification of a view; `is_graph` if it is a CONSTRUCT or a DESCRIBE.

    >>> read_view(b'{"change": 3, "added": true, "removed": false}')
    Difference(added=Results(variables=(), bindings=({},)), removed=Results(variables=(), bindings=()))
    """
    read = _decode(said)
    if read.failed is not None:
        return Failure(read.failed)
    names = _TRIPLE if is_graph else read.variables
    if read.answer is not None:
        return Answer(_results(read.answer, names))
    return Difference(_results(read.added, names), _results(read.removed, names))


def triples_as_results(lines: str | bytes) -> Results:
    """N-Triples as solutions.

    >>> triples_as_results('<urn:s> <urn:p> "o" .').variables
    ('subject', 'predicate', 'object')
    """
    triples = (quad.triple for quad in parse(lines, RdfFormat.N_TRIPLES))
    return Results(_TRIPLE, tuple(_binding(triple) for triple in triples))


def json_quads(changes: Changes) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What an update has added and removed. A quad of the default graph has no `graph`."""
    named = changes.edits.named
    return _quads((*changes.inserted, *named.inserted)), _quads((*changes.deleted, *named.deleted))


def _results(items: _Items, names: tuple[str, ...]) -> Results:
    if isinstance(items, bool):
        return Results((), ({},) if items else ())
    lines = [item for item in items if isinstance(item, str)]
    return triples_as_results("\n".join(lines)) if lines else Results(names, tuple(items))  # type: ignore[arg-type]


def _binding(triple: Triple) -> dict[str, Any]:
    return json_binding(dict(zip(_TRIPLE, (triple.subject, triple.predicate, triple.object), strict=True)))


def _quads(statements: Iterable[Triple | Quad]) -> list[dict[str, Any]]:
    return [_graph(statement) | _binding(_triple(statement)) for statement in statements]


def _graph(statement: Triple | Quad) -> dict[str, Any]:
    if isinstance(statement, Triple) or isinstance(statement.graph_name, DefaultGraph):
        return {}
    return {"graph": json_term(statement.graph_name)}


def _triple(statement: Triple | Quad) -> Triple:
    return statement if isinstance(statement, Triple) else statement.triple
