"""Which quads a solution stands on: one derivation of it.

Found afterwards, by following the solution through the algebra, so that an evaluation that nobody asks why costs
nothing more. What is not there (MINUS, NOT EXISTS, an OPTIONAL without a match) is no quad, and says nothing. A group
stands on all of its members, up to a limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.trees import walk
from triplewire.rdf.terms import BlankNode, NamedNode, Quad, Term
from triplewire.views.algebra import nodes
from triplewire.views.algebra.nodes import Node
from triplewire.views.evaluation.compilation import Compilation
from triplewire.views.evaluation.operators import Operator, restricted
from triplewire.views.evaluation.path_edges import edges_between
from triplewire.views.evaluation.paths import term_at
from triplewire.views.evaluation.work import Bindings, Work

MOST_QUADS = 1_000


class Provenance:
    """Finds derivations of the solutions of one query; operators are compiled when they are first needed."""

    def __init__(self) -> None:
        self._compilation = Compilation()
        self._operators: dict[int, tuple[Node, Operator]] = {}

    def solutions(self, node: Node, work: Work, seed: Bindings) -> Iterator[Bindings]:
        """The solutions of a node that are compatible with a seed."""
        return self._operator(node).solve(work, seed)

    def quads(self, node: Node, solution: Bindings, work: Work) -> tuple[Quad, ...]:
        """The quads of one derivation, each once, in the order of the text."""
        found: dict[Quad, None] = {}
        for quad in self._derived(node, solution, work):
            found[quad] = None
            if len(found) >= MOST_QUADS:
                break
        return tuple(found)

    def _derived(self, node: Node, solution: Bindings, work: Work) -> Iterator[Quad]:
        if isinstance(node, nodes.QuadPattern | nodes.NegatedPattern):
            yield from _matched(node, solution, work)
        elif isinstance(node, nodes.PathPattern):
            yield from _along(node, solution, work)
        elif isinstance(node, nodes.GraphExists):
            yield from islice(work.dataset.match(None, None, None, node.name), 1)
        elif isinstance(node, nodes.Join):
            for part in node.parts:
                yield from self._derived(part, self._part(part, solution, work), work)
        elif isinstance(node, nodes.Union):
            yield from self._of_union(node, solution, work)
        elif isinstance(node, nodes.LeftJoin):
            yield from self._of_optional(node, solution, work)
        elif isinstance(node, nodes.Group):
            yield from self._of_group(node, solution, work)
        elif not isinstance(node, nodes.Table):
            yield from self._of_wrapper(node, solution, work)

    def _of_wrapper(self, node: Node, solution: Bindings, work: Work) -> Iterator[Quad]:
        if isinstance(node, nodes.Minus):
            yield from self._derived(node.left, solution, work)
        elif isinstance(node, nodes.Project):
            yield from self._of_projection(node, solution, work)
        elif isinstance(node, nodes.GraphEach):
            graph = solution.get(node.name.name)
            assert isinstance(graph, NamedNode | BlankNode)
            inside = work.within(graph)
            yield from self._derived(node.inner, self._part(node.inner, solution, inside), inside)
        else:
            assert isinstance(node, nodes.Filter | nodes.Extend | nodes.OrderBy | nodes.Distinct | nodes.Slice)
            yield from self._derived(node.inner, self._part(node.inner, solution, work), work)
            if isinstance(node, nodes.Filter | nodes.Extend):
                expressions = node.conditions if isinstance(node, nodes.Filter) else node.expression
                yield from self._witnesses(expressions, solution, work)

    def _of_projection(self, node: nodes.Project, solution: Bindings, work: Work) -> Iterator[Quad]:
        names = [variable.name for variable in node.variables]
        for inner in self._operator(node.inner).solve(work, solution):
            if {name: inner[name] for name in names if name in inner} == solution:
                yield from self._derived(node.inner, inner, work)
                return

    def _of_union(self, node: nodes.Union, solution: Bindings, work: Work) -> Iterator[Quad]:
        for branch in node.branches:
            if solution in self._operator(branch).solve(work, solution):
                yield from self._derived(branch, solution, work)
                return

    def _of_optional(self, node: nodes.LeftJoin, solution: Bindings, work: Work) -> Iterator[Quad]:
        """The right side is that of the solution if the two make it up together."""
        left = self._part(node.left, solution, work)
        yield from self._derived(node.left, left, work)
        for right in self._operator(node.right).solve(work, {**work.outer, **solution}):
            if {**left, **right} == solution:
                yield from self._derived(node.right, right, work)
                return

    def _of_group(self, node: nodes.Group, solution: Bindings, work: Work) -> Iterator[Quad]:
        keys = [(name.name, self._compilation.expressions.term(key)) for name, key in node.keys]
        plain = restricted(solution, frozenset(name.name for name, key in node.keys if name == key))
        for member in self._operator(node.inner).solve(work, plain):
            if all(key(member, work) == solution.get(name) for name, key in keys):
                yield from self._derived(node.inner, member, work)

    def _witnesses(self, expressions: object, solution: Bindings, work: Work) -> Iterator[Quad]:
        """What satisfies each EXISTS that is not negated."""
        outer = {**work.outer, **solution}
        inside = work.around(outer)
        for exists in walk(expressions, closed=(ast.Not, nodes.Exists)):
            if isinstance(exists, nodes.Exists):
                for witness in islice(self._operator(exists.pattern).solve(inside, outer), 1):
                    yield from self._derived(exists.pattern, witness, inside)

    def _part(self, node: Node, solution: Bindings, work: Work) -> Bindings:
        """The solution of a part of which one of the whole was made: of those within it, the one that says most."""
        operator = self._operator(node)
        known = restricted(solution, operator.variables)
        if operator.certain == operator.variables:
            return known
        within = [found for found in operator.solve(work, known) if found.items() <= known.items()]
        return max(within, key=len, default=known)

    def _operator(self, node: Node) -> Operator:
        # By identity: to hash a tree takes longer than to find it.
        found = self._operators.get(id(node))
        if found is None:
            found = self._operators[id(node)] = (node, self._compilation.operator(node))
        return found[1]


def _matched(node: nodes.QuadPattern | nodes.NegatedPattern, solution: Bindings, work: Work) -> Iterator[Quad]:
    predicate = None if isinstance(node, nodes.NegatedPattern) else term_at(node.predicate, work, solution)
    subject, obj = term_at(node.subject, work, solution), term_at(node.object, work, solution)
    excluded = node.excluded if isinstance(node, nodes.NegatedPattern) else ()
    graph = work.graph if node.graph is nodes.ACTIVE else node.graph
    name = solution.get(graph.name) if isinstance(graph, Variable) else graph
    for quad in work.dataset.match(subject, predicate, obj, name):  # type: ignore[arg-type]
        if quad.predicate not in excluded:
            yield quad
            return


def _along(node: nodes.PathPattern, solution: Bindings, work: Work) -> Iterable[Quad]:
    start, end = term_at(node.subject, work, solution), term_at(node.object, work, solution)
    inside = work if node.graph is nodes.ACTIVE else work.within(node.graph)  # type: ignore[arg-type]
    assert start is not None
    assert end is not None
    edges = edges_between(node.path, start, end, inside) or ()
    if edges or not (isinstance(node.subject, Variable) and isinstance(node.object, Variable)):
        return edges
    return islice(_mentions(start, inside), 1)


def _mentions(term: Term, work: Work) -> Iterator[Quad]:
    """What makes a term a node of the graph."""
    if isinstance(term, NamedNode | BlankNode):
        yield from work.dataset.match(term, None, None, work.graph)
    yield from work.dataset.match(None, None, term, work.graph)
