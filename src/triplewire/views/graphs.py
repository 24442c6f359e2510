"""The dataset that is asked: a default graph and named graphs, as quads that are matched.

An evaluator declares the little that it needs of a store (`Dataset`), so that the same code runs over the living graph,
over its state before a change (`Before`), over both at once (`Either`) and over the graphs that a query names
(`Selected`). A named graph exists if it holds a quad.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain, islice
from typing import Protocol

from pyoxigraph import Store

from triplewire.rdf.terms import BlankNode, DefaultGraph, NamedNode, Quad, Term

Graph = NamedNode | BlankNode | DefaultGraph
GraphName = NamedNode | BlankNode

DEFAULT_GRAPH = DefaultGraph()
# Fewer than these are looked through one by one.
_FEW = 16
# So many small answers are remembered.
_MOST_KNOWN = 4_096


class Dataset(Protocol):
    """What an evaluator needs. It must not change while an evaluation is under way."""

    def match(
        self, subject: Term | None, predicate: Term | None, obj: Term | None, graph: Graph | None
    ) -> Iterable[Quad]:
        """The quads with these terms, each once, None being any. The graph None is any named graph."""
        ...

    def named_graphs(self) -> Iterable[GraphName]:
        """The names of the graphs that hold something."""
        ...


class OxigraphDataset:
    """What an Oxigraph store holds."""

    __slots__ = ("_quads", "_store")

    def __init__(self, store: Store) -> None:
        self._store = store
        self._quads = store.quads_for_pattern

    def match(
        self, subject: Term | None, predicate: Term | None, obj: Term | None, graph: Graph | None
    ) -> Iterable[Quad]:
        found: Iterable[Quad] = self._quads(subject, predicate, obj, graph)  # type: ignore[arg-type]
        return found if graph is not None else (quad for quad in found if quad.graph_name != DEFAULT_GRAPH)

    def named_graphs(self) -> Iterable[GraphName]:
        # Oxigraph remembers graphs that have become empty.
        return (name for name in self._store.named_graphs() if any(True for _ in self._quads(None, None, None, name)))


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


class Selected:
    """The graphs that FROM and FROM NAMED name. The default graph is the merge of the first: each triple once."""

    __slots__ = ("_dataset", "_default", "_named")

    def __init__(self, dataset: Dataset, default: Iterable[NamedNode], named: Iterable[NamedNode]) -> None:
        self._dataset = dataset
        self._default = tuple(dict.fromkeys(default))
        self._named = tuple(dict.fromkeys(named))

    def match(
        self, subject: Term | None, predicate: Term | None, obj: Term | None, graph: Graph | None
    ) -> Iterable[Quad]:
        match = self._dataset.match
        if isinstance(graph, DefaultGraph):
            return self._merged(subject, predicate, obj)
        if graph is None:
            return (quad for name in self._named for quad in match(subject, predicate, obj, name))
        return match(subject, predicate, obj, graph) if graph in self._named else ()

    def _merged(self, subject: Term | None, predicate: Term | None, obj: Term | None) -> Iterator[Quad]:
        seen: set[object] = set()
        for name in self._default:
            for quad in self._dataset.match(subject, predicate, obj, name):
                if quad.triple not in seen:
                    seen.add(quad.triple)
                    yield quad

    def named_graphs(self) -> Iterable[GraphName]:
        match = self._dataset.match
        return (name for name in self._named if any(True for _ in match(None, None, None, name)))


def has_graph(dataset: Dataset, name: Graph) -> bool:
    """Whether a named graph exists."""
    return any(True for _ in dataset.match(None, None, None, name))
