"""Containers: where a list ends, so that `seq++` can append to it.

The end of a list is kept once it was asked for: counting ten thousand elements for each that is appended would make
the longest lists the slowest.
"""

from __future__ import annotations

from triplewire.errors import UpdateRefused
from triplewire.rdf.terms import NamedNode, Term
from triplewire.rules.changes import Changes
from triplewire.rules.graphs import Graph
from triplewire.rules.vocabulary import CONTAINERS, TYPE, member, number_of

_KEPT = 100_000


class Endings:
    """The next membership property of each container; asking twice gives the two that follow."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._last: dict[Term, int] = {}

    def next(self, container: Term) -> NamedNode:
        """The membership property after the highest that the container has."""
        if container not in self._last:
            self._last[container] = self._highest(container)
        self._last[container] += 1
        return member(self._last[container])

    def _highest(self, container: Term) -> int:
        classes = {triple.object for triple in self._graph.match(container, TYPE, None)}
        if classes.isdisjoint(CONTAINERS):
            raise UpdateRefused(wanted="a container (rdf:Bag, rdf:Seq or rdf:Alt) for seq++", found=str(container))
        return self._graph.last_element(container)


class LastElements:
    """The highest number in each container of a graph that was asked for, kept right through changes."""

    def __init__(self) -> None:
        self._known: dict[Term, int] = {}

    def of(self, container: Term, graph: Graph) -> int:
        """The highest number in the container, 0 if it is empty."""
        known = self._known.get(container)
        if known is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            known = self._known[container] = highest(container, graph)
        return known

    def follow(self, changes: Changes) -> None:
        """The graph has changed."""
        if not self._known:
            return
        for triple in changes.deleted:
            if triple.subject in self._known and number_of(triple.predicate) is not None:
                del self._known[triple.subject]
        for triple in changes.inserted:
            known = self._known.get(triple.subject)
            if known is not None:
                self._known[triple.subject] = max(known, number_of(triple.predicate) or 0)


def highest(container: Term, graph: Graph) -> int:
    """The highest number in the container, 0 if it is empty, by counting."""
    numbers = (number_of(triple.predicate) for triple in graph.match(container, None, None))
    return max((number for number in numbers if number is not None), default=0)
