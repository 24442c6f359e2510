"""Patterns of one quad, tables, and whether a graph exists."""

from __future__ import annotations

from collections.abc import Iterator

from triplewire.algebra.patterns import Variable
from triplewire.rdf.terms import RDF, BlankNode, DefaultGraph, Literal, NamedNode, Quad, Term
from triplewire.views.algebra import nodes
from triplewire.views.algebra.variables import certain, possible
from triplewire.views.evaluation.operators import Names, Seed, compatible
from triplewire.views.evaluation.work import Bindings, Work
from triplewire.views.graphs import Graph, has_graph

_TYPE = RDF["type"]
_PLACES = ("subject", "predicate", "object", "graph_name")
# About how many quads are found, by what is bound: subject, predicate, object. A class has more members than other
# values.
_COSTS: dict[tuple[bool, bool, bool], float] = {
    (True, True, True): 0.5,
    (True, False, True): 1.0,
    (True, True, False): 2.0,
    (True, False, False): 8.0,
    (False, True, True): 20.0,
    (False, False, True): 40.0,
    (False, True, False): 50_000.0,
    (False, False, False): 1_000_000.0,
}
_MEMBERS = 2_000.0


class QuadMatch:
    """A QuadPattern, or a NegatedPattern if some predicates are excluded."""

    __slots__ = ("_constants", "_excluded", "_graph", "_names", "_repeats", "certain", "variables")

    def __init__(self, node: nodes.QuadPattern | nodes.NegatedPattern) -> None:
        negated = isinstance(node, nodes.NegatedPattern)
        terms = (node.subject, None if negated else node.predicate, node.object)  # type: ignore[union-attr]
        self._names = tuple(term.name if isinstance(term, Variable) else None for term in terms)
        self._constants = tuple(None if isinstance(term, Variable) else term for term in terms)
        self._excluded = frozenset(node.excluded) if isinstance(node, nodes.NegatedPattern) else None
        self._graph = node.graph
        self.certain = self.variables = certain(node)
        named = [
            *(name for name in self._names if name),
            *([node.graph.name] if isinstance(node.graph, Variable) else []),
        ]
        self._repeats = len(named) > len(set(named))

    def solve(self, work: Work, seed: Seed) -> Iterator[Bindings]:
        """One solution for each quad."""
        names = self._names
        subject, predicate, obj = self._constants
        free: list[tuple[int, str]] = []
        for place, name in enumerate(names):
            if name is None:
                continue
            term = seed.get(name)
            if term is None:
                free.append((place, name))
            elif place == 0:
                subject = term
            elif place == 1:
                predicate = term
            else:
                obj = term
        if isinstance(subject, Literal) or (predicate is not None and not isinstance(predicate, NamedNode)):
            return
        graph = self._graph_in(work, seed)
        if graph is _NO_GRAPH:
            return
        bound = {name: seed[name] for name in self.variables if name in seed}
        yield from self._matches(work, (subject, predicate, obj, graph), free, bound)

    def _graph_in(self, work: Work, seed: Seed) -> Graph | None:
        graph = self._graph
        if isinstance(graph, DefaultGraph | NamedNode):
            return graph
        if not isinstance(graph, Variable):
            return work.graph
        term = seed.get(graph.name)
        return term if term is None or isinstance(term, NamedNode | BlankNode) else _NO_GRAPH

    def _matches(
        self,
        work: Work,
        wanted: tuple[Term | None, Term | None, Term | None, Graph | None],
        free: list[tuple[int, str]],
        bound: Bindings,
    ) -> Iterator[Bindings]:
        budget, excluded = work.budget, self._excluded
        if wanted[3] is None:
            assert isinstance(self._graph, Variable)
            free.append((3, self._graph.name))
        for quad in work.dataset.match(*wanted):
            budget.left -= 1
            if budget.left < 0:
                budget.exceed()
            if excluded is not None and quad.predicate in excluded:
                continue
            solution = self._bound(quad, free, bound)
            if solution is not None:
                yield solution

    def _bound(self, quad: Quad, free: list[tuple[int, str]], bound: Bindings) -> Bindings | None:
        solution = bound.copy()
        if not self._repeats:
            for place, name in free:
                solution[name] = quad[place]
            return solution
        for place, name in free:
            term = quad[place]
            if solution.setdefault(name, term) != term:
                return None
        return solution

    def unified(self, quad: Quad, active: Graph) -> Bindings | None:
        """What the variables are if the pattern is to match this quad; None if it cannot."""
        graph = self._graph
        if isinstance(graph, Variable):
            if isinstance(quad.graph_name, DefaultGraph):
                return None
        elif quad.graph_name != (graph if isinstance(graph, DefaultGraph | NamedNode) else active):
            return None
        if self._excluded is not None and quad.predicate in self._excluded:
            return None
        solution: Bindings = {}
        for place, (constant, name) in enumerate(zip(self._constants, self._names, strict=True)):
            term = quad[place]
            if name is not None:
                if solution.setdefault(name, term) != term:
                    return None
            elif constant is not None and constant != term:
                return None
        if isinstance(graph, Variable) and solution.setdefault(graph.name, quad.graph_name) != quad.graph_name:  # type: ignore[arg-type]
            return None
        return solution

    def cost(self, bound: Names) -> float:
        has = [
            constant is not None or name in bound for constant, name in zip(self._constants, self._names, strict=True)
        ]
        if not has[0] and self._constants[1] == _TYPE and has[2]:
            return _MEMBERS
        return _COSTS[has[0], has[1], has[2]]


# A graph name that no graph can have: a literal, or a triple.
_NO_GRAPH = NamedNode("urn:triplewire:no-graph")


class TableScan:
    """VALUES."""

    def __init__(self, node: nodes.Table) -> None:
        names = [variable.name for variable in node.variables]
        self._rows: list[Bindings] = [
            {name: cell for name, cell in zip(names, row, strict=True) if cell is not None} for row in node.rows
        ]
        self.variables, self.certain = possible(node), certain(node)

    def solve(self, work: Work, seed: Seed) -> Iterator[Bindings]:
        for row in self._rows:
            work.budget.spend()
            if compatible(row, seed):
                yield row.copy()

    def cost(self, bound: Names) -> float:
        return float(len(self._rows)) / (4 if bound & self.variables else 1)


class GraphTest:
    """Whether a named graph exists."""

    def __init__(self, node: nodes.GraphExists) -> None:
        self._name = node.name
        self.variables: Names = frozenset()
        self.certain = self.variables

    def solve(self, work: Work, seed: Seed) -> Iterator[Bindings]:
        work.budget.spend()
        if has_graph(work.dataset, self._name):
            yield {}

    def cost(self, bound: Names) -> float:
        return 0.1
