"""Patterns of one quad, tables, and whether a graph exists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from triplewire.algebra.patterns import Variable
from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.algebra.variables import certain, possible
from triplewire.evaluation.datasets import Graph, has_graph
from triplewire.evaluation.operators import Names, Seed, compatible
from triplewire.evaluation.work import Bindings, Work
from triplewire.rdf.terms import RDF, DefaultGraph, Literal, NamedNode, Quad, Term, Triple

_TYPE = RDF["type"]
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

    __slots__ = (
        "_constants",
        "_excluded",
        "_is_active",
        "_parameters",
        "_repeats",
        "_variables",
        "certain",
        "variables",
    )

    def __init__(self, node: nodes.QuadPattern | nodes.NegatedPattern) -> None:
        predicate = None if isinstance(node, nodes.NegatedPattern) else node.predicate
        graph = None if node.graph is nodes.ACTIVE else node.graph
        terms = (node.subject, predicate, node.object, graph)
        self._constants = tuple(None if isinstance(term, Variable) else term for term in terms)
        self._variables = tuple((place, term.name) for place, term in enumerate(terms) if isinstance(term, Variable))
        self._parameters = tuple(
            (place, term.number) for place, term in enumerate(terms) if isinstance(term, nodes.Parameter)
        )
        self._is_active = node.graph is nodes.ACTIVE
        self._excluded = frozenset(node.excluded) if isinstance(node, nodes.NegatedPattern) else None
        self.certain = self.variables = certain(node)
        self._repeats = len(self._variables) > len(self.variables)

    def solve(self, work: Work, seed: Seed) -> Iterator[Bindings]:
        """One solution for each quad."""
        return self.extensions(work, {name: seed[name] for name in self.variables if name in seed})

    def extensions(self, work: Work, found: Bindings) -> Iterator[Bindings]:
        """What was found so far, together with what each matching quad binds."""
        free: list[tuple[int, str]] = []
        wanted: list[Any] = [*self._constants]
        for place, number in self._parameters:
            wanted[place] = work.constants[number]
        for place, name in self._variables:
            term = found.get(name)
            if term is None:
                free.append((place, name))
            else:
                wanted[place] = term
        subject, predicate, obj, graph = wanted
        if isinstance(subject, Literal | Triple) or not isinstance(predicate, NamedNode | None):
            return
        if self._is_active:
            graph = work.graph
        elif isinstance(graph, Literal | Triple):
            return
        budget, excluded = work.budget, self._excluded
        for quad in work.dataset.match(subject, predicate, obj, graph):
            budget.left -= 1
            if budget.left < 0:
                budget.exceed()
            if excluded is not None and quad[1] in excluded:
                continue
            solution = self._bound(quad, free, found)
            if solution is not None:
                yield solution

    def _bound(self, quad: Quad, free: list[tuple[int, str]], found: Bindings) -> Bindings | None:
        solution = found.copy()
        if not self._repeats:
            for place, name in free:
                solution[name] = quad[place]
            return solution
        for place, name in free:
            term = quad[place]
            if solution.setdefault(name, term) != term:
                return None
        return solution

    def unified(self, quad: Quad, active: Graph, constants: tuple[Term, ...] = ()) -> Bindings | None:
        """What the variables are if the pattern is to match this quad; None if it cannot."""
        if self._is_active and quad[3] != active:
            return None
        if self._excluded is not None and quad[1] in self._excluded:
            return None
        for place, constant in enumerate(self._constants):
            wanted = constants[constant.number] if isinstance(constant, nodes.Parameter) else constant
            if wanted is not None and wanted != quad[place]:
                return None
        solution: Bindings = {}
        for place, name in self._variables:
            term = quad[place]
            if isinstance(term, DefaultGraph) or solution.setdefault(name, term) != term:
                return None
        return solution

    def cost(self, bound: Names) -> float:
        known = {place for place, name in self._variables if name in bound}
        has = [place in known or self._constants[place] is not None for place in range(3)]
        if not has[0] and self._constants[1] == _TYPE and has[2]:
            return _MEMBERS
        return _COSTS[has[0], has[1], has[2]]


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
