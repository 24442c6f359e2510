"""What an action that a super-peer asks for comes to at a site, under privileges and with what others describe.

What an arc leads to may be described at another site. Such a resource comes with its classes, so that the site can see
that the arc conforms; they are noted beside the repository, where they trigger nothing and count as nobody's data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from triplewire.federation.sites.privileges import Privileges
from triplewire.federation.sites.requests import Classes, Execute
from triplewire.federation.sites.terms import inward, inward_delta
from triplewire.rdf.terms import Literal, NamedNode, Term, Triple
from triplewire.rules.changes import Changes, Edits
from triplewire.rules.execution.actions import ActionEdits, Planner
from triplewire.rules.graphs import Graph
from triplewire.rules.literals import triple_as_kept
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE

MOST_EDITS = 1_000_000


def planned(site: str, graph: Graph, schema: Schema, request: Execute) -> ActionEdits:
    """The edits of an action. Raises `UpdateRefused` where it cannot be done, or is not for others to do."""
    delta = None if request.delta is None else inward_delta(request.delta, site)
    edits = Planner(graph, schema, request.lets, delta, MOST_EDITS).plan(request.action)
    if request.guard is not None:
        check(graph, request.guard, edits.edits)
    return edits


def check(graph: Graph, guard: Privileges, edits: Edits) -> None:
    """Raise `UpdateRefused` if others may not write one of the triples."""
    touched = (*edits.inserted, *edits.deleted)
    guard.check(touched, {triple.subject: classes_of(graph, triple.subject) for triple in touched})


def classes_of(graph: Graph, node: Term) -> list[Term]:
    return [triple.object for triple in graph.match(node, TYPE, None)]


def as_kept(edits: Edits) -> Edits:
    """What was wanted, in the form in which a repository keeps it."""
    return Edits(_as_kept(edits.inserted), _as_kept(edits.deleted))


def described_elsewhere(site: str, classes: Classes) -> dict[Term, frozenset[NamedNode]]:
    """The classes that came with a request, for this site."""
    return {inward(node, site): known for node, known in classes.items()}


def still_described(classes: Classes, changes: Changes) -> dict[Term, frozenset[NamedNode]]:
    """Of the resources that came with their classes, those to which there are arcs now: they are to be noted."""
    targets = {triple.object for triple in changes.edits.inserted}
    return {node: known for node, known in classes.items() if node in targets}


class WithForeign:
    """A repository together with the classes of resources that other sites describe."""

    def __init__(self, graph: Graph, *classes: Classes) -> None:
        self._graph = graph
        self._classes = classes

    def match(self, subject: Term | None, predicate: NamedNode | None, target: Term | None) -> Iterator[Triple]:
        yield from self._graph.match(subject, predicate, target)
        if predicate == TYPE and subject is not None and not isinstance(subject, Literal | Triple):
            for cls in dict.fromkeys(cls for known in self._classes for cls in known.get(subject, ())):
                if target in (None, cls):
                    yield Triple(subject, TYPE, cls)

    def is_asserted(self, triple: Triple) -> bool:
        return self._graph.is_asserted(triple)

    def last_element(self, container: Term) -> int:
        return self._graph.last_element(container)


def _as_kept(triples: Iterable[Triple]) -> tuple[Triple, ...]:
    return tuple(dict.fromkeys(map(triple_as_kept, triples)))
