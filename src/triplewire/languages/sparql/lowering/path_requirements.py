"""What a property path requires: the triples that every way along it must pass."""

from __future__ import annotations

from triplewire.algebra.patterns import Pattern
from triplewire.languages.sparql.lowering.branches import NOTHING, Branch, Branches, FreshNames, joined, united
from triplewire.languages.sparql.syntax.ast import (
    Alternative,
    Inverse,
    NegatedSet,
    OneOrMore,
    Path,
    Sequence,
    Term,
    ZeroOrMore,
    ZeroOrOne,
)


def path_branches(path: Path, start: Term, end: Term, fresh: FreshNames, most: int) -> Branches:
    """The branches for a path from `start` to `end`; nodes on the way get fresh names."""
    if isinstance(path, Inverse):
        return path_branches(path.path, end, start, fresh, most)
    if isinstance(path, Sequence):
        return _sequence(path, start, end, fresh, most)
    if isinstance(path, Alternative):
        return united([path_branches(choice, start, end, fresh, most) for choice in path.choices])
    if isinstance(path, OneOrMore):
        # The first step and the last, which may be the same.
        first = path_branches(path.path, start, fresh.one(), fresh, most)
        return joined(first, path_branches(path.path, fresh.one(), end, fresh, most), most)
    if isinstance(path, NegatedSet):
        return _negated(path, start, end, fresh)
    if isinstance(path, ZeroOrMore | ZeroOrOne):
        return NOTHING
    return (Branch((Pattern(start, path, end),)),)


def _sequence(path: Sequence, start: Term, end: Term, fresh: FreshNames, most: int) -> Branches:
    nodes: list[Term] = [start, *(fresh.one() for _ in path.steps[1:]), end]
    branches = NOTHING
    for step, before, after in zip(path.steps, nodes, nodes[1:], strict=False):
        branches = joined(branches, path_branches(step, before, after, fresh, most), most)
    return branches


def _negated(path: NegatedSet, start: Term, end: Term, fresh: FreshNames) -> Branches:
    forward = (Branch((Pattern(start, fresh.one(), end),)),) if path.forward else ()
    backward = (Branch((Pattern(end, fresh.one(), start),)),) if path.backward else ()
    return forward + backward
