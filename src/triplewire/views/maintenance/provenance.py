"""Which quads a solution stands on: one derivation of it.

Found afterwards, by following the solution through the algebra, so that an evaluation that nobody asks why costs
nothing more. What is not there (MINUS, NOT EXISTS, an OPTIONAL without a match) is no quad, and says nothing. A group
stands on all derivations of all of its members, since members that look the same count one by one, up to a limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from triplewire.algebra.patterns import Variable
from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.algebra.nodes import Node
from triplewire.evaluation.compilation import Compilation
from triplewire.evaluation.operators import Operator, restricted
from triplewire.evaluation.paths import term_at
from triplewire.evaluation.work import Bindings, Work
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.trees import walk
from triplewire.rdf.terms import BlankNode, NamedNode, Quad, Term
from triplewire.views.maintenance.path_edges import edges_between

# With so many there may be more.
MOST_QUADS = 1_000


class Provenance:
    """Finds derivations of the solutions of one query; operators are compiled when they are first needed."""

    def __init__(self) -> None:
        self.compilation = Compilation()
        self._operators: dict[int, tuple[Node, Operator]] = {}
        self._first = _Derivations(self, 1)
        self.every = _Derivations(self, None)

    def solutions(self, node: Node, work: Work, seed: Bindings) -> Iterator[Bindings]:
        """The solutions of a node that are compatible with a seed."""
        return self.operator(node).solve(work, seed)

    def quads(self, node: Node, solution: Bindings, work: Work) -> tuple[Quad, ...]:
        """The quads of one derivation, each once, in the order of the text."""
        found: dict[Quad, None] = {}
        for quad in self._first.quads(node, solution, work):
            found[quad] = None
            if len(found) >= MOST_QUADS:
                break
        return tuple(found)

    def operator(self, node: Node) -> Operator:
        """The operator of a node."""
        # By identity: to hash a tree takes longer than to find it.
        found = self._operators.get(id(node))
        if found is None:
            found = self._operators[id(node)] = (node, self.compilation.operator(node))
        return found[1]


class _Derivations:
    """Follows so many derivations of a solution at each choice; None: all."""

    def __init__(self, provenance: Provenance, most: int | None) -> None:
        self._provenance = provenance
        self._operator = provenance.operator
        self._most = most

    def quads(self, node: Node, solution: Bindings, work: Work) -> Iterator[Quad]:
        """The quads, some maybe more than once."""
        if isinstance(node, nodes.QuadPattern | nodes.NegatedPattern):
            yield from islice(_matched(node, solution, work), self._most)
        elif isinstance(node, nodes.PathPattern):
            yield from _along(node, solution, work)
        elif isinstance(node, nodes.GraphExists):
            yield from islice(work.dataset.match(None, None, None, node.name), 1)
        elif isinstance(node, nodes.Join):
            for part in node.parts:
                yield from self._of_part(part, solution, work)
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
            yield from self.quads(node.left, solution, work)
        elif isinstance(node, nodes.Project):
            yield from self._of_projection(node, solution, work)
        elif isinstance(node, nodes.GraphEach):
            yield from self._of_graph(node, solution, work)
        else:
            assert isinstance(node, nodes.Filter | nodes.Extend | nodes.OrderBy | nodes.Distinct | nodes.Slice)
            yield from self._of_part(node.inner, solution, work)
            if isinstance(node, nodes.Filter | nodes.Extend):
                expressions = node.conditions if isinstance(node, nodes.Filter) else node.expression
                yield from self._witnesses(expressions, solution, work)

    def _of_projection(self, node: nodes.Project, solution: Bindings, work: Work) -> Iterator[Quad]:
        names = [variable.name for variable in node.variables]
        rows = self._operator(node.inner).solve(work, solution)
        shown = (row for row in rows if {name: row[name] for name in names if name in row} == solution)
        for row in islice(shown, self._most):
            yield from self.quads(node.inner, row, work)

    def _of_graph(self, node: nodes.GraphEach, solution: Bindings, work: Work) -> Iterator[Quad]:
        """What is found inside; if that is nothing, what makes it a graph."""
        graph = solution.get(node.name.name)
        assert isinstance(graph, NamedNode | BlankNode)
        is_there = False
        for quad in self._of_part(node.inner, solution, work.within(graph)):
            is_there = is_there or quad.graph_name == graph
            yield quad
        if not is_there:
            yield from islice(work.dataset.match(None, None, None, graph), 1)

    def _of_union(self, node: nodes.Union, solution: Bindings, work: Work) -> Iterator[Quad]:
        branches = (branch for branch in node.branches if solution in self._operator(branch).solve(work, solution))
        for branch in islice(branches, self._most):
            yield from self.quads(branch, solution, work)

    def _of_optional(self, node: nodes.LeftJoin, solution: Bindings, work: Work) -> Iterator[Quad]:
        """The right side is that of the solution if the two make it up together."""
        for left in self._parts(node.left, solution, work):
            yield from self.quads(node.left, left, work)
            matches = self._operator(node.right).solve(work, {**work.outer, **solution})
            for right in islice((match for match in matches if {**left, **match} == solution), self._most):
                yield from self.quads(node.right, right, work)
                yield from self._witnesses(node.conditions, solution, work)

    def _of_group(self, node: nodes.Group, solution: Bindings, work: Work) -> Iterator[Quad]:
        expressions = self._provenance.compilation.expressions
        keys = [(name.name, expressions.term(key)) for name, key in node.keys]
        plain = restricted(solution, frozenset(name.name for name, key in node.keys if name == key))
        for member in self._operator(node.inner).solve(work, plain):
            if all(key(member, work) == solution.get(name) for name, key in keys):
                yield from self._provenance.every.quads(node.inner, member, work)

    def _witnesses(self, expressions: object, solution: Bindings, work: Work) -> Iterator[Quad]:
        """What satisfies each EXISTS that is not negated."""
        outer = {**work.outer, **solution}
        inside = work.around(outer)
        for exists in walk(expressions, closed=(ast.Not, nodes.Exists)):
            if isinstance(exists, nodes.Exists):
                for witness in islice(self._operator(exists.pattern).solve(inside, outer), 1):
                    yield from self.quads(exists.pattern, witness, inside)

    def _of_part(self, node: Node, solution: Bindings, work: Work) -> Iterator[Quad]:
        for part in self._parts(node, solution, work):
            yield from self.quads(node, part, work)

    def _parts(self, node: Node, solution: Bindings, work: Work) -> list[Bindings]:
        """The solutions of a part of which one of the whole may be made: those within it, the one that says most first.

        At least one: what the solution says about the variables of the part.
        """
        operator = self._operator(node)
        known = restricted(solution, operator.variables)
        if operator.certain == operator.variables:
            return [known]
        within = [found for found in operator.solve(work, known) if found.items() <= known.items()]
        return sorted(within, key=len, reverse=True)[: self._most] or [known]


def _matched(node: nodes.QuadPattern | nodes.NegatedPattern, solution: Bindings, work: Work) -> Iterator[Quad]:
    predicate = None if isinstance(node, nodes.NegatedPattern) else term_at(node.predicate, work, solution)
    subject, obj = term_at(node.subject, work, solution), term_at(node.object, work, solution)
    excluded = node.excluded if isinstance(node, nodes.NegatedPattern) else ()
    graph = work.graph if node.graph is nodes.ACTIVE else node.graph
    name = solution.get(graph.name) if isinstance(graph, Variable) else graph
    for quad in work.dataset.match(subject, predicate, obj, name):  # type: ignore[arg-type]
        if quad.predicate not in excluded:
            yield quad


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
