"""Syntax tree to algebra, by section 18.2 of SPARQL 1.1.

`GRAPH <name> { P }` puts its name into the patterns of P, and `GRAPH ?name { P }` does if P is made of patterns only;
otherwise it stays a GraphEach, since FILTER, sub-selects and the like inside see neither the name nor other graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from triplewire.algebra.patterns import Variable
from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.algebra.nodes import ACTIVE, UNIT, Constant, GraphTerm, Node, Position
from triplewire.evaluation.algebra.paths import PathTranslation, may_be_empty
from triplewire.evaluation.datasets import DEFAULT_GRAPH
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.datasets import DescribeQuery
from triplewire.languages.sparql.syntax.scope import projected
from triplewire.languages.trees import transform
from triplewire.rdf.literals.kept import as_kept
from triplewire.rdf.terms import Literal, NamedNode, Term

Tree = TypeVar("Tree")
Keeping = Callable[[Term], Term]
_PATTERNS = (nodes.QuadPattern, nodes.NegatedPattern)
_OPAQUE = (ast.Exists, ast.NotExists)


def pattern_of(group: ast.Group) -> Node:
    """The algebra of a group: what WHERE means."""
    return Translation().group(group, DEFAULT_GRAPH)


class Translation:
    """Translates one query. `kept` is how the dataset keeps a literal: by its value, or as it was written."""

    def __init__(self, kept: Keeping = as_kept) -> None:
        self._kept = kept
        self._paths = PathTranslation()
        self._named = 0

    # Groups (18.2.2)

    def group(self, group: ast.Group, graph: GraphTerm) -> Node:
        """The elements from left to right; FILTERs apply to the whole."""
        return _filtered(*self._parts(group, graph))

    def _parts(self, group: ast.Group, graph: GraphTerm) -> tuple[Node, list[ast.Expression]]:
        """What the FILTERs of a group apply to, and they themselves."""
        found: Node = UNIT
        conditions: list[ast.Expression] = []
        for element in group.elements:
            if isinstance(element, ast.Filter):
                conditions += self._conjuncts(element.condition, graph)
            else:
                found = self._with_element(found, element, graph)
        return found, conditions

    def _with_element(self, before: Node, element: ast.Element, graph: GraphTerm) -> Node:
        if isinstance(element, ast.Optional):
            # The FILTERs of the group itself see the left side; those of a group inside it do not.
            right, conditions = self._parts(element.group, graph)
            return nodes.LeftJoin(before, right, tuple(conditions))
        if isinstance(element, ast.Minus):
            return nodes.Minus(before, self.group(element.group, graph))
        if isinstance(element, ast.Bind):
            return nodes.Extend(before, element.variable, self._expression(element.expression, graph))
        return joined((before, self._element(element, graph)))

    def _element(self, element: ast.Element, graph: GraphTerm) -> Node:
        if isinstance(element, ast.TriplesBlock):
            return joined(self._pattern(pattern, graph) for pattern in element.patterns)
        if isinstance(element, ast.Union):
            return nodes.Union(tuple(self.group(branch, graph) for branch in element.branches))
        if isinstance(element, ast.Graph):
            return self._graph(element)
        if isinstance(element, ast.Values):
            return self._table(element)
        if isinstance(element, ast.SubSelect):
            return self.select(element.query, graph)
        assert isinstance(element, ast.Group), element
        return self.group(element, graph)

    def _pattern(self, pattern: ast.TriplePattern, graph: GraphTerm) -> Node:
        subject, obj = self._position(pattern.subject), self._position(pattern.object)
        return self._paths.pattern(subject, pattern.predicate, obj, graph)

    def _position(self, term: ast.Term) -> Position:
        return self._constant(term) if isinstance(term, Literal) else term

    def _constant(self, term: Constant) -> Constant:
        kept = self._kept(term)
        assert isinstance(kept, NamedNode | Literal)
        return kept

    def _table(self, values: ast.Values) -> nodes.Table:
        rows = tuple(tuple(None if cell is None else self._constant(cell) for cell in row) for row in values.rows)
        return nodes.Table(values.variables, rows)

    def _graph(self, element: ast.Graph) -> Node:
        name = element.name
        if isinstance(name, NamedNode):
            inside = self.group(element.group, name)
            return inside if needs_quad(inside, name) else joined((nodes.GraphExists(name), inside))
        inside = self.group(element.group, ACTIVE)
        parts = inside.parts if isinstance(inside, nodes.Join) else (inside,)
        if all(isinstance(part, _PATTERNS) and part.graph is ACTIVE for part in parts):
            return joined(_in_graph(part, name) for part in parts)
        return nodes.GraphEach(name, inside)

    # Expressions

    def _conjuncts(self, condition: ast.Expression, graph: GraphTerm) -> list[ast.Expression]:
        """A conjunction is true if each of its operands is."""
        if isinstance(condition, ast.And):
            return [part for operand in condition.operands for part in self._conjuncts(operand, graph)]
        return [self._expression(condition, graph)]

    def _expression(self, expression: ast.Expression, graph: GraphTerm) -> ast.Expression:
        def rewritten(node: object) -> object:
            if isinstance(node, ast.Exists):
                return nodes.Exists(self.group(node.group, graph))
            if isinstance(node, ast.NotExists):
                return ast.Not(nodes.Exists(self.group(node.group, graph)))  # type: ignore[arg-type]
            return self._kept(node) if isinstance(node, Literal) else node

        return transform(expression, rewritten, _OPAQUE)

    # Sub-selects and queries (18.2.4, 18.2.5)

    def select(self, query: ast.SelectQuery, graph: GraphTerm) -> Node:
        """A SELECT with everything around its pattern."""
        projection = projected(query)
        aliases = [item for item in query.projection or () if isinstance(item, ast.Alias)]
        grouped, expressions, order = self.grouped(query, [alias.expression for alias in aliases], graph)
        for alias, expression in zip(aliases, expressions, strict=True):
            grouped = nodes.Extend(grouped, alias.variable, expression)
        if order:
            grouped = nodes.OrderBy(grouped, order)
        found: Node = nodes.Project(grouped, projection)
        if query.duplicates is ast.Duplicates.DISTINCT:
            found = nodes.Distinct(found)
        return sliced(found, query.modifiers)

    def grouped(
        self,
        query: ast.Query | DescribeQuery,
        selected: list[ast.Expression],
        graph: GraphTerm,
    ) -> tuple[Node, list[ast.Expression], tuple[ast.OrderKey, ...]]:
        """The pattern, grouped if need be, with HAVING and VALUES.

        And the expressions of SELECT and ORDER BY over it.
        """
        modifiers = query.modifiers
        aggregation = _Aggregation(self._fresh)
        having = [c for condition in modifiers.having for c in self._conjuncts(condition, graph)]
        having = [aggregation.without_aggregates(condition) for condition in having]
        selected = [aggregation.without_aggregates(self._expression(item, graph)) for item in selected]
        order = tuple(
            ast.OrderKey(aggregation.without_aggregates(self._expression(key.expression, graph)), key.descending)
            for key in modifiers.order_by
        )
        found = self.group(query.where, graph)
        if modifiers.group_by or aggregation.found:
            keys = tuple(self._key(key, graph) for key in modifiers.group_by)
            found = nodes.Group(found, keys, aggregation.named)
        found = _filtered(found, having)
        if query.values is not None:
            found = joined((found, self._table(query.values)))
        return found, selected, order

    def _key(self, key: ast.Expression | ast.Alias, graph: GraphTerm) -> tuple[Variable, ast.Expression]:
        if isinstance(key, ast.Alias):
            return key.variable, self._expression(key.expression, graph)
        return (key, key) if isinstance(key, Variable) else (self._fresh("key"), self._expression(key, graph))

    def _fresh(self, kind: str) -> Variable:
        self._named += 1
        return Variable(f"_:{kind}/{self._named}")


class _Aggregation:
    """Aggregates that were found in expressions, each under a variable."""

    def __init__(self, fresh: Callable[[str], Variable]) -> None:
        self._fresh = fresh
        self.found: dict[ast.Aggregate, Variable] = {}

    @property
    def named(self) -> tuple[tuple[Variable, ast.Aggregate], ...]:
        return tuple((name, aggregate) for aggregate, name in self.found.items())

    def without_aggregates(self, expression: ast.Expression) -> ast.Expression:
        return transform(expression, self._rewritten, (nodes.Exists,))

    def _rewritten(self, node: object) -> object:
        if isinstance(node, ast.Aggregate):
            if node not in self.found:
                self.found[node] = self._fresh("aggregate")
            return self.found[node]
        return node


def joined(parts: Iterable[Node]) -> Node:
    """One Join of all, without joins inside it and without empty groups."""
    flat: list[Node] = []
    for part in parts:
        if isinstance(part, nodes.Join):
            flat += part.parts
        elif part != UNIT:
            flat.append(part)
    return flat[0] if len(flat) == 1 else nodes.Join(tuple(flat)) if flat else UNIT


def sliced(node: Node, modifiers: ast.Modifiers) -> Node:
    """With OFFSET and LIMIT."""
    if modifiers.limit is None and not modifiers.offset:
        return node
    return nodes.Slice(node, modifiers.offset or 0, modifiers.limit)


def needs_quad(node: Node, graph: GraphTerm) -> bool:
    """Whether every solution needs a quad of the graph, so that it has to exist."""
    if isinstance(node, nodes.QuadPattern | nodes.NegatedPattern):
        return node.graph == graph
    if isinstance(node, nodes.PathPattern):
        return node.graph == graph and not may_be_empty(node.path)
    if isinstance(node, nodes.GraphExists):
        return node.name == graph
    if isinstance(node, nodes.Join):
        return any(needs_quad(part, graph) for part in node.parts)
    if isinstance(node, nodes.Union):
        return all(needs_quad(branch, graph) for branch in node.branches)
    if isinstance(node, nodes.LeftJoin | nodes.Minus):
        return needs_quad(node.left, graph)
    if isinstance(node, nodes.Group):
        return bool(node.keys) and needs_quad(node.inner, graph)
    if isinstance(node, nodes.Table | nodes.GraphEach):
        return False
    return needs_quad(node.inner, graph)


def _filtered(node: Node, conditions: list[ast.Expression]) -> Node:
    return nodes.Filter(node, tuple(conditions)) if conditions else node


def _in_graph(part: Node, name: Variable) -> Node:
    assert isinstance(part, nodes.QuadPattern | nodes.NegatedPattern)
    if isinstance(part, nodes.QuadPattern):
        return nodes.QuadPattern(part.subject, part.predicate, part.object, name)
    return nodes.NegatedPattern(part.subject, part.excluded, part.object, name)
