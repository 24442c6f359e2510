"""Groups: what stands between braces."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from triplewire.languages.sparql.parsing.expressions import constraint, expression
from triplewire.languages.sparql.parsing.paths import verb
from triplewire.languages.sparql.parsing.triples import begins_triples, triples
from triplewire.languages.sparql.parsing.values import values
from triplewire.languages.sparql.syntax.ast import (
    Bind,
    Element,
    Filter,
    Graph,
    Group,
    Minus,
    Optional,
    SubSelect,
    TriplesBlock,
    Union,
    Values,
)
from triplewire.languages.sparql.syntax.cursor import Cursor
from triplewire.languages.sparql.syntax.scope import GroupScope
from triplewire.languages.sparql.syntax.terms import iri, is_variable, variable


def group(cursor: Cursor) -> Group:
    """`{ ... }`."""
    cursor.enter()
    cursor.expect("{")
    may_aggregate, cursor.may_aggregate = cursor.may_aggregate, False
    if cursor.word() == "SELECT":
        elements: tuple[Element, ...] = (cursor.read_subselect(cursor),)
    else:
        elements = _elements(cursor)
    cursor.expect("}")
    cursor.may_aggregate = may_aggregate
    cursor.leave()
    return Group(elements)


def _elements(cursor: Cursor) -> tuple[Element, ...]:
    elements: list[Element] = []
    scope = GroupScope(elements)
    block = -1
    while True:
        token = cursor.tokens[cursor.at]
        if token == "}":
            return tuple(elements)
        if begins_triples(token):
            block = _add_triples(cursor, elements, block)
            continue
        elements.append(_other_element(cursor, scope))
        cursor.skip(".")


def _add_triples(cursor: Cursor, elements: list[Element], block: int) -> int:
    """Triples on both sides of a FILTER are one basic graph pattern, and become one block. Returns where it stands."""
    found = triples(cursor, verb)
    if begins_triples(cursor.tokens[cursor.at]):
        cursor.fail("'.' between two subjects")
    before = elements[block] if block >= 0 else None
    if isinstance(before, TriplesBlock) and all(isinstance(element, Filter) for element in elements[block + 1 :]):
        elements[block] = TriplesBlock(before.patterns + found)
        return block
    elements.append(TriplesBlock(found))
    return len(elements) - 1


def _other_element(cursor: Cursor, scope: GroupScope) -> Element:
    word = cursor.word()
    if word == "FILTER":
        cursor.at += 1
        return Filter(constraint(cursor))
    cursor.end_block()
    element = _bind(cursor, scope) if word == "BIND" else _pattern(cursor, word)
    cursor.end_block()
    return element


def _pattern(cursor: Cursor, word: str) -> Element:
    reader = _READERS.get(word)
    if reader is not None:
        cursor.at += 1
        return reader(cursor)
    if word == "{":
        return _group_or_union(cursor)
    return _no_pattern(cursor, word)


def _no_pattern(cursor: Cursor, word: str) -> NoReturn:
    if word == "SERVICE":
        cursor.refuse("SERVICE", wanted="a pattern over what is here", found="SERVICE, which would send requests")
    cursor.fail("a triple pattern, a group or '}'")


def _group_or_union(cursor: Cursor) -> Element:
    branches = [group(cursor)]
    while cursor.skip_word("UNION"):
        cursor.end_block()
        branches.append(group(cursor))
        if len(branches) > cursor.limits.chain:
            cursor.exceed("chain", cursor.limits.chain, "branches of one UNION")
    if len(branches) > 1:
        return Union(tuple(branches))
    only = branches[0]
    if len(only.elements) == 1 and isinstance(only.elements[0], SubSelect):
        return only.elements[0]
    return only


def _graph(cursor: Cursor) -> Graph:
    name = variable(cursor) if is_variable(cursor.tokens[cursor.at]) else iri(cursor)
    return Graph(name, group(cursor))


def _optional(cursor: Cursor) -> Optional:
    return Optional(group(cursor))


def _minus(cursor: Cursor) -> Minus:
    return Minus(group(cursor))


def _values(cursor: Cursor) -> Values:
    return values(cursor)


def _bind(cursor: Cursor, scope: GroupScope) -> Bind:
    cursor.at += 1
    cursor.enter()
    cursor.expect("(")
    bound = expression(cursor)
    cursor.expect_word("AS")
    name = variable(cursor)
    cursor.expect(")")
    cursor.leave()
    if name in scope.visible():
        cursor.reject(wanted="a new variable to BIND", found=f"{name}, which is in use before", at=cursor.at - 2)
    return Bind(bound, name)


_READERS: dict[str, Callable[[Cursor], Element]] = {
    "OPTIONAL": _optional,
    "GRAPH": _graph,
    "MINUS": _minus,
    "VALUES": _values,
}
