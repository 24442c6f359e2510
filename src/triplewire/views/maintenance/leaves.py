"""The leaves of a pattern, and what a quad at one of them says about the solutions that change.

Every solution that a changed quad makes or breaks extends a seed: what the leaf's variables are if it matches that
quad, as far as the solution is certain to show it. Below OPTIONAL, MINUS and EXISTS that is what the other side
certainly binds; below a sub-select, what is projected; below GROUP BY, the keys that are variables; below LIMIT,
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from triplewire.algebra.patterns import Variable
from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.algebra.nodes import ACTIVE, Node
from triplewire.evaluation.algebra.translation import needs_quad
from triplewire.evaluation.algebra.variables import certain
from triplewire.languages.trees import walk
from triplewire.rdf.terms import NamedNode

Names = frozenset[str]
# What a leaf binds, unless something restricts it. None is everything.
Kept = Names | None


class Leaf(Struct, frozen=True):
    """A place in a query that looks at quads.

    `kept` are the variables of which a changed solution certainly has the leaf's value, None for all. `graph` is the
    variable of the GRAPH around it, if a solution shows it. `reason` is what stands between the leaf and the solutions,
    in words.
    """

    pattern: nodes.Leaf | nodes.GraphEach
    kept: Kept = None
    graph: str | None = None
    reason: str = ""

    def keeps(self, name: str) -> bool:
        return self.kept is None or name in self.kept


def leaves_of(node: Node) -> list[Leaf]:
    """All leaves below a node, those in EXISTS included."""
    return list(_leaves(node, Leaf(nodes.GraphExists(_NOWHERE))))


_NOWHERE = NamedNode("urn:triplewire:nowhere")


def _leaves(node: Node, around: Leaf) -> Iterator[Leaf]:
    if isinstance(node, nodes.QuadPattern | nodes.NegatedPattern | nodes.PathPattern | nodes.GraphExists):
        yield Leaf(node, around.kept, around.graph if getattr(node, "graph", None) is ACTIVE else None, around.reason)
    elif isinstance(node, nodes.Join):
        for part in node.parts:
            yield from _leaves(part, around)
    elif isinstance(node, nodes.Union):
        for branch in node.branches:
            yield from _leaves(branch, around)
    elif isinstance(node, nodes.LeftJoin | nodes.Minus):
        yield from _of_two_sides(node, around)
    elif isinstance(node, nodes.GraphEach):
        yield from _of_graph(node, around)
    elif not isinstance(node, nodes.Table):
        yield from _of_wrapper(node, around)


def _of_two_sides(node: nodes.LeftJoin | nodes.Minus, around: Leaf) -> Iterator[Leaf]:
    yield from _leaves(node.left, around)
    sure = certain(node.left)
    word = "MINUS" if isinstance(node, nodes.Minus) else "OPTIONAL"
    yield from _leaves(node.right, _restricted(around, sure, word))
    if isinstance(node, nodes.LeftJoin):
        yield from _in_expressions(node.conditions, _restricted(around, sure, "EXISTS"))


def _of_graph(node: nodes.GraphEach, around: Leaf) -> Iterator[Leaf]:
    name = node.name.name
    inside = Leaf(around.pattern, around.kept, name if around.keeps(name) else None, around.reason)
    yield from _leaves(node.inner, inside)
    if not needs_quad(node.inner, ACTIVE):
        yield Leaf(node, around.kept, inside.graph, around.reason)


def _of_wrapper(node: Node, around: Leaf) -> Iterator[Leaf]:
    if isinstance(node, nodes.Filter):
        yield from _in_expressions(node.conditions, _restricted(around, certain(node.inner), "EXISTS"))
    elif isinstance(node, nodes.Extend):
        yield from _in_expressions(node.expression, _restricted(around, certain(node.inner), "EXISTS"))
    elif isinstance(node, nodes.Group):
        keys = frozenset(name.name for name, key in node.keys if isinstance(key, Variable) and key == name)
        around = _restricted(around, keys, "GROUP BY" if node.keys else "an aggregate over everything")
        expressions = (tuple(key for _, key in node.keys), tuple(aggregate for _, aggregate in node.aggregates))
        yield from _in_expressions(expressions, _restricted(around, certain(node.inner), "EXISTS"))
    elif isinstance(node, nodes.Project):
        around = _restricted(around, frozenset(variable.name for variable in node.variables), "a sub-select")
    elif isinstance(node, nodes.Slice):
        around = _restricted(around, frozenset(), "LIMIT or OFFSET in a sub-select")
    elif isinstance(node, nodes.OrderBy):
        yield from _in_expressions(node.keys, _restricted(around, frozenset(), "EXISTS in ORDER BY"))
    yield from _leaves(node.inner, around)  # type: ignore[union-attr]


def _in_expressions(expressions: object, around: Leaf) -> Iterator[Leaf]:
    for found in walk(expressions, closed=(nodes.Exists,)):
        if isinstance(found, nodes.Exists):
            yield from _leaves(found.pattern, around)


def _restricted(around: Leaf, names: Names, reason: str) -> Leaf:
    kept = names if around.kept is None else around.kept & names
    return Leaf(around.pattern, kept, around.graph, reason if kept != around.kept else around.reason)
