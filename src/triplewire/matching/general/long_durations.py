"""Durations that take Oxigraph long: it adds them to a date month by month, whenever it orders or subtracts one.

Measured: three microseconds for a duration of 10^8 seconds besides its months, a third of a second for 10^13, hours for
the longest that it can hold. So a row counts as many times as its longest duration has 10^8 seconds. A query can also
make durations: by adding, by a cast, and from the distance of far dates.
"""

from __future__ import annotations

from collections.abc import Iterator

from triplewire.languages.sparql.syntax import ast
from triplewire.languages.trees import walk
from triplewire.matching.evaluation.event_view import EventView
from triplewire.rdf.literals.dates import SECOND, Moment
from triplewire.rdf.literals.durations import Duration
from triplewire.rdf.literals.values import value_of
from triplewire.rdf.terms import XSD, Literal, NamedNode, Term

_LIGHT = 10**8 * SECOND
_UNKNOWN = 10**12  # more rows than any budget has
_NEAR = 10**12 * SECOND  # some 30,000 years from the first
_TYPES = frozenset(XSD[name] for name in ("duration", "dayTimeDuration", "yearMonthDuration"))
_DATES = frozenset(XSD[name] for name in ("dateTime", "date", "dateTimeStamp"))

_COMPARING = ast.Compare | ast.Operation | ast.In | ast.NotIn | ast.OrderKey | ast.Aggregate


def duration_weight(query: ast.SelectQuery | ast.AskQuery, view: EventView) -> int:
    """How many rows a row counts for, because of the durations that are compared in it."""
    nodes = list(walk(query))
    compared = sum(isinstance(node, _COMPARING) for node in nodes)
    if not compared:
        return 1
    steps = sum(len(node.rest) for node in nodes if isinstance(node, ast.Arithmetic))
    if any(_makes_durations(node) for node in nodes) or (steps and _has_far_dates(nodes, view)):
        return _UNKNOWN
    longest = max((abs(duration.time) for duration in _durations(nodes, view)), default=0)
    if longest < _LIGHT >> steps:
        return 1
    # Each addition may double what it is given.
    return ((longest << steps) // _LIGHT + 1) * compared


def _makes_durations(node: object) -> bool:
    if isinstance(node, ast.FunctionCall):
        return node.function in _TYPES
    if isinstance(node, ast.BuiltIn) and node.name == "STRDT":
        datatype = node.arguments[1]
        return not isinstance(datatype, NamedNode) or datatype in _TYPES
    return False


def _has_far_dates(nodes: list[object], view: EventView) -> bool:
    values = (value_of(literal).content for literal in _literals(nodes, view) if literal.datatype in _DATES)
    return any(isinstance(value, Moment) and abs(value.instant) > _NEAR for value in values)


def _durations(nodes: list[object], view: EventView) -> Iterator[Duration]:
    for literal in _literals(nodes, view):
        value = value_of(literal).content if literal.datatype in _TYPES else None
        if isinstance(value, Duration):
            yield value


def _literals(nodes: list[object], view: EventView) -> Iterator[Literal]:
    terms: list[Term | object] = [*nodes, *(row[2] for row in view.rows)]
    return (term for term in terms if isinstance(term, Literal))
