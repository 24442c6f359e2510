"""Which variables every solution of a node binds, and which some may bind. Blank nodes count as variables here."""

from __future__ import annotations

from triplewire.algebra.patterns import Variable
from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.algebra.nodes import Node

Names = frozenset[str]
_NONE: Names = frozenset()


def certain(node: Node) -> Names:
    """Bound in every solution."""
    return _bound(node, certainly=True)


def possible(node: Node) -> Names:
    """Bound in some solution, as far as can be told without data."""
    return _bound(node, certainly=False)


def names_in(*positions: object) -> Names:
    """The names of the variables among some terms."""
    return frozenset(term.name for term in positions if isinstance(term, Variable))


def _bound(node: Node, certainly: bool) -> Names:
    if isinstance(node, nodes.QuadPattern):
        return names_in(node.subject, node.predicate, node.object, node.graph)
    if isinstance(node, nodes.NegatedPattern | nodes.PathPattern):
        return names_in(node.subject, node.object, node.graph)
    if isinstance(node, nodes.Join):
        return _NONE.union(*(_bound(part, certainly) for part in node.parts))
    if isinstance(node, nodes.Union):
        return _of_branches([_bound(branch, certainly) for branch in node.branches], certainly)
    if isinstance(node, nodes.LeftJoin):
        left = _bound(node.left, certainly)
        return left if certainly else left | _bound(node.right, certainly)
    if isinstance(node, nodes.Minus):
        return _bound(node.left, certainly)
    return _of_wrappers(node, certainly)


def _of_branches(branches: list[Names], certainly: bool) -> Names:
    return frozenset.intersection(*branches) if certainly else _NONE.union(*branches)


def _of_wrappers(node: Node, certainly: bool) -> Names:
    if isinstance(node, nodes.Table):
        return _of_table(node, certainly)
    if isinstance(node, nodes.Filter | nodes.Distinct | nodes.OrderBy | nodes.Slice):
        return _bound(node.inner, certainly)
    if isinstance(node, nodes.Extend):
        inner = _bound(node.inner, certainly)
        return inner if certainly else inner | {node.variable.name}
    if isinstance(node, nodes.GraphEach):
        return _bound(node.inner, certainly) | {node.name.name}
    if isinstance(node, nodes.Project):
        return _bound(node.inner, certainly) & {variable.name for variable in node.variables}
    if isinstance(node, nodes.Group):
        return _of_group(node, certainly)
    return _NONE


def _of_table(node: nodes.Table, certainly: bool) -> Names:
    columns = enumerate(node.variables)
    found = all if certainly else any
    return frozenset(v.name for at, v in columns if found(row[at] is not None for row in node.rows))


def _of_group(node: nodes.Group, certainly: bool) -> Names:
    if not certainly:
        return frozenset(name.name for name, _ in (*node.keys, *node.aggregates))
    inner = _bound(node.inner, certainly)
    keys = (name.name for name, key in node.keys if isinstance(key, Variable) and key.name in inner)
    counts = (name.name for name, aggregate in node.aggregates if aggregate.name == "COUNT")
    return frozenset((*keys, *counts))
