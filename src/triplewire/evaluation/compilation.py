"""Algebra to operators."""

from __future__ import annotations

from collections.abc import Iterator

from triplewire.algebra.patterns import Variable
from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.algebra.nodes import ACTIVE, Node
from triplewire.evaluation.algebra.variables import certain, possible
from triplewire.evaluation.datasets import LIVING, DatasetKind
from triplewire.evaluation.expressions.compiler import Compiler, HasSolution, variables_in
from triplewire.evaluation.grouping import Aggregated, GroupAll, Grouping
from triplewire.evaluation.joins import Difference, FilterAll, JoinAll, OuterJoin, Test, UnionAll
from triplewire.evaluation.modifiers import (
    CANDIDATE,
    DistinctOnly,
    EachGraph,
    Extended,
    Ordered,
    Projected,
    RowOrder,
    Sliced,
)
from triplewire.evaluation.operators import Operator
from triplewire.evaluation.paths import PathWalk
from triplewire.evaluation.patterns import GraphTest, QuadMatch, TableScan
from triplewire.evaluation.work import Bindings, Work
from triplewire.languages.sparql.syntax import ast


class Compilation:
    """Compiles the nodes of one query, over a dataset of this kind."""

    def __init__(self, kind: DatasetKind = LIVING) -> None:
        self.expressions = Compiler(self._exists, kind)
        self._given: list[tuple[Node, Operator]] = []

    def give(self, node: Node, operator: Operator) -> None:
        """Use an operator for a node that is to come."""
        self._given.append((node, operator))

    def operator(self, node: Node) -> Operator:
        """A node without regard to order: ORDER BY does nothing where no LIMIT is around it."""
        for given, operator in self._given:
            if given is node:
                return operator
        if isinstance(node, nodes.QuadPattern | nodes.NegatedPattern):
            return QuadMatch(node)
        if isinstance(node, nodes.PathPattern):
            return PathWalk(node)
        if isinstance(node, nodes.GraphExists):
            return GraphTest(node)
        if isinstance(node, nodes.Table):
            return TableScan(node)
        if isinstance(node, nodes.Join):
            return JoinAll([self.operator(part) for part in node.parts])
        if isinstance(node, nodes.Union):
            return UnionAll([self.operator(branch) for branch in node.branches])
        if isinstance(node, nodes.LeftJoin):
            return OuterJoin(self.operator(node.left), self.operator(node.right), self._tests(node.conditions))
        if isinstance(node, nodes.Minus):
            return Difference(self.operator(node.left), self.operator(node.right))
        if isinstance(node, nodes.Filter):
            return self._filter(node)
        return self._wrapper(node)

    def ordered(self, node: Node) -> Operator:
        """A SELECT whose solutions come in order: by ORDER BY, then by the order of terms."""
        if isinstance(node, nodes.Slice):
            return Sliced(self.ordered(node.inner), node.offset, node.limit)
        if isinstance(node, nodes.Distinct):
            return DistinctOnly(self.ordered(node.inner))
        assert isinstance(node, nodes.Project), node
        names = [variable.name for variable in node.variables]
        inner, keys = (node.inner.inner, node.inner.keys) if isinstance(node.inner, nodes.OrderBy) else (node.inner, ())
        return Projected(Ordered(self.operator(inner), self.order(keys, names)), names)

    def order(self, keys: tuple[ast.OrderKey, ...], names: list[str]) -> RowOrder:
        """The order of rows that show these variables."""
        return RowOrder([(self.expressions.term(key.expression), key.descending) for key in keys], names)

    def grouping(self, node: nodes.Group) -> Grouping:
        """The keys and aggregates of a Group."""
        keys = [(name.name, self.expressions.term(key)) for name, key in node.keys]
        return Grouping(keys, [self._aggregated(name, aggregate) for name, aggregate in node.aggregates])

    def _wrapper(self, node: Node) -> Operator:
        if isinstance(node, nodes.Extend):
            computed = self.expressions.term_beside(node.expression, _computed_before(node.inner))
            return Extended(self.operator(node.inner), node.variable.name, computed)
        if isinstance(node, nodes.GraphEach):
            required = [QuadMatch(pattern) for pattern in required_anywhere(node.inner)]
            return EachGraph(node.name.name, self.operator(node.inner), required)
        if isinstance(node, nodes.Project):
            return Projected(self.operator(node.inner), [variable.name for variable in node.variables])
        if isinstance(node, nodes.Distinct):
            return DistinctOnly(self.operator(node.inner))
        if isinstance(node, nodes.Group):
            return self._group(node)
        if isinstance(node, nodes.Slice):
            return self.ordered(node)
        assert isinstance(node, nodes.OrderBy), node
        return self.operator(node.inner)

    def _filter(self, node: nodes.Filter) -> Operator:
        tests = self._tests(node.conditions)
        if isinstance(node.inner, nodes.Join):
            return JoinAll([self.operator(part) for part in node.inner.parts], tests)
        inner = self.operator(node.inner)
        return JoinAll([inner], tests) if isinstance(inner, QuadMatch) else FilterAll(inner, tests)

    def _tests(self, conditions: tuple[ast.Expression, ...]) -> list[Test]:
        return [Test(self.expressions.condition(condition), variables_in(condition)) for condition in conditions]

    def _group(self, node: nodes.Group) -> Operator:
        plain = frozenset(name.name for name, key in node.keys if isinstance(key, Variable) and key == name)
        return GroupAll(self.operator(node.inner), self.grouping(node), plain, possible(node), certain(node))

    def _aggregated(self, name: Variable, aggregate: ast.Aggregate) -> Aggregated:
        argument = None if aggregate.argument is None else self.expressions.term(aggregate.argument)
        return Aggregated(name.name, aggregate, argument)

    def _exists(self, pattern: Node) -> HasSolution:
        inner = self.operator(pattern)

        def exists(solution: Bindings, work: Work) -> bool:
            outer = {**work.outer, **solution}
            return any(True for _ in inner.solve(work.around(outer), outer))

        return exists


def _computed_before(node: Node) -> frozenset[str]:
    """The names of what was computed right before, from the same solution."""
    names = []
    while isinstance(node, nodes.Extend):
        names.append(node.variable.name)
        node = node.inner
    return frozenset(names)


def required_patterns(node: Node) -> Iterator[nodes.QuadPattern | nodes.NegatedPattern]:
    """Patterns that match in every solution, with variables that the solution shows."""
    if isinstance(node, nodes.QuadPattern | nodes.NegatedPattern):
        yield node
    elif isinstance(node, nodes.Join):
        for part in node.parts:
            yield from required_patterns(part)
    elif isinstance(node, nodes.LeftJoin | nodes.Minus):
        yield from required_patterns(node.left)
    elif isinstance(node, nodes.Filter | nodes.Extend | nodes.OrderBy | nodes.Distinct):
        yield from required_patterns(node.inner)


def required_anywhere(node: Node) -> Iterator[nodes.QuadPattern | nodes.NegatedPattern]:
    """The required patterns of the active graph, in whatever named graph they match."""
    graph = Variable(CANDIDATE)
    for pattern in required_patterns(node):
        if pattern.graph is not ACTIVE:
            continue
        if isinstance(pattern, nodes.QuadPattern):
            yield nodes.QuadPattern(pattern.subject, pattern.predicate, pattern.object, graph)
        else:
            yield nodes.NegatedPattern(pattern.subject, pattern.excluded, pattern.object, graph)
