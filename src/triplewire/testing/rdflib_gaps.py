"""What rdflib 7 gets wrong, each with the reason; the tests show for every one that rdflib still has it.

Comparisons are not in this list, although rdflib orders literals of unlike types and takes IN for identity, nor is
`error && false`, which it takes for an error: `by_rdflib` has its own conjunction, and has Oxigraph compute every
comparison, text test, cast and sum from the two terms.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from msgspec import Struct
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.term import Variable

from triplewire.testing.parsed import nodes_of, parse

_BOOLEAN_POSITIONS = (
    "Filter",
    "LeftJoin",
    "ConditionalAndExpression",
    "ConditionalOrExpression",
    "UnaryNot",
    "Builtin_IF",
)


class Gap(Struct, frozen=True):
    """A construct, why rdflib cannot be trusted with it, and how to recognise its node in the algebra."""

    construct: str
    reason: str
    applies: Callable[[CompValue], bool]


@lru_cache(maxsize=4096)
def gap_in(text: str) -> Gap | None:
    """The first gap that a query falls into, if any."""
    return next((gap for node in nodes_of(parse(text).algebra) for gap in _GAPS if gap.applies(node)), None)


def _raw(node: CompValue, key: str) -> Any:
    return dict.get(node, key)


def _named(*names: str) -> Callable[[CompValue], bool]:
    return lambda node: node.name in names


def _is_materialised_join(node: CompValue) -> bool:
    return node.name == "Join" and not _raw(node, "lazy")


def _takes_a_variable_for_a_truth_value(node: CompValue) -> bool:
    if node.name not in _BOOLEAN_POSITIONS:
        return False
    first, rest = _raw(node, "expr") or _raw(node, "arg1"), _raw(node, "other")
    return any(isinstance(operand, Variable) for operand in (first, *(rest if isinstance(rest, list) else [])))


def _cuts_an_order(node: CompValue) -> bool:
    return node.name == "Slice"


_GAPS = (
    Gap(
        "a join that is not pushed down",
        "its right side becomes a set, which loses repeats",
        _is_materialised_join,
    ),
    Gap("a variable as a truth value", "a date or NaN counts as true", _takes_a_variable_for_a_truth_value),
    Gap("aggregates", "GROUP BY over nothing gives a row, and MIN makes a string of an IRI", _named("AggregateJoin")),
    Gap("LIMIT and OFFSET", "it orders unlike terms in its own way, so the cut falls elsewhere", _cuts_an_order),
)
