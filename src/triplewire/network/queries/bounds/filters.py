"""The bounds of variables that a condition implies: if it is true, each of these variables is bound, and lies there.

Sound whatever a term is: a comparison with a string is an error for anything but strings, so it bounds the variable to
strings. What says nothing about the order of the space is remarked on, for `explain`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import TypeGuard

from msgspec import Struct

from triplewire.algebra.constraints import Comparator
from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.printing.expressions import text_of
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.trees import walk
from triplewire.network.can.geometry.coordinates import coordinate
from triplewire.network.queries.bounds.intervals import NOTHING, Intervals
from triplewire.network.queries.bounds.spellings import (
    BLANK_NODES,
    IRIS,
    LITERALS,
    comparable,
    is_kept_by_value,
    spellings,
    spellings_of,
)
from triplewire.network.queries.bounds.text_ranges import iri_range, string_range, string_starts, text_starts
from triplewire.rdf.terms import XSD, Literal, NamedNode

Bounds = Mapping[Variable, Intervals]

_FLIPPED = {
    Comparator.LESS: Comparator.GREATER,
    Comparator.GREATER: Comparator.LESS,
    Comparator.AT_MOST: Comparator.AT_LEAST,
    Comparator.AT_LEAST: Comparator.AT_MOST,
}
_KINDS = {"ISIRI": IRIS, "ISURI": IRIS, "ISLITERAL": LITERALS, "ISBLANK": BLANK_NODES, "ISNUMERIC": LITERALS}
_ORDERED = (*_FLIPPED,)


class Remark(Struct, frozen=True):
    """Why a condition on some variables does not prune, or not as much as it says."""

    variables: frozenset[Variable]
    text: str


def bounds_of_condition(condition: ast.Expression) -> Bounds:
    """The variables that a condition bounds if it is true."""
    if isinstance(condition, ast.And):
        return both(map(bounds_of_condition, condition.operands))
    if isinstance(condition, ast.Or):
        return _either([bounds_of_condition(operand) for operand in condition.operands])
    if isinstance(condition, ast.Compare):
        return _comparison(condition)
    if isinstance(condition, ast.In):
        return _membership(condition)
    return _call(condition) if isinstance(condition, ast.BuiltIn) else {}


def both(parts: Iterable[Bounds]) -> dict[Variable, Intervals]:
    """What holds if all parts hold."""
    found: dict[Variable, Intervals] = {}
    for part in parts:
        for variable, intervals in part.items():
            found[variable] = found[variable] & intervals if variable in found else intervals
    return found


def _either(parts: list[Bounds]) -> Bounds:
    shared = reduce(lambda one, other: one & other, (set(part) for part in parts))
    return {variable: reduce(lambda a, b: a | b, (part[variable] for part in parts)) for variable in shared}


def _comparison(condition: ast.Compare) -> Bounds:
    operator, left, right = condition.operator, condition.left, condition.right
    if not isinstance(right, NamedNode | Literal):
        left, right, operator = right, left, _FLIPPED.get(operator, operator)
    if not isinstance(right, NamedNode | Literal) or operator is Comparator.NOT_EQUAL:
        return {}
    if isinstance(left, Variable):
        found = _compared(operator, right)
        return {} if found is None else {left: found}
    return _compared_text(operator, left, right)


def _compared(operator: Comparator, constant: NamedNode | Literal) -> Intervals | None:
    """Where a term lies that compares so with a constant; None if nothing is known."""
    text = coordinate(constant)
    if operator is Comparator.EQUAL:
        return spellings(text)
    if is_kept_by_value(text):
        return comparable(text) | spellings(text)
    if _is_string(constant):
        return string_range(operator, constant.value)
    # Other terms have no order, but each is at most and at least itself.
    return spellings(text) if operator in (Comparator.AT_MOST, Comparator.AT_LEAST) else None


def _compared_text(operator: Comparator, left: ast.Expression, constant: NamedNode | Literal) -> Bounds:
    """`STR(?x) < "text"`: literals too have a text, but it may not be the one that they are filed under."""
    variable = _string_of(left)
    if variable is None or not _is_string(constant):
        return {}
    if operator is Comparator.EQUAL:
        return {variable: _iri_of(constant.value) | LITERALS}
    return {variable: iri_range(operator, constant.value) | LITERALS}


def _iri_of(text: str) -> Intervals:
    try:
        return spellings_of(NamedNode(text))
    except ValueError:
        return NOTHING


def _membership(condition: ast.In) -> Bounds:
    choices = [choice for choice in condition.choices if isinstance(choice, NamedNode | Literal)]
    if not isinstance(condition.operand, Variable) or len(choices) < len(condition.choices):
        return {}
    return {condition.operand: reduce(lambda a, b: a | b, map(spellings_of, choices), NOTHING)}


def _call(call: ast.BuiltIn) -> Bounds:
    if call.name in _KINDS and isinstance(call.arguments[0], Variable):
        return {call.arguments[0]: _KINDS[call.name]}
    if call.name == "SAMETERM":
        return _comparison(ast.Compare(Comparator.EQUAL, *call.arguments))
    if call.name == "STRSTARTS":
        return _starts(*call.arguments)
    return {}


def _starts(operand: ast.Expression, prefix: ast.Expression) -> Bounds:
    if not _is_string(prefix):
        return {}
    if isinstance(operand, Variable):
        return {operand: string_starts(prefix.value)}
    variable = _string_of(operand)
    return {} if variable is None else {variable: text_starts(prefix.value)}


def _string_of(expression: ast.Expression) -> Variable | None:
    """The variable of `STR(?x)`."""
    if isinstance(expression, ast.BuiltIn) and expression.name == "STR":
        [argument] = expression.arguments
        return argument if isinstance(argument, Variable) else None
    return None


def _is_string(term: object) -> TypeGuard[Literal]:
    return isinstance(term, Literal) and (bool(term.language) or term.datatype == XSD["string"])


# Remarks


def conjuncts_of(condition: ast.Expression) -> list[ast.Expression]:
    """The parts of a condition that must all hold."""
    if isinstance(condition, ast.And):
        return [part for operand in condition.operands for part in conjuncts_of(operand)]
    return [condition]


def remark_on(condition: ast.Expression) -> Remark | None:
    """Why a condition, which is no conjunction, prunes less than one might think; None if it does as it says."""
    variables = frozenset(node for node in walk(condition, (ast.Group,)) if isinstance(node, Variable))
    if not variables or isinstance(condition, ast.Exists | ast.NotExists):
        return None
    reason = _why_not(condition)
    return None if reason is None else Remark(variables, f"FILTER({text_of(condition)}) {reason}")


def _why_not(condition: ast.Expression) -> str | None:
    constants = [node for node in walk(condition) if isinstance(node, Literal) and is_kept_by_value(coordinate(node))]
    if isinstance(condition, ast.Compare) and condition.operator in _ORDERED and constants:
        return (
            "does not prune as a range: the order of the space is that of texts, in which "
            '"10" comes before "9"; only what cannot be such a value is left out'
        )
    if any(isinstance(node, ast.BuiltIn) and node.name == "REGEX" for node in walk(condition)):
        return "does not prune: regular expressions do not; STRSTARTS does"
    if not bounds_of_condition(condition):
        return "does not prune: it says nothing about the order of terms"
    if constants:
        return "prunes little: a value can be spelled in many ways"
    return None
