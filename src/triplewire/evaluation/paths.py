"""`path*`, `path+` and `path?`: pairs of nodes, each once (section 18.5, ALP).

A path is walked from the end that is bound, or from the cheaper one. A path of length zero leads from a constant to
itself, whatever the graph holds; between two variables, from each node of the graph to itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from triplewire.algebra.patterns import Variable
from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.algebra.paths import may_be_empty
from triplewire.evaluation.algebra.variables import certain
from triplewire.evaluation.datasets import Graph
from triplewire.evaluation.operators import Names, Seed
from triplewire.evaluation.work import Bindings, Work
from triplewire.languages.sparql.syntax import ast
from triplewire.rdf.terms import BlankNode, NamedNode, Quad, Term

# From a node to those at the other end; walked backwards if told so.
Walk = Callable[[Work, Term, bool], Iterator[Term]]


class PathWalk:
    """A PathPattern."""

    def __init__(self, node: nodes.PathPattern) -> None:
        self._node = node
        self._walk = walk_of(node.path)
        self._may_be_empty = may_be_empty(node.path)
        self.certain = self.variables = certain(node)

    def solve(self, work: Work, seed: Seed) -> Iterator[Bindings]:
        node = self._node
        if isinstance(node.graph, NamedNode) or node.graph != nodes.ACTIVE:
            work = work.within(node.graph)  # type: ignore[arg-type]
        start, end = term_at(node.subject, work, seed), term_at(node.object, work, seed)
        for first, last in self._pairs(work, start, end):
            solution = _bound(node.subject, first, {})
            solution = None if solution is None else _bound(node.object, last, solution)
            if solution is not None:
                yield solution

    def _pairs(self, work: Work, start: Term | None, end: Term | None) -> Iterator[tuple[Term, Term]]:
        if start is not None:
            if self._is_bound_node(work, self._node.subject, self._node.object, start):
                ends = self._walk(work, start, False)
                yield from (
                    ((start, last) for last in ends) if end is None else ((start, end) for _ in (0,) if end in ends)
                )
        elif end is not None:
            if self._is_bound_node(work, self._node.object, self._node.subject, end):
                yield from ((first, end) for first in self._walk(work, end, True))
        else:
            for node in graph_nodes(work):
                yield from ((node, last) for last in self._walk(work, node, False))

    def _is_bound_node(self, work: Work, this: nodes.Position, other: nodes.Position, term: Term) -> bool:
        """Only a constant need not be a node of the graph, nor what a constant at the other end leads to."""
        if not self._may_be_empty or not (isinstance(this, Variable) and isinstance(other, Variable)):
            return True
        return is_node(work, term)

    def cost(self, bound: Names) -> float:
        ends = (self._node.subject, self._node.object)
        known = sum(not isinstance(end, Variable) or end.name in bound for end in ends)
        return (500_000.0, 60.0, 30.0)[known]


def walk_of(path: ast.Path) -> Walk:
    """How to walk along a path. Closures give each end once; other paths may give one several times."""
    if isinstance(path, NamedNode):
        return _along(path)
    if isinstance(path, ast.NegatedSet):
        return _along_others(path)
    if isinstance(path, ast.Inverse):
        inner = walk_of(path.path)
        return lambda work, node, backward: inner(work, node, not backward)
    if isinstance(path, ast.Sequence):
        return _in_turn([walk_of(step) for step in path.steps])
    if isinstance(path, ast.Alternative):
        choices = [walk_of(choice) for choice in path.choices]
        return lambda work, node, backward: (end for choice in choices for end in choice(work, node, backward))
    return _closure(walk_of(path.path), path)


def _closure(inner: Walk, path: nodes.Closure) -> Walk:
    if isinstance(path, ast.ZeroOrOne):
        return lambda work, node, backward: iter(dict.fromkeys((node, *inner(work, node, backward))))
    starts_here = isinstance(path, ast.ZeroOrMore)

    def walk(work: Work, node: Term, backward: bool) -> Iterator[Term]:
        reached: dict[Term, None] = {node: None} if starts_here else {}
        waiting = [node]
        if starts_here:
            yield node
        while waiting:
            for end in inner(work, waiting.pop(), backward):
                if end not in reached:
                    reached[end] = None
                    waiting.append(end)
                    yield end

    return walk


def _in_turn(walks: list[Walk]) -> Walk:
    def walk(work: Work, node: Term, backward: bool) -> Iterator[Term]:
        ends: Iterator[Term] = iter((node,))
        for step in reversed(walks) if backward else walks:
            ends = _onward(work, step, ends, backward)
        return ends

    return walk


def _onward(work: Work, step: Walk, starts: Iterator[Term], backward: bool) -> Iterator[Term]:
    for start in starts:
        yield from step(work, start, backward)


def _along(predicate: NamedNode) -> Walk:
    def walk(work: Work, node: Term, backward: bool) -> Iterator[Term]:
        return (quad[0] if backward else quad[2] for quad in _quads(work, node, predicate, backward))

    return walk


def _along_others(path: ast.NegatedSet) -> Walk:
    goes_forward = bool(path.forward) or not path.backward

    def walk(work: Work, node: Term, backward: bool) -> Iterator[Term]:
        if goes_forward:
            yield from _ends(work, node, path.forward, backward)
        if path.backward:
            yield from _ends(work, node, path.backward, not backward)

    return walk


def _ends(work: Work, node: Term, excluded: tuple[NamedNode, ...], backward: bool) -> Iterator[Term]:
    for quad in _quads(work, node, None, backward):
        if quad[1] not in excluded:
            yield quad[0] if backward else quad[2]


def _quads(work: Work, node: Term, predicate: NamedNode | None, backward: bool) -> Iterator[Quad]:
    if not backward and not isinstance(node, NamedNode | BlankNode):
        return
    budget, graph = work.budget, work.graph
    found = (
        work.dataset.match(None, predicate, node, graph)
        if backward
        else work.dataset.match(node, predicate, None, graph)
    )
    for quad in found:
        budget.left -= 1
        if budget.left < 0:
            budget.exceed()
        yield quad


def graph_nodes(work: Work) -> list[Term]:
    """The subjects and objects of the active graph, each once."""
    found: dict[Term, None] = {}
    for quad in work.dataset.match(None, None, None, work.graph):
        work.budget.spend()
        found[quad[0]] = found[quad[2]] = None
    return list(found)


def is_node(work: Work, term: Term, graph: Graph | None = None) -> bool:
    """Whether a term is a subject or an object of the active graph."""
    work.budget.spend()
    graph = work.graph if graph is None else graph
    match = work.dataset.match
    if isinstance(term, NamedNode | BlankNode) and any(True for _ in match(term, None, None, graph)):
        return True
    return any(True for _ in match(None, None, term, graph))


def term_at(position: nodes.Position, work: Work, seed: Seed) -> Term | None:
    """What stands in a place of a pattern; None if that is not known yet."""
    if isinstance(position, Variable):
        return seed.get(position.name)
    return work.constants[position.number] if isinstance(position, nodes.Parameter) else position


def _bound(position: nodes.Position, term: Term, solution: Bindings) -> Bindings | None:
    if not isinstance(position, Variable):
        return solution  # the pair was walked from it, or to it
    return solution if solution.setdefault(position.name, term) == term else None
