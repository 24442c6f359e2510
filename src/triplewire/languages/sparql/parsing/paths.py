"""Property paths, and what else may stand between subject and object."""

from __future__ import annotations

from collections.abc import Callable

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.syntax.ast import (
    Alternative,
    Inverse,
    NegatedSet,
    OneOrMore,
    Path,
    Sequence,
    ZeroOrMore,
    ZeroOrOne,
)
from triplewire.languages.sparql.syntax.cursor import Cursor
from triplewire.languages.sparql.syntax.terms import TYPE, iri, is_iri, is_variable, variable
from triplewire.rdf.terms import NamedNode

_MODIFIERS: dict[str, Callable[[Path], Path]] = {"*": ZeroOrMore, "+": OneOrMore, "?": ZeroOrOne}
_STEPPING = frozenset("/|*+?")


def begins_verb(token: str) -> bool:
    return is_variable(token) or token == "a" or is_iri(token) or token in ("^", "!", "(")


def simple_verb(cursor: Cursor) -> Variable | NamedNode:
    """A variable, an IRI or `a`: all that a template allows."""
    token = cursor.tokens[cursor.at]
    if is_variable(token):
        return variable(cursor)
    return _predicate(cursor)


def verb(cursor: Cursor) -> Variable | Path:
    """A variable or a path."""
    token = cursor.tokens[cursor.at]
    if is_variable(token):
        return variable(cursor)
    if is_iri(token) and cursor.tokens[cursor.at + 1] not in _STEPPING:
        return iri(cursor)
    return path(cursor)


def path(cursor: Cursor) -> Path:
    """`first | second | ...`."""
    choices = [_sequence(cursor)]
    while cursor.skip("|"):
        choices.append(_sequence(cursor))
        _check_chain(cursor, len(choices))
    return choices[0] if len(choices) == 1 else Alternative(tuple(choices))


def _sequence(cursor: Cursor) -> Path:
    steps = [_step(cursor)]
    while cursor.skip("/"):
        steps.append(_step(cursor))
        _check_chain(cursor, len(steps))
    return steps[0] if len(steps) == 1 else Sequence(tuple(steps))


def _check_chain(cursor: Cursor, length: int) -> None:
    if length > cursor.limits.chain:
        cursor.exceed("chain", cursor.limits.chain, "parts of one path")


def _step(cursor: Cursor) -> Path:
    if cursor.skip("^"):
        return Inverse(_element(cursor))
    return _element(cursor)


def _element(cursor: Cursor) -> Path:
    primary = _primary(cursor)
    modifier = _MODIFIERS.get(cursor.tokens[cursor.at])
    if modifier is None:
        return primary
    cursor.at += 1
    return modifier(primary)


def _primary(cursor: Cursor) -> Path:
    if cursor.skip("!"):
        return _negated(cursor)
    if not cursor.skip("("):
        return _predicate(cursor)
    cursor.enter()
    inner = path(cursor)
    cursor.expect(")")
    cursor.leave()
    return inner


def _negated(cursor: Cursor) -> Path:
    forward: list[NamedNode] = []
    backward: list[NamedNode] = []
    if not cursor.skip("("):
        _excluded(cursor, forward, backward)
        return NegatedSet(tuple(forward), tuple(backward))
    if cursor.skip(")"):
        # Nothing excluded: any property at all, which is printed in parentheses.
        cursor.enter()
        cursor.leave()
        return Alternative((TYPE, NegatedSet((TYPE,))))
    _excluded(cursor, forward, backward)
    while cursor.skip("|"):
        _excluded(cursor, forward, backward)
        _check_chain(cursor, len(forward) + len(backward))
    cursor.expect(")")
    return NegatedSet(tuple(forward), tuple(backward))


def _excluded(cursor: Cursor, forward: list[NamedNode], backward: list[NamedNode]) -> None:
    (backward if cursor.skip("^") else forward).append(_predicate(cursor))


def _predicate(cursor: Cursor) -> NamedNode:
    if cursor.skip("a"):
        return TYPE
    if not is_iri(cursor.tokens[cursor.at]):
        cursor.fail("a predicate")
    return iri(cursor)
