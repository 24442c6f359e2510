"""From a changed quad to the views that it may touch."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, TypeVar

from triplewire.algebra.patterns import Variable
from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.algebra.paths import may_be_empty, steps_of
from triplewire.evaluation.datasets import DEFAULT_GRAPH, Graph, Selected
from triplewire.evaluation.work import Work
from triplewire.rdf.terms import DefaultGraph, NamedNode, Quad
from triplewire.views.index.members import Search, ShapeMembers
from triplewire.views.index.shapes import Constants, Shape
from triplewire.views.maintenance.leaves import Leaf

M = TypeVar("M", bound=Hashable)
# A graph or None for any named graph, and a predicate or None for any.
Address = tuple[Graph | None, NamedNode | None]


class TouchIndex(Generic[M]):
    """Shapes by what their leaves look at."""

    def __init__(self) -> None:
        self._shapes: dict[Shape, ShapeMembers[M]] = {}
        self._leaves: dict[Address, dict[tuple[int, int], tuple[ShapeMembers[M], int]]] = {}

    @property
    def shapes(self) -> int:
        return len(self._shapes)

    def members(self, shape: Shape) -> int:
        """How many views have the shape."""
        return len(self._shapes[shape])

    def add(self, member: M, shape: Shape, constants: Constants) -> None:
        members = self._shapes.get(shape)
        if members is None:
            members = self._shapes[shape] = ShapeMembers(shape)
            for number, leaf in enumerate(shape.leaves):
                for address in addresses(shape, leaf):
                    self._leaves.setdefault(address, {})[id(members), number] = (members, number)
        members.add(member, constants)

    def remove(self, member: M, shape: Shape) -> None:
        members = self._shapes[shape]
        members.remove(member)
        if len(members):
            return
        del self._shapes[shape]
        for number, leaf in enumerate(shape.leaves):
            for address in addresses(shape, leaf):
                found = self._leaves.get(address, {})
                found.pop((id(members), number), None)
                if not found:
                    self._leaves.pop(address, None)

    def touched(self, quad: Quad, search: Search) -> Iterable[M]:
        """Every view that the quad may touch, each once."""
        graph, predicate = quad.graph_name, quad.predicate
        found: dict[M, None] = {}
        seen: set[tuple[int, int]] = set()
        for address in _looked_up(graph, predicate):
            for key, (members, number) in self._leaves.get(address, {}).items():
                if key not in seen:
                    seen.add(key)
                    found.update(dict.fromkeys(_touched(members, number, quad, search)))
        return found


def _touched(members: ShapeMembers[M], number: int, quad: Quad, search: Search) -> Iterator[M]:
    shape, work = members.shape, search.work
    if not shape.default_graphs and not shape.named_graphs:
        yield from members.touched(number, quad, search)
        return
    selected = Selected(work.dataset, shape.default_graphs, shape.named_graphs)
    chosen = Search(Work(selected, work.budget, work.moment))
    if quad.graph_name in shape.named_graphs:
        yield from members.touched(number, quad, chosen)
    if quad.graph_name in shape.default_graphs:
        merged = Quad(quad.subject, quad.predicate, quad.object, DEFAULT_GRAPH)
        yield from members.touched(number, merged, chosen)


def _looked_up(graph: Graph, predicate: NamedNode) -> tuple[Address, ...]:
    if isinstance(graph, DefaultGraph):
        return (graph, predicate), (graph, None)
    return (graph, predicate), (graph, None), (None, predicate), (None, None)


def addresses(shape: Shape, leaf: Leaf) -> list[Address]:
    """Where a leaf is filed."""
    return [(graph, predicate) for graph in _graphs(shape, leaf.pattern) for predicate in _predicates(leaf.pattern)]


def _graphs(shape: Shape, pattern: nodes.Leaf | nodes.GraphEach) -> list[Graph | None]:
    graph: Graph | None = None
    if isinstance(pattern, nodes.GraphExists):
        graph = pattern.name
    elif not isinstance(pattern, nodes.GraphEach) and isinstance(pattern.graph, DefaultGraph | NamedNode):
        graph = pattern.graph
    if not shape.default_graphs and not shape.named_graphs:
        return [graph]
    if isinstance(graph, DefaultGraph):
        return list(shape.default_graphs)
    return [name for name in shape.named_graphs if graph is None or name == graph]


def _predicates(pattern: nodes.Leaf | nodes.GraphEach) -> list[NamedNode | None]:
    if isinstance(pattern, nodes.QuadPattern):
        return [None if isinstance(pattern.predicate, Variable) else pattern.predicate]
    if not isinstance(pattern, nodes.PathPattern):
        return [None]
    ends = (pattern.subject, pattern.object)
    if may_be_empty(pattern.path) and not any(isinstance(e, Variable) and e.name.startswith("$") for e in ends):
        return [None]
    predicates = dict.fromkeys(step.predicate for step in steps_of(pattern.path))
    return [None] if None in predicates else list(predicates)
