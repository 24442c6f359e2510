"""Zero-length paths from a term that the event lacks.

`<x> :p* ?y` has the solution ?y = <x> even where the graph has no <x>; Oxigraph finds none. Where an end of a path is a
constant that the event lacks, no edge leads anywhere from it, so all solutions are of length zero, and the path says
no more than that its other end is that constant: as often as the path has ways of length zero.

What `/` joins is not of length zero for such a term: SPARQL evaluates the second step over the terms of the graph.
"""

from __future__ import annotations

from collections.abc import Set
from typing import TypeVar

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.trees import transform, walk
from triplewire.rdf.terms import Literal, NamedNode, Term

Constant = NamedNode | Literal
Tree = TypeVar("Tree")
_NO_SOLUTION = ast.Values((), ())


def zero_length_ends(query: object) -> frozenset[Term]:
    """The constants at an end of some path that can have length zero."""
    patterns = (node for node in walk(query) if isinstance(node, ast.TriplePattern))
    return frozenset(
        end
        for pattern in patterns
        if ways_of_length_zero(pattern.predicate)
        for end in (pattern.subject, pattern.object)
        if not isinstance(end, Variable)
    )


def without_absent_ends(query: Tree, absent: Set[Term]) -> Tree:
    """The query in which paths from absent terms are spelled out."""

    def rewrite(node: object) -> object:
        return _spelled_out(node, absent) if isinstance(node, ast.Group) else node

    return transform(query, rewrite)


def ways_of_length_zero(path: Variable | ast.Path) -> int:
    """How many solutions of length zero a path gives to a term that the graph lacks."""
    if isinstance(path, ast.ZeroOrMore | ast.ZeroOrOne):
        return 1
    if isinstance(path, ast.OneOrMore):
        return min(1, ways_of_length_zero(path.path))
    if isinstance(path, ast.Inverse):
        return ways_of_length_zero(path.path)
    if isinstance(path, ast.Alternative):
        return sum(ways_of_length_zero(choice) for choice in path.choices)
    return 0


def _spelled_out(group: ast.Group, absent: Set[Term]) -> ast.Group:
    elements: list[ast.Element] = []
    for element in group.elements:
        elements.extend(_elements(element, absent) if isinstance(element, ast.TriplesBlock) else [element])
    return ast.Group(tuple(elements))


def _elements(block: ast.TriplesBlock, absent: Set[Term]) -> list[ast.Element]:
    """The block without its paths from absent terms, then what those paths say."""
    patterns = block.patterns
    tables: list[ast.Element] = []
    while (found := next((p for p in patterns if _is_settled(p, absent)), None)) is not None:
        constant, other = _ends(found, absent)
        patterns = tuple(p for p in patterns if p is not found)
        if isinstance(other, Variable) and other.is_blank:
            # No table can bind a blank node; putting the constant in its place says the same.
            patterns = tuple(_substituted(p, other, constant) for p in patterns)
        tables.append(_table(other, constant, ways_of_length_zero(found.predicate)))
    if any(isinstance(p.subject, Literal) for p in patterns):
        return [_NO_SOLUTION]
    return [*([ast.TriplesBlock(patterns)] if patterns else []), *tables]


def _table(other: ast.Term, constant: Constant, ways: int) -> ast.Values:
    if isinstance(other, Variable) and not other.is_blank:
        return ast.Values((other,), ((constant,),) * ways)
    return ast.Values((), ((),) * ways)


def _is_settled(pattern: ast.TriplePattern, absent: Set[Term]) -> bool:
    if not ways_of_length_zero(pattern.predicate):
        return False
    constants = [end for end in (pattern.subject, pattern.object) if not isinstance(end, Variable)]
    return any(end in absent for end in constants) and len(set(constants)) == 1


def _ends(pattern: ast.TriplePattern, absent: Set[Term]) -> tuple[Constant, ast.Term]:
    """The absent constant, and the other end."""
    if not isinstance(pattern.subject, Variable) and pattern.subject in absent:
        return pattern.subject, pattern.object
    assert not isinstance(pattern.object, Variable)
    return pattern.object, pattern.subject


def _substituted(pattern: ast.TriplePattern, blank: Variable, constant: Constant) -> ast.TriplePattern:
    subject = constant if pattern.subject == blank else pattern.subject
    obj = constant if pattern.object == blank else pattern.object
    return ast.TriplePattern(subject, pattern.predicate, obj)
