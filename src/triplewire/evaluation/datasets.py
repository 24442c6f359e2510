"""The dataset that is asked: a default graph and named graphs, as quads that are matched.

An evaluator declares the little that it needs of a store (`Dataset`), so that the same code runs over the living graph
(`OxigraphDataset`), over the graphs that a query names (`Selected`), over its state before a change
(`triplewire.views`) and over one event (`triplewire.matching`). A named graph exists if it holds a quad.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from msgspec import Struct
from pyoxigraph import Store

from triplewire.algebra.constraints import TaxonomyRelation
from triplewire.rdf.literals.kept import as_kept
from triplewire.rdf.terms import BlankNode, DefaultGraph, NamedNode, Quad, Term

Graph = NamedNode | BlankNode | DefaultGraph
GraphName = NamedNode | BlankNode

DEFAULT_GRAPH = DefaultGraph()


class Dataset(Protocol):
    """What an evaluator needs. It must not change while an evaluation is under way."""

    def match(
        self, subject: Term | None, predicate: Term | None, obj: Term | None, graph: Graph | None
    ) -> Iterable[Quad]:
        """The quads with these terms, each once, None being any. The graph None is any named graph.

        A query that is no DESCRIBE and has no FROM looks at the terms of a quad by their places only.
        """
        ...

    def named_graphs(self) -> Iterable[GraphName]:
        """The names of the graphs that hold something."""
        ...


Holds = Callable[[Any, TaxonomyRelation, Term, Term], bool]


class DatasetKind(Struct, frozen=True):
    """What has to be known of a dataset before a query is compiled for it.

    `kept` is the form in which it keeps a literal. `holds` is what it knows of a taxonomy; it gets the dataset first.
    """

    kept: Callable[[Term], Term] = as_kept
    holds: Holds | None = None


# Oxigraph's store keeps literals by their value, and knows no taxonomy.
LIVING = DatasetKind()


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
