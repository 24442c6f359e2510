"""Where Oxigraph departs from SPARQL 1.1, a query is rewritten to say the same in a way that it gets right.

- GRAPH: Oxigraph hands the name of `GRAPH ?g { P }` down into P, so that filters and MINUS inside see ?g, and VALUES
  and sub-selects leave it unbound. By the standard (18.5) P is evaluated by itself and joined with the name. An event's
  one named graph holds what its default graph holds, so that is `{ P } GRAPH ?g { }`.
- `a|b` gives an end once, however many choices lead to it; `alternative_paths` spells it out as UNION.
- `!()`, which any predicate satisfies, is a syntax error to it.
- GROUP_CONCAT keeps a language that all members share; by the standard (18.5.1.7) it gives a plain string.
- BNODE("a") makes a blank node with the label a, which might be one of the event's; ours have labels of their own.
"""

from __future__ import annotations

from typing import TypeVar

from triplewire.languages.sparql.syntax import ast
from triplewire.languages.trees import transform
from triplewire.matching.general.alternative_paths import spelled_out
from triplewire.matching.general.opaque_terms import internal

Tree = TypeVar("Tree")

BLANK_NODE = internal("blank-node")
_NO_PREDICATE = internal("no-predicate")


def standardised(tree: Tree) -> Tree:
    """The tree in which Oxigraph finds nothing to get wrong."""
    return transform(tree, _standardised)


def _standardised(node: object) -> object:
    if isinstance(node, ast.Group):
        return ast.Group(tuple(map(spelled_out, _with_scoped_graphs(node))))
    if node == ast.NegatedSet(()):
        return ast.NegatedSet((_NO_PREDICATE,))
    if isinstance(node, ast.Aggregate) and node.name == "GROUP_CONCAT":
        return ast.BuiltIn("STR", (node,))
    if isinstance(node, ast.BuiltIn) and node.name == "BNODE" and node.arguments:
        return ast.FunctionCall(BLANK_NODE, node.arguments)
    return node


def _with_scoped_graphs(group: ast.Group) -> list[ast.Element]:
    elements: list[ast.Element] = []
    for element in group.elements:
        if isinstance(element, ast.Graph) and element.group.elements:
            elements += [element.group, ast.Graph(element.name, ast.Group(()))]
        else:
            elements.append(element)
    return elements
