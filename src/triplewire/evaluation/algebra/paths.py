"""Property paths to patterns (section 18.2.2.4).

A sequence is a join over a variable that nobody can name, an alternative a union, an inverse swaps the ends. What is
left as a path is `*`, `+` and `?`, which count pairs of ends once.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from triplewire.algebra.patterns import Variable
from triplewire.evaluation.algebra.nodes import (
    GraphTerm,
    Join,
    NegatedPattern,
    Node,
    PathPattern,
    Position,
    QuadPattern,
    Union,
)
from triplewire.languages.sparql.syntax import ast
from triplewire.rdf.terms import NamedNode


class PathTranslation:
    """Translates the paths of one query; its variables are fresh within it."""

    def __init__(self) -> None:
        self._fresh = 0

    def pattern(self, subject: Position, path: Variable | ast.Path, obj: Position, graph: GraphTerm) -> Node:
        """The pattern for `subject path object`."""
        if isinstance(path, Variable | NamedNode):
            return QuadPattern(subject, path, obj, graph)
        if isinstance(path, ast.Inverse):
            return self.pattern(obj, path.path, subject, graph)
        if isinstance(path, ast.Sequence):
            return Join(tuple(self._steps(subject, path, obj, graph)))
        if isinstance(path, ast.Alternative):
            return Union(tuple(self.pattern(subject, choice, obj, graph) for choice in path.choices))
        if isinstance(path, ast.NegatedSet):
            return _negated(subject, path, obj, graph)
        return PathPattern(subject, path, obj, graph)

    def _steps(self, subject: Position, path: ast.Sequence, obj: Position, graph: GraphTerm) -> Iterator[Node]:
        between = [Variable(f"_:/{self._fresh + at}") for at in range(len(path.steps) - 1)]
        self._fresh += len(between)
        for start, step, end in zip((subject, *between), path.steps, (*between, obj), strict=True):
            yield self.pattern(start, step, end, graph)


def _negated(subject: Position, path: ast.NegatedSet, obj: Position, graph: GraphTerm) -> Node:
    forward = NegatedPattern(subject, path.forward, obj, graph)
    backward = NegatedPattern(obj, path.backward, subject, graph)
    if not path.backward:
        return forward
    return Union((forward, backward)) if path.forward else backward


def may_be_empty(path: ast.Path) -> bool:
    """Whether the path leads from a node to itself without a step."""
    if isinstance(path, ast.ZeroOrMore | ast.ZeroOrOne):
        return True
    if isinstance(path, ast.Inverse | ast.OneOrMore):
        return may_be_empty(path.path)
    if isinstance(path, ast.Sequence):
        return all(map(may_be_empty, path.steps))
    return isinstance(path, ast.Alternative) and any(map(may_be_empty, path.choices))


class Step(Struct, frozen=True):
    """One step that a path may take.

    Along quads with the predicate, or with any but the excluded; perhaps backwards.
    """

    predicate: NamedNode | None
    excluded: tuple[NamedNode, ...] = ()
    backward: bool = False

    def takes(self, predicate: object) -> bool:
        """Whether the step goes along a quad with the predicate."""
        return predicate == self.predicate if self.predicate is not None else predicate not in self.excluded


def steps_of(path: ast.Path, backward: bool = False) -> frozenset[Step]:
    """Every step that a way along the path may take somewhere."""
    if isinstance(path, NamedNode):
        return frozenset((Step(path, (), backward),))
    if isinstance(path, ast.NegatedSet):
        forward = {Step(None, path.forward, backward)} if path.forward or not path.backward else set()
        return frozenset(forward | ({Step(None, path.backward, not backward)} if path.backward else set()))
    if isinstance(path, ast.Inverse):
        return steps_of(path.path, not backward)
    parts = (
        path.steps if isinstance(path, ast.Sequence) else path.choices if isinstance(path, ast.Alternative) else None
    )
    inner = (path.path,) if parts is None else parts  # type: ignore[union-attr]
    return frozenset[Step]().union(*(steps_of(part, backward) for part in inner))
