"""Reads the steps of a query off its syntax tree.

For every triple pattern and path, wherever it stands, there is a step that fetches at least the quadruples that can
matter there. So the query has the same answer over what was fetched as over the whole space; `scopes` says why bounds
and values may be used where they are. Beside patterns, two things look at the data: a path of no length asks whether a
term is a node of the graph, and `GRAPH ?g` around something that needs no triple asks for the names of graphs.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.printing.printer import print_path
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.scope import projected
from triplewire.languages.trees import walk
from triplewire.network.queries.bounds.filters import Remark, both, bounds_of_condition, conjuncts_of, remark_on
from triplewire.network.queries.bounds.intervals import Intervals, union_of
from triplewire.network.queries.bounds.spellings import spellings_of
from triplewire.network.queries.planning.paths import Edge, edges_of
from triplewire.network.queries.planning.scopes import Scope
from triplewire.network.queries.planning.steps import Position, Reason, Step
from triplewire.network.queries.planning.variables import (
    GraphSlot,
    certain_in,
    is_grouped,
    is_nullable,
    is_plain,
    mentions,
    needs_triple,
)
from triplewire.rdf.terms import NamedNode

_NO_LENGTH = "a path of no length leads from every node of the graph to itself; bind one of its ends to prune"


def steps_of(query: ast.Query) -> list[Step]:
    """The steps of a query, in the order of its text."""
    planner = _Planner()
    planner.query(query, Scope(), None)
    return planner.steps


class _Planner:
    """Collects steps, with one supply of fresh names."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._count = count()

    def query(self, query: ast.Query, around: Scope, slot: GraphSlot) -> None:
        # Where there are groups, VALUES joins them, not the pattern.
        values = [query.values] if query.values is not None and not is_grouped(query) else []
        scope = Scope(around, bounds=both(map(_bounds_of_values, values)))
        self._group(query.where, scope, slot)
        head = (query.projection if isinstance(query, ast.SelectQuery) else None, query.modifiers)
        self._nested(head, Scope(), slot)

    def _group(self, group: ast.Group, around: Scope, slot: GraphSlot) -> None:
        """The elements of a group, in a scope of their own that is joined with the one around."""
        scope = _scope_of(group, around)
        for at, element in enumerate(group.elements):
            self._element(element, group.elements[:at], scope, slot)
        sees = certain_in(group.elements, slot)
        for element in group.elements:
            if isinstance(element, ast.Filter):
                self._nested(element.condition, Scope(scope, sees=sees), slot)

    def _element(self, element: ast.Element, before: tuple[ast.Element, ...], scope: Scope, slot: GraphSlot) -> None:
        if isinstance(element, ast.TriplesBlock):
            self._block(element.patterns, scope, slot)
        elif isinstance(element, ast.Group):
            self._group(element, Scope(scope, is_joined=True), slot)
        elif isinstance(element, ast.Union):
            for branch in element.branches:
                self._group(branch, Scope(scope), slot)
        elif isinstance(element, ast.Optional | ast.Minus):
            self._group(element.group, Scope(scope, sees=certain_in(before, slot)), slot)
        elif isinstance(element, ast.Graph):
            self._graph(element, scope)
        elif isinstance(element, ast.SubSelect):
            self._subselect(element.query, scope, slot)
        elif isinstance(element, ast.Bind):
            self._nested(element.expression, Scope(scope, sees=certain_in(before, slot)), slot)

    def _nested(self, expressions: object, scope: Scope, slot: GraphSlot) -> None:
        """The patterns of EXISTS in expressions."""
        for node in walk(expressions, (ast.Exists, ast.NotExists)):
            if isinstance(node, ast.Exists | ast.NotExists):
                self._group(node.group, Scope(scope), slot)

    def _graph(self, element: ast.Graph, around: Scope) -> None:
        slot: Variable | NamedNode = element.name
        scope = Scope(around, is_joined=True)
        if isinstance(slot, Variable) and mentions(slot, element.group):
            # As a term it is bound by patterns, as the graph by where they match: two things, until they are joined.
            fresh = self._fresh()
            scope = Scope(around, is_joined=True, renamed={fresh: slot})
            slot = fresh
        if not needs_triple(element.group.elements):
            name = f"GRAPH {element.name} {{ … }}"
            self._add((slot, None, None, None), name, scope, Reason.GRAPHS, remark="it needs no triple in the graph")
        self._group(element.group, scope, slot)

    def _subselect(self, query: ast.SelectQuery, around: Scope, slot: GraphSlot) -> None:
        """A sub-select that cuts, counts or groups needs all its solutions, whatever they are joined with."""
        if isinstance(slot, Variable):
            slot = self._fresh()
        if is_plain(query):
            names = [name for name in projected(query) if name not in _aliases(query)]
            self.query(query, Scope(around, sees=frozenset(names)), slot)
        else:
            self.query(query, Scope(), slot)

    # Patterns

    def _block(self, patterns: Iterable[ast.TriplePattern], scope: Scope, slot: GraphSlot) -> None:
        patterns = tuple(patterns)
        for pattern in patterns:
            predicate = pattern.predicate
            text = f"{pattern.subject} {print_path(predicate)} {pattern.object}"
            if isinstance(predicate, Variable | NamedNode):
                positions = (slot, pattern.subject, predicate, pattern.object)
                self._add(positions, text, scope, Reason.PATTERN, gives_values=True)
            else:
                self._path(pattern, predicate, text, scope, slot)
                if is_nullable(predicate):
                    self._nodes(pattern, text, patterns, scope, slot)

    def _path(self, pattern: ast.TriplePattern, path: ast.Path, text: str, scope: Scope, slot: GraphSlot) -> None:
        for edge in edges_of(path, pattern.subject, pattern.object, self._fresh):
            name = f"{text}, by {_edge_text(edge)}"
            positions = (slot, edge.subject, edge.predicate, edge.object)
            self._add(positions, name, scope, Reason.PATH, edge.is_certain, edge.remark)

    def _nodes(
        self,
        pattern: ast.TriplePattern,
        text: str,
        beside: tuple[ast.TriplePattern, ...],
        scope: Scope,
        slot: GraphSlot,
    ) -> None:
        """That the ends of a path of no length, which are one term, are a node of the graph."""
        ends = (pattern.subject, pattern.object)
        if any(_has_node(other, end) for other in beside for end in ends if isinstance(end, Variable)):
            return
        node = min(ends, key=lambda end: isinstance(end, Variable) + _is_open(end, scope))
        for positions in ((slot, node, None, None), (slot, None, None, node)):
            self._add(positions, text, scope, Reason.NODES, remark=_NO_LENGTH)

    def _add(
        self,
        positions: tuple[Position, Position, Position, Position],
        text: str,
        scope: Scope,
        reason: Reason,
        gives_values: bool = False,
        remark: str | None = None,
    ) -> None:
        step = Step(positions, text, scope, reason, gives_values, () if remark is None else (remark,))
        self.steps.append(step)
        if gives_values:
            scope.add_giver(step)

    def _fresh(self) -> Variable:
        return Variable(f"_:.{next(self._count)}")


