"""Calls: built-in functions, aggregates and functions named by IRI."""

from __future__ import annotations

from collections.abc import Callable

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.syntax.ast import Aggregate, BuiltIn, Expression, FunctionCall
from triplewire.languages.sparql.syntax.cursor import Cursor
from triplewire.languages.sparql.syntax.functions import BUILT_INS, REGEX_FUNCTIONS, arity
from triplewire.languages.sparql.syntax.regex_cost import cost
from triplewire.languages.sparql.syntax.terms import text, variable
from triplewire.rdf.terms import Literal, NamedNode

ReadExpression = Callable[[Cursor], Expression]


def built_in(cursor: Cursor, name: str, read: ReadExpression) -> Expression:
    """`NAME(arguments)`."""
    start = cursor.at
    cursor.at += 1
    if name == "BOUND":
        return BuiltIn(name, (_bound_variable(cursor),))
    arguments = _arguments(cursor, read)
    _check_count(cursor, name, BUILT_INS[name], len(arguments), start)
    if name in REGEX_FUNCTIONS and isinstance(arguments[1], Literal):
        _check_regex(cursor, arguments[1].value)
    return BuiltIn(name, arguments, cursor.base if name in ("IRI", "URI") else None)


def function_call(cursor: Cursor, function: NamedNode, read: ReadExpression) -> Expression:
    """`<iri>(arguments)`, for functions that somebody here knows."""
    start = cursor.at - 1
    expected = arity(function)
    if expected is None:
        cursor.refuse(
            function.value,
            wanted="a cast such as xsd:integer or a function of urn:triplewire:",
            found=f"the unknown {function}",
            at=start,
        )
    arguments = _arguments(cursor, read)
    _check_count(cursor, str(function), expected, len(arguments), start)
    return FunctionCall(function, arguments)


def aggregate(cursor: Cursor, name: str, read: ReadExpression) -> Expression:
    """`COUNT(*)`, `SUM(DISTINCT expression)`, `GROUP_CONCAT(expression ; SEPARATOR = "...")`."""
    if not cursor.may_aggregate:
        cursor.reject(wanted="aggregates only in SELECT, HAVING and ORDER BY, and never nested", found=str(name))
    cursor.aggregated = True
    cursor.may_aggregate = False
    cursor.at += 1
    cursor.enter()
    cursor.expect("(")
    distinct = cursor.skip_word("DISTINCT")
    argument = None if name == "COUNT" and cursor.skip("*") else read(cursor)
    separator = _separator(cursor) if name == "GROUP_CONCAT" and cursor.skip(";") else None
    cursor.expect(")")
    cursor.leave()
    cursor.may_aggregate = True
    return Aggregate(name, argument, distinct, separator)


def _separator(cursor: Cursor) -> str:
    cursor.expect_word("SEPARATOR")
    cursor.expect("=")
    return text(cursor)


def _bound_variable(cursor: Cursor) -> Variable:
    cursor.expect("(")
    name = variable(cursor)
    cursor.expect(")")
    return name


def _arguments(cursor: Cursor, read: ReadExpression) -> tuple[Expression, ...]:
    cursor.enter()
    cursor.expect("(")
    arguments: list[Expression] = []
    if not cursor.skip(")"):
        arguments.append(read(cursor))
        while cursor.skip(","):
            arguments.append(read(cursor))
        cursor.expect(")")
    cursor.leave()
    return tuple(arguments)


def _check_count(cursor: Cursor, name: str, expected: tuple[int, int], found: int, start: int) -> None:
    least, most = expected
    if not least <= found <= most:
        wanted = f"{least}" if least == most else f"{least} to {most}"
        cursor.reject(wanted=f"{wanted} argument(s) for {name}", found=str(found), at=start)


def _check_regex(cursor: Cursor, pattern: str) -> None:
    limits = cursor.limits
    if len(pattern) > limits.regex_length:
        cursor.exceed("regex_length", limits.regex_length, "characters in a regular expression")
    if cost(pattern) > limits.regex_cost:
        cursor.exceed("regex_cost", limits.regex_cost, "units of compiled regular expression")
