"""The quads of one way along a path, from one node to another: a shortest one where the path may repeat itself."""

from __future__ import annotations

from collections import deque

from triplewire.evaluation.paths import walk_of
from triplewire.evaluation.work import Work
from triplewire.languages.sparql.syntax import ast
from triplewire.rdf.terms import BlankNode, NamedNode, Quad, Term

Edges = tuple[Quad, ...]


def edges_between(path: ast.Path, start: Term, end: Term, work: Work) -> Edges | None:
    """The quads of a way; empty if it is of length zero, None if there is none."""
    if isinstance(path, NamedNode | ast.NegatedSet):
        return _one_step(path, start, end, work)
    if isinstance(path, ast.Inverse):
        return edges_between(path.path, end, start, work)
    if isinstance(path, ast.Sequence):
        return _in_turn(path.steps, start, end, work)
    if isinstance(path, ast.Alternative):
        return next((way for c in path.choices if (way := edges_between(c, start, end, work)) is not None), None)
    if isinstance(path, ast.ZeroOrOne):
        return () if start == end else edges_between(path.path, start, end, work)
    return _repeated(path, start, end, work)


def _one_step(path: NamedNode | ast.NegatedSet, start: Term, end: Term, work: Work) -> Edges | None:
    if isinstance(path, NamedNode):
        return _quad(start, path, end, (), work)
    forward = _quad(start, None, end, path.forward, work) if path.forward or not path.backward else None
    return _quad(end, None, start, path.backward, work) if forward is None and path.backward else forward


def _quad(
    subject: Term, predicate: NamedNode | None, obj: Term, excluded: tuple[NamedNode, ...], work: Work
) -> Edges | None:
    if not isinstance(subject, NamedNode | BlankNode):
        return None
    found = work.dataset.match(subject, predicate, obj, work.graph)
    return next(((quad,) for quad in found if quad.predicate not in excluded), None)


def _in_turn(steps: tuple[ast.Path, ...], start: Term, end: Term, work: Work) -> Edges | None:
    if len(steps) == 1:
        return edges_between(steps[0], start, end, work)
    for middle in dict.fromkeys(walk_of(steps[0])(work, start, False)):
        rest = _in_turn(steps[1:], middle, end, work)
        if rest is not None:
            return (*(edges_between(steps[0], start, middle, work) or ()), *rest)
    return None


def _repeated(path: ast.ZeroOrMore | ast.OneOrMore, start: Term, end: Term, work: Work) -> Edges | None:
    if isinstance(path, ast.ZeroOrMore) and start == end:
        return ()
    walk, came_from = walk_of(path.path), dict[Term, Term]()
    waiting = deque((start,))
    while waiting and end not in came_from:
        node = waiting.popleft()
        for reached in walk(work, node, False):
            if reached not in came_from:
                came_from[reached] = node
                waiting.append(reached)
    return _back_to(path.path, came_from, start, end, work) if end in came_from else None


def _back_to(path: ast.Path, came_from: dict[Term, Term], start: Term, end: Term, work: Work) -> Edges:
    ways: list[Edges] = []
    node = end
    while not ways or node != start:
        ways.append(edges_between(path, came_from[node], node, work) or ())
        node = came_from[node]
    return tuple(quad for way in reversed(ways) for quad in way)
