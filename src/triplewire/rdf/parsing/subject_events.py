"""An event for each subject of a large graph: a vocabulary or a dump is far more than one event should be.

A subject's event has all that the graph says of it, and of the blank nodes that this leads to (its concise bounded
description); blank nodes that no named subject leads to have events of their own. An event's IRI is made from the
graph, the subject and the content: the same data gives the same events again, and of a new version only those subjects
are new events of which it says something else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from datetime import datetime

from triplewire.rdf.events import Event
from triplewire.rdf.limits import DEFAULT_LIMITS, Limits
from triplewire.rdf.parsing.blank_nodes import Relabelling
from triplewire.rdf.terms import TW, BlankNode, DefaultGraph, NamedNode, Quad, Term, Triple

Subject = NamedNode | BlankNode | Triple
Graph = NamedNode | BlankNode | DefaultGraph
_DIGITS = 32


def events_by_subject(
    quads: Iterable[Quad],
    *,
    source: str | None = None,
    time: datetime | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Iterator[Event]:
    """One event for each subject of each graph, in order of first appearance.

    >>> about = [Quad(NamedNode("urn:a"), NamedNode("urn:p"), BlankNode("x")),
    ...          Quad(BlankNode("x"), NamedNode("urn:p"), NamedNode("urn:b"))]
    >>> [len(event) for event in events_by_subject(about)]
    [2]
    """
    for graph, said in _by_graph(quads).items():
        for subject, triples in _described(said):
            fresh = Relabelling()
            relabelled = [fresh.triple(triple) for triple in triples]
            name = _name(graph, fresh(subject), relabelled)
            yield Event.from_triples(name, relabelled, source=source, time=time, limits=limits)


def _by_graph(quads: Iterable[Quad]) -> dict[Graph, dict[Subject, list[Triple]]]:
    found: dict[Graph, dict[Subject, list[Triple]]] = {}
    for quad in quads:
        found.setdefault(quad.graph_name, {}).setdefault(quad.subject, []).append(quad.triple)
    return found


def _described(said: dict[Subject, list[Triple]]) -> Iterator[tuple[Subject, list[Triple]]]:
    """Each subject that stands for itself, with its triples; then the blank nodes that none of them has led to."""
    reached: set[BlankNode] = set()
    for subject in said:
        if not isinstance(subject, BlankNode):
            yield subject, _description(subject, said, reached)
    pointed_at = {node for triples in said.values() for triple in triples for node in _blanks(triple.object)}
    blank = [subject for subject in said if isinstance(subject, BlankNode)]
    # First those that nothing points at; what is left then are circles.
    for subject in sorted(blank, key=pointed_at.__contains__):
        if subject not in reached:
            reached.add(subject)
            yield subject, _description(subject, said, reached)


def _description(subject: Subject, said: dict[Subject, list[Triple]], reached: set[BlankNode]) -> list[Triple]:
    triples: list[Triple] = []
    seen: set[Subject] = {subject}
    waiting = [subject]
    while waiting:
        for triple in said.get(waiting.pop(), ()):
            triples.append(triple)
            for node in _blanks(triple.object):
                if node not in seen:
                    seen.add(node)
                    reached.add(node)
                    waiting.append(node)
    return triples


def _blanks(term: Term) -> Iterator[BlankNode]:
    if isinstance(term, BlankNode):
        yield term
    elif isinstance(term, Triple):
        for part in term:
            yield from _blanks(part)


def _name(graph: Graph, subject: Term, triples: Iterable[Triple]) -> NamedNode:
    digest = hashlib.sha256(f"{'' if isinstance(graph, DefaultGraph) else graph}\n{subject}\n".encode())
    for line in sorted(set(map(str, triples))):
        digest.update(f"{line}\n".encode())
    return TW[f"subject:{digest.hexdigest()[:_DIGITS]}"]