def _scope_of(group: ast.Group, around: Scope) -> Scope:
    conditions = [part for e in group.elements if isinstance(e, ast.Filter) for part in conjuncts_of(e.condition)]
    values = [_bounds_of_values(element) for element in group.elements if isinstance(element, ast.Values)]
    remarks: list[Remark] = [remark for part in conditions if (remark := remark_on(part)) is not None]
    bounds = both([*map(bounds_of_condition, conditions), *values])
    return Scope(around, bounds=bounds, remarks=tuple(remarks), is_joined=True)


def _bounds_of_values(values: ast.Values) -> dict[Variable, Intervals]:
    found: dict[Variable, Intervals] = {}
    for at, name in enumerate(values.variables):
        terms = [row[at] for row in values.rows]
        known = [spellings_of(term) for term in terms if term is not None]
        if len(known) == len(terms):
            found[name] = union_of(part for spelling in known for part in spelling.parts)
    return found


def _is_open(end: ast.Term, scope: Scope) -> bool:
    return isinstance(end, Variable) and scope.bounds(end).is_everything


def _has_node(pattern: ast.TriplePattern, end: Variable) -> bool:
    """Whether a pattern matches only if the end is a node of the graph."""
    return not is_nullable(pattern.predicate) and end in (pattern.subject, pattern.object)


def _aliases(query: ast.SelectQuery) -> set[Variable]:
    return {item.variable for item in query.projection or () if isinstance(item, ast.Alias)}


def _edge_text(edge: Edge) -> str:
    ends = [
        "[]" if end is None or (isinstance(end, Variable) and end.is_blank) else str(end)
        for end in (edge.subject, edge.object)
    ]
    return f"{ends[0]} {edge.predicate or '[]'} {ends[1]}"
