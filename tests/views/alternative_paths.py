"""Alternative paths as the standard reads them: `a|b` is a UNION, so every way to an end counts (18.2.2.4).

Oxigraph gives an end once, however many choices lead to it; of `!a` it does so where both ends are known. So a path
that chooses is spelled out as patterns, UNIONs and filters. What stands inside `*`, `+` or `?` stays as it is: those
give each end once by definition.

The steps between, and the blank nodes that the patterns share, become variables that a sub-select hides.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.syntax import ast

# Nobody outside can guess the names, so they meet no variable of a query.
_HIDDEN = f"hidden_{secrets.token_hex(8)}_"
_NOTHING = Variable(f"{_HIDDEN}nothing")


def spelled_out(element: ast.Element) -> ast.Element:
    """The element in which no path chooses."""
    if not isinstance(element, ast.TriplesBlock) or not any(chooses(p.predicate) for p in element.patterns):
        return element
    visible = tuple(dict.fromkeys(v for p in element.patterns for v in _variables(p) if not v.is_blank))
    where = ast.Group(tuple(_Block().elements(element)))
    return ast.SubSelect(ast.SelectQuery(visible or (_NOTHING,), where))


def chooses(path: Variable | ast.Path) -> bool:
    """Whether there may be several ways of different choice to one end."""
    if isinstance(path, ast.Inverse):
        return chooses(path.path)
    if isinstance(path, ast.Sequence):
        return any(map(chooses, path.steps))
    return isinstance(path, ast.Alternative | ast.NegatedSet)


def _variables(pattern: ast.TriplePattern) -> Iterator[Variable]:
    terms = (pattern.subject, pattern.predicate, pattern.object)
    return (term for term in terms if isinstance(term, Variable))


class _Block:
    """The patterns of one block, with names for what must not be seen outside."""

    def __init__(self) -> None:
        self._names: dict[Variable, Variable] = {}
        self._steps = 0

    def elements(self, block: ast.TriplesBlock) -> Iterator[ast.Element]:
        patterns = [self._renamed(pattern) for pattern in block.patterns]
        plain = tuple(pattern for pattern in patterns if not chooses(pattern.predicate))
        if plain:
            yield ast.TriplesBlock(plain)
        for pattern in patterns:
            if not isinstance(pattern.predicate, Variable) and chooses(pattern.predicate):
                yield from self._path(pattern.subject, pattern.predicate, pattern.object)

    def _renamed(self, pattern: ast.TriplePattern) -> ast.TriplePattern:
        return ast.TriplePattern(self._named(pattern.subject), pattern.predicate, self._named(pattern.object))

    def _named(self, term: ast.Term) -> ast.Term:
        if not isinstance(term, Variable) or not term.is_blank:
            return term
        return self._names.setdefault(term, Variable(f"{_HIDDEN}node{len(self._names)}"))

    def _path(self, start: ast.Term, path: ast.Path, end: ast.Term) -> Iterator[ast.Element]:
        if not chooses(path):
            yield ast.TriplesBlock((ast.TriplePattern(start, path, end),))
        elif isinstance(path, ast.Inverse):
            yield from self._path(start, _inverted(path.path), end)
        elif isinstance(path, ast.Sequence):
            yield from self._sequence(start, path.steps, end)
        elif isinstance(path, ast.NegatedSet) and not (path.forward and path.backward):
            yield from self._any_but(start, path, end)
        else:
            yield ast.Union(tuple(ast.Group(tuple(self._path(start, choice, end))) for choice in _choices(path)))

    def _any_but(self, start: ast.Term, path: ast.NegatedSet, end: ast.Term) -> Iterator[ast.Element]:
        predicate = self._hidden()
        ends = (end, start) if path.backward else (start, end)
        yield ast.TriplesBlock((ast.TriplePattern(ends[0], predicate, ends[1]),))
        yield ast.Filter(ast.NotIn(predicate, path.backward or path.forward))

    def _hidden(self) -> Variable:
        self._steps += 1
        return Variable(f"{_HIDDEN}step{self._steps}")

    def _sequence(self, start: ast.Term, steps: tuple[ast.Path, ...], end: ast.Term) -> Iterator[ast.Element]:
        for step in steps[:-1]:
            middle = self._hidden()
            yield from self._path(start, step, middle)
            start = middle
        yield from self._path(start, steps[-1], end)


def _choices(path: ast.Path) -> tuple[ast.Path, ...]:
    if isinstance(path, ast.NegatedSet):
        return ast.NegatedSet(path.forward), ast.NegatedSet((), path.backward)
    assert isinstance(path, ast.Alternative)
    return path.choices


def _inverted(path: ast.Path) -> ast.Path:
    """The path that leads back; `^` moves down to where nothing chooses."""
    if isinstance(path, ast.Inverse):
        return path.path
    if isinstance(path, ast.Alternative):
        return ast.Alternative(tuple(map(_inverted, path.choices)))
    if isinstance(path, ast.Sequence):
        return ast.Sequence(tuple(map(_inverted, reversed(path.steps))))
    if isinstance(path, ast.NegatedSet):
        return ast.NegatedSet(path.backward, path.forward)
    return ast.Inverse(path)
