"""GRAPH around what has no patterns of its own.

Oxigraph hands the graph of `GRAPH ?g { ... }` down to the triple patterns inside, so that around VALUES or a sub-select
?g stays unbound, and a graph that is not there does no harm. `GRAPH ?g { }` beside it says what is missing: there is
such a graph, and ?g is its name.
"""

from __future__ import annotations

from typing import TypeGuard, TypeVar

from triplewire.languages.sparql import ast

Tree = TypeVar("Tree")

_NOTHING = ast.Group(())


def with_bound_graphs(tree: Tree) -> Tree:
    """The tree in which every GRAPH clause binds its name."""
    return ast.transform(tree, _bound)


def _bound(node: object) -> object:
    if isinstance(node, ast.Group) and any(_needs_help(element) for element in node.elements):
        return ast.Group(tuple(part for element in node.elements for part in _helped(element)))
    return node


def _helped(element: ast.Element) -> tuple[ast.Element, ...]:
    return (element, ast.Graph(element.name, _NOTHING)) if _needs_help(element) else (element,)


def _needs_help(element: ast.Element) -> TypeGuard[ast.Graph]:
    if not isinstance(element, ast.Graph):
        return False
    return any(isinstance(node, ast.Values | ast.SubSelect) for node in ast.walk(element.group))
