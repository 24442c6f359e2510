"""Edits of one graph or many, as the Graph Store Protocol, RDF Patch and merged events ask for them.

They are planned when their turn comes, against the dataset as it is by then, and never are more than a change may have.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice

from triplewire.errors import InvalidTerm, LimitExceeded
from triplewire.rdf.events import Event
from triplewire.rdf.literals.kept import as_kept
from triplewire.rdf.terms import BlankNode, DefaultGraph, NamedNode, Quad, Term, Triple
from triplewire.rules.changes import Edits, NamedEdits, parted
from triplewire.rules.repository import Repository

GraphName = NamedNode | DefaultGraph
DEFAULT = DefaultGraph()
_DIGITS = 32


def change_too_large(most: int, found: str) -> LimitExceeded:
    """The error of a change that has more quads than allowed."""
    wanted, hint = f"a change of at most {most:,} quads", "make it in parts, or serve with a larger --change-quads"
    return LimitExceeded("change_quads", most, wanted=wanted, found=found, hint=hint)


class Collector:
    """Collects quads to delete and to insert, up to a limit."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._inserted: dict[Quad, None] = {}
        self._deleted: dict[Quad, None] = {}

    def insert(self, quads: Iterable[Quad]) -> None:
        """Ask for quads to hold."""
        for quad in quads:
            self._inserted[quad] = None
            self._check()

    def delete(self, quads: Iterable[Quad]) -> None:
        """Ask for quads to hold no longer, unless they are inserted as well."""
        for quad in quads:
            self._deleted[quad] = None
            self._check()

    @property
    def edits(self) -> Edits:
        inserted, deleted = parted(self._inserted), parted(self._deleted)
        return Edits(inserted[0], deleted[0], NamedEdits(inserted[1], deleted[1]))

    def _check(self) -> None:
        if len(self._inserted) + len(self._deleted) > self._most:
            raise change_too_large(self._most, "more")


def asserted_in(repository: Repository, graph: GraphName) -> Iterator[Quad]:
    """What is asserted in a graph: of the default graph, not what only follows."""
    if isinstance(graph, DefaultGraph):
        return (in_graph(triple, graph) for triple in repository.asserted)
    return iter(repository.store.quads_for_pattern(None, None, None, graph))


def replacing(repository: Repository, graph: GraphName, triples: Iterable[Triple], most: int) -> Edits:
    """A graph with other content; what stays is not touched."""
    wanted = {kept(in_graph(triple, graph)): None for triple in islice(triples, most + 1)}
    found = Collector(most)
    there = set()
    for quad in asserted_in(repository, graph):
        if quad in wanted:
            there.add(quad)
        else:
            found.delete([quad])
    found.insert(quad for quad in wanted if quad not in there)
    return found.edits


def patching(added: Iterable[Quad], removed: Iterable[Quad], most: int) -> Edits:
    """Quads added and removed."""
    found = Collector(most)
    found.delete(map(_checked, removed))
    found.insert(map(_checked, added))
    return found.edits


def merged(event: Event) -> list[Triple]:
    """An event's triples, its blank nodes under names of their own, which are the same each time it is merged."""
    return [_renamed(triple, event.graph) for triple in event.triples]


def in_graph(triple: Triple, graph: GraphName) -> Quad:
    """A triple in a graph."""
    return Quad(triple.subject, triple.predicate, triple.object, graph)


def kept(quad: Quad) -> Quad:
    """A quad as the living graph keeps it."""
    return Quad(quad.subject, quad.predicate, as_kept(quad.object), quad.graph_name)


def _checked(quad: Quad) -> Quad:
    if isinstance(quad.graph_name, BlankNode):
        raise InvalidTerm(wanted="an IRI as the name of a graph", found=str(quad.graph_name))
    return quad


def _renamed(triple: Triple, graph: NamedNode) -> Triple:
    subject = _blank(triple.subject, graph) if isinstance(triple.subject, BlankNode) else triple.subject
    return Triple(subject, triple.predicate, _term(triple.object, graph))


def _term(term: Term, graph: NamedNode) -> Term:
    if isinstance(term, Triple):
        return _renamed(term, graph)
    return _blank(term, graph) if isinstance(term, BlankNode) else term


def _blank(node: BlankNode, graph: NamedNode) -> BlankNode:
    return BlankNode("e" + hashlib.sha256(f"{graph.value}\0{node.value}".encode()).hexdigest()[:_DIGITS])
