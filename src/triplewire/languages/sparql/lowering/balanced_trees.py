"""Long chains as balanced trees, for readers that recurse.

Oxigraph reads `a || b || c || ...` as a tree that leans to the left and goes down it by recursion. `&&`, `||`, UNION
and the alternatives of a path mean the same however they are put in parentheses, so they are folded into trees of
little height. Sums and products are left alone: floating-point numbers do not add up to the same in another order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from triplewire.languages.sparql.syntax import ast
from triplewire.languages.trees import transform

SHORT = 8

Tree = TypeVar("Tree")
Part = TypeVar("Part")


def balanced(tree: Tree) -> Tree:
    """The tree with its long chains folded.

    >>> from triplewire.languages.sparql.parsing.parser import parse_query
    >>> from triplewire.languages.sparql.printing.printer import print_query
    >>> print_query(balanced(parse_query("ASK { FILTER(" + " || ".join(f"?v{n}" for n in range(9)) + ") }")))
    'ASK { FILTER((?v0 || ?v1 || ?v2 || ?v3) || (?v4 || ?v5 || ?v6 || ?v7 || ?v8)) }'
    """
    return transform(tree, _balanced)


def height(count: int) -> int:
    """How deep Oxigraph goes into a chain of so many parts, once it is folded.

    >>> [height(count) for count in (1, 2, 8, 9, 500)]
    [0, 1, 7, 5, 13]
    """
    return count - 1 if count <= SHORT else 1 + height(count - count // 2)


def _balanced(node: object) -> object:
    if isinstance(node, ast.Or | ast.And):
        return _folded(node.operands, type(node))
    if isinstance(node, ast.Alternative):
        return _folded(node.choices, ast.Alternative)
    if isinstance(node, ast.Union):
        return _folded(node.branches, _union).elements[0]
    return node


def _union(branches: tuple[ast.Group, ...]) -> ast.Group:
    return ast.Group((ast.Union(branches),))


def _folded(parts: tuple[Part, ...], join: Callable[[tuple[Part, ...]], Part]) -> Part:
    if len(parts) <= SHORT:
        return join(parts)
    middle = len(parts) // 2
    return join((_folded(parts[:middle], join), _folded(parts[middle:], join)))
