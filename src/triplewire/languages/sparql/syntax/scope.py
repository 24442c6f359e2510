"""Which variables a pattern makes visible (SPARQL 1.1, section 18.2.1)."""

from __future__ import annotations

from collections.abc import Iterable

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.syntax.ast import (
    Alias,
    Bind,
    Element,
    Graph,
    Group,
    Optional,
    SelectQuery,
    SubSelect,
    TriplePattern,
    TriplesBlock,
    Union,
    Values,
)


class GroupScope:
    """What the elements of a group that is still being read make visible; each element is looked at once."""

    __slots__ = ("_elements", "_seen", "_visible")

    def __init__(self, elements: list[Element]) -> None:
        self._elements = elements
        self._seen = 0
        self._visible: dict[Variable, None] = {}

    def visible(self) -> dict[Variable, None]:
        for element in self._elements[self._seen :]:
            _add_element(element, self._visible)
        self._seen = len(self._elements)
        return self._visible


def visible_in(group: Group, *more: Element) -> tuple[Variable, ...]:
    """The variables in scope at a group's end, in order of appearance. Blank nodes are never in scope."""
    found: dict[Variable, None] = {}
    for element in (*group.elements, *more):
        _add_element(element, found)
    return tuple(found)


def projected(query: SelectQuery) -> tuple[Variable, ...]:
    """The variables that a SELECT projects, `*` spelled out."""
    if query.projection is None:
        return visible_in(query.where, *([query.values] if query.values else []))
    return tuple(item.variable if isinstance(item, Alias) else item for item in query.projection)


def _add_element(element: Element, found: dict[Variable, None]) -> None:
    if isinstance(element, TriplesBlock):
        _add_patterns(element.patterns, found)
    elif isinstance(element, Union):
        for branch in element.branches:
            _add_group(branch, found)
    elif isinstance(element, Group):
        _add_group(element, found)
    elif isinstance(element, Optional):
        _add_group(element.group, found)
    elif isinstance(element, Graph):
        if isinstance(element.name, Variable):
            found[element.name] = None
        _add_group(element.group, found)
    elif isinstance(element, Bind):
        found[element.variable] = None
    elif isinstance(element, Values):
        found.update(dict.fromkeys(element.variables))
    elif isinstance(element, SubSelect):
        found.update(dict.fromkeys(projected(element.query)))


def _add_group(group: Group, found: dict[Variable, None]) -> None:
    for element in group.elements:
        _add_element(element, found)


def _add_patterns(patterns: Iterable[TriplePattern], found: dict[Variable, None]) -> None:
    for pattern in patterns:
        for term in (pattern.subject, pattern.predicate, pattern.object):
            if isinstance(term, Variable) and not term.is_blank:
                found[term] = None
