"""Which variables are certainly bound, and which patterns need a triple at all.

Inside `GRAPH ?g` the graph of a pattern is a variable too: it is bound by patterns that need a triple.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.scope import projected
from triplewire.languages.trees import walk
from triplewire.rdf.terms import NamedNode

GraphSlot = Variable | NamedNode | None
"""In which graph patterns are matched; None is the default graph."""

_NONE: frozenset[Variable] = frozenset()


def certain_in(elements: Iterable[ast.Element], slot: GraphSlot) -> frozenset[Variable]:
    """The variables that every solution of these elements, joined, binds."""
    return _NONE.union(*(_certain(element, slot) for element in elements))


def _certain(element: ast.Element, slot: GraphSlot) -> frozenset[Variable]:
    if isinstance(element, ast.TriplesBlock):
        return _certain_in_block(element, slot)
    if isinstance(element, ast.Group):
        return certain_in(element.elements, slot)
    if isinstance(element, ast.Graph):
        return certain_in(element.group.elements, element.name)
    if isinstance(element, ast.Union):
        return reduce(lambda a, b: a & b, (certain_in(branch.elements, slot) for branch in element.branches))
    if isinstance(element, ast.Values):
        columns = enumerate(element.variables)
        return frozenset(name for at, name in columns if all(row[at] is not None for row in element.rows))
    if isinstance(element, ast.SubSelect) and is_plain(element.query):
        # In Oxigraph the graph of `GRAPH ?g` is not bound by a sub-select inside.
        return certain_in(element.query.where.elements, None) & frozenset(projected(element.query))
    return _NONE


def _certain_in_block(block: ast.TriplesBlock, slot: GraphSlot) -> frozenset[Variable]:
    terms = (term for pattern in block.patterns for term in (pattern.subject, pattern.predicate, pattern.object))
    found = {term for term in terms if isinstance(term, Variable)}
    if isinstance(slot, Variable) and needs_triple([block]):
        found.add(slot)
    return frozenset(found)


def needs_triple(elements: Iterable[ast.Element]) -> bool:
    """Whether these elements, joined, have no solution over a graph without triples."""
    return any(map(_needs_triple, elements))


def _needs_triple(element: ast.Element) -> bool:
    if isinstance(element, ast.TriplesBlock):
        return any(not is_nullable(pattern.predicate) for pattern in element.patterns)
    if isinstance(element, ast.Group):
        return needs_triple(element.elements)
    if isinstance(element, ast.Union):
        return all(needs_triple(branch.elements) for branch in element.branches)
    return False


def is_nullable(path: Variable | ast.Path) -> bool:
    """Whether a path may have no length."""
    if isinstance(path, ast.ZeroOrMore | ast.ZeroOrOne):
        return True
    if isinstance(path, ast.Inverse | ast.OneOrMore):
        return is_nullable(path.path)
    if isinstance(path, ast.Sequence):
        return all(map(is_nullable, path.steps))
    return isinstance(path, ast.Alternative) and any(map(is_nullable, path.choices))


def is_plain(query: ast.SelectQuery) -> bool:
    """Whether a sub-select only projects: each of its solutions comes from one, whatever others there are."""
    return query.modifiers == ast.NO_MODIFIERS and query.values is None and not is_grouped(query)


def is_grouped(query: ast.Query) -> bool:
    """Whether its solutions are made of groups."""
    projection = query.projection if isinstance(query, ast.SelectQuery) else None
    parts = (projection, query.modifiers.having, query.modifiers.order_by)
    return bool(query.modifiers.group_by) or any(isinstance(node, ast.Aggregate) for node in walk(parts, (ast.Group,)))


def mentions(variable: Variable, group: ast.Group) -> bool:
    return any(node == variable for node in walk(group))
