"""What must be fetched for a property path: patterns, in some of which a variable stands for a node on the way.

A sequence is a join of its steps. The steps of `*` and `+` may begin and end anywhere. What a path of no length leads
from and to is a node of the graph: that it is one must be seen, unless a pattern beside it says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.syntax import ast
from triplewire.rdf.terms import NamedNode

End = ast.Term | None


class Edge(Struct, frozen=True):
    """A pattern that a path needs. `is_certain` if every solution of the path has a match of it."""

    subject: End
    predicate: NamedNode | None
    object: End
    is_certain: bool
    remark: str | None = None


def edges_of(
    path: ast.Path, start: End, end: End, fresh: Callable[[], Variable], certain: bool = True
) -> Iterator[Edge]:
    """The patterns for a path from `start` to `end`; nodes on the way get fresh names."""
    if isinstance(path, ast.Inverse):
        yield from edges_of(path.path, end, start, fresh, certain)
    elif isinstance(path, ast.Sequence):
        nodes = [start, *(fresh() for _ in path.steps[1:]), end]
        for step, before, after in zip(path.steps, nodes, nodes[1:], strict=False):
            yield from edges_of(step, before, after, fresh, certain)
    elif isinstance(path, ast.Alternative):
        for choice in path.choices:
            yield from edges_of(choice, start, end, fresh, certain=False)
    elif isinstance(path, ast.ZeroOrOne):
        yield from edges_of(path.path, start, end, fresh, certain=False)
    elif isinstance(path, ast.ZeroOrMore | ast.OneOrMore):
        for edge in edges_of(path.path, None, None, fresh, certain=False):
            yield Edge(
                edge.subject, edge.predicate, edge.object, False, "the steps of * and + may begin and end anywhere"
            )
    elif isinstance(path, ast.NegatedSet):
        yield from _negated(path, start, end)
    else:
        yield Edge(start, path, end, certain)


def _negated(path: ast.NegatedSet, start: End, end: End) -> Iterator[Edge]:
    remark = "a negated property set does not prune by predicate"
    if path.forward:
        yield Edge(start, None, end, False, remark)
    if path.backward:
        yield Edge(end, None, start, False, remark)
