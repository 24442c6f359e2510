"""Datasets of a change: the quads that it added or removed, the state before it, and both states at once.

They are seen from the state after the change, and nothing is copied.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain, islice

from triplewire.evaluation.datasets import DEFAULT_GRAPH, Dataset, Graph, GraphName
from triplewire.rdf.terms import DefaultGraph, Quad, Term

# Fewer than these are looked through one by one.
_FEW = 16
# So many small answers are remembered.
_MOST_KNOWN = 4_096


class QuadSet:
    """Some quads, as a dataset of their own; made for the few that a change has."""

    __slots__ = ("_by_term", "_quads", "members")

    def __init__(self, quads: Iterable[Quad] = ()) -> None:
        self._quads = tuple(dict.fromkeys(quads))
        self.members = frozenset(self._quads)
        self._by_term: dict[tuple[int, Term], list[Quad]] | None = None

    def __len__(self) -> int:
        return len(self._quads)

    def __contains__(self, quad: object) -> bool:
        return quad in self.members

    def __iter__(self) -> Iterator[Quad]:
        return iter(self._quads)

    def match(
        self, subject: Term | None, predicate: Term | None, obj: Term | None, graph: Graph | None
    ) -> Iterable[Quad]:
        if not self._quads:
            return ()
        return [quad for quad in self._near(subject, predicate, obj) if _fits(quad, subject, predicate, obj, graph)]

    def named_graphs(self) -> Iterable[GraphName]:
        return dict.fromkeys(quad.graph_name for quad in self._quads if not isinstance(quad.graph_name, DefaultGraph))

    def _near(self, subject: Term | None, predicate: Term | None, obj: Term | None) -> Collection[Quad]:
        """All, or those with one of the terms."""
        if len(self._quads) < _FEW:
            return self._quads
        if self._by_term is None:
            self._by_term = self._indexed()
        for place, term in ((0, subject), (2, obj), (1, predicate)):
            if term is not None:
                return self._by_term.get((place, term), ())
        return self._quads

    def _indexed(self) -> dict[tuple[int, Term], list[Quad]]:
        found: dict[tuple[int, Term], list[Quad]] = {}
        for quad in self._quads:
            for place, term in enumerate((quad.subject, quad.predicate, quad.object)):
                found.setdefault((place, term), []).append(quad)
        return found


def _fits(quad: Quad, subject: Term | None, predicate: Term | None, obj: Term | None, graph: Graph | None) -> bool:
    return (
        (subject is None or quad.subject == subject)
        and (predicate is None or quad.predicate == predicate)
        and (obj is None or quad.object == obj)
        and (quad.graph_name != DEFAULT_GRAPH if graph is None else quad.graph_name == graph)
    )


class Remembered:
    """A dataset that is asked the same again and again: small answers are kept. It must not change meanwhile."""

    __slots__ = ("_known", "_match", "named_graphs")

    def __init__(self, dataset: Dataset) -> None:
        self._match = dataset.match
        self._known: dict[tuple[Term | None, Term | None, Term | None, Graph | None], tuple[Quad, ...]] = {}
        self.named_graphs = dataset.named_graphs

    def match(
        self, subject: Term | None, predicate: Term | None, obj: Term | None, graph: Graph | None
    ) -> Iterable[Quad]:
        pattern = (subject, predicate, obj, graph)
        known = self._known.get(pattern)
        if known is not None:
            return known
        quads = iter(self._match(subject, predicate, obj, graph))
        first = tuple(islice(quads, _FEW))
        if len(first) == _FEW:
            return chain(first, quads)
        if len(self._known) < _MOST_KNOWN:
            self._known[pattern] = first
        return first


class Before:
    """The state before a change, seen from the state after it."""

    __slots__ = ("_added", "_after", "_removed")

    def __init__(self, after: Dataset, added: QuadSet, removed: QuadSet) -> None:
        self._after = after
        self._added = added.members
        self._removed = removed

    def match(
        self, subject: Term | None, predicate: Term | None, obj: Term | None, graph: Graph | None
    ) -> Iterator[Quad]:
        added = self._added
        for quad in self._after.match(subject, predicate, obj, graph):
            if quad not in added:
                yield quad
        yield from self._removed.match(subject, predicate, obj, graph)

    def named_graphs(self) -> Iterable[GraphName]:
        names = dict.fromkeys((*self._after.named_graphs(), *self._removed.named_graphs()))
        return (name for name in names if any(True for _ in self.match(None, None, None, name)))


class Either:
    """What holds after a change, together with what it removed: whatever is true before or after is true here."""

    __slots__ = ("_after", "_removed")

    def __init__(self, after: Dataset, removed: QuadSet) -> None:
        self._after = after
        self._removed = removed

    def match(
        self, subject: Term | None, predicate: Term | None, obj: Term | None, graph: Graph | None
    ) -> Iterator[Quad]:
        yield from self._after.match(subject, predicate, obj, graph)
        yield from self._removed.match(subject, predicate, obj, graph)

    def named_graphs(self) -> Iterable[GraphName]:
        return dict.fromkeys((*self._after.named_graphs(), *self._removed.named_graphs()))
