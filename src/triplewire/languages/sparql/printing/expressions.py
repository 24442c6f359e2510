"""Expressions as text, with parentheses only where precedence needs them.

Expressions hold groups and groups hold expressions, so a node finds its printer by its type, in a table: the printers
of expressions are put into it here, and the others by `printer`, which imports this module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from triplewire.languages.sparql.syntax.ast import (
    Aggregate,
    And,
    Arithmetic,
    BuiltIn,
    Compare,
    Exists,
    Expression,
    FunctionCall,
    In,
    Not,
    NotExists,
    NotIn,
    Operator,
    Or,
    Signed,
)
from triplewire.rdf.terms import Literal

Printer = Callable[[Any], str]

_PRINTERS: dict[type, Printer] = {}


def register(printers: Mapping[type, Printer]) -> None:
    """Put printers into the table."""
    _PRINTERS.update(printers)


def text_of(node: object) -> str:
    """The text of a node. What has no printer is a term or a variable, which prints itself."""
    found = _PRINTERS.get(type(node))
    return str(node) if found is None else found(node)


_OR, _AND, _RELATION, _SUM, _PRODUCT, _UNARY, _PRIMARY = range(7)
_LEVELS: dict[type, int] = {
    Or: _OR,
    And: _AND,
    Compare: _RELATION,
    In: _RELATION,
    NotIn: _RELATION,
    Not: _UNARY,
    Signed: _UNARY,
}
_CALLS = (BuiltIn, FunctionCall, Aggregate, Exists, NotExists)


def constraint(expression: Expression) -> str:
    """As FILTER and its kin take it: a call as it is, anything else in brackets."""
    text = text_of(expression)
    return text if isinstance(expression, _CALLS) else f"({text})"


def _level(expression: Expression) -> int:
    if isinstance(expression, Arithmetic):
        return _SUM if expression.rest[0].operator in (Operator.PLUS, Operator.MINUS) else _PRODUCT
    return _LEVELS.get(type(expression), _PRIMARY)


def _within(expression: Expression, least: int) -> str:
    text = text_of(expression)
    return text if _level(expression) >= least else f"({text})"


def _listed(expressions: Iterable[Expression]) -> str:
    return f"({', '.join([text_of(expression) for expression in expressions])})"


def _or(node: Or) -> str:
    return " || ".join([_within(operand, _AND) for operand in node.operands])


def _and(node: And) -> str:
    return " && ".join([_within(operand, _RELATION) for operand in node.operands])


def _not(node: Not) -> str:
    least = _UNARY if isinstance(node.operand, Not) else _PRIMARY
    return f"!{_within(node.operand, least)}"


def _compare(node: Compare) -> str:
    return f"{_within(node.left, _SUM)} {node.operator.value} {_within(node.right, _SUM)}"


def _in(node: In) -> str:
    return f"{_within(node.operand, _SUM)} IN {_listed(node.choices)}"


def _not_in(node: NotIn) -> str:
    return f"{_within(node.operand, _SUM)} NOT IN {_listed(node.choices)}"


def _arithmetic(node: Arithmetic) -> str:
    least = _level(node) + 1
    words = [_within(node.first, least)]
    for step in node.rest:
        words.append(step.operator.value)
        words.append(_within(step.operand, least))
    return " ".join(words)


def _signed(node: Signed) -> str:
    return f"{node.sign.value} {_within(node.operand, _PRIMARY)}"


def _function_call(node: FunctionCall) -> str:
    return f"{node.function}{_listed(node.arguments)}"


def _built_in(node: BuiltIn) -> str:
    return f"{node.name}{_listed(node.arguments)}"


def _exists(node: Exists) -> str:
    return f"EXISTS {text_of(node.group)}"


def _not_exists(node: NotExists) -> str:
    return f"NOT EXISTS {text_of(node.group)}"


def _aggregate(node: Aggregate) -> str:
    distinct = "DISTINCT " if node.distinct else ""
    argument = "*" if node.argument is None else text_of(node.argument)
    separator = "" if node.separator is None else f" ; SEPARATOR = {Literal(node.separator)}"
    return f"{node.name}({distinct}{argument}{separator})"


register(
    {
        Or: _or,
        And: _and,
        Not: _not,
        Compare: _compare,
        In: _in,
        NotIn: _not_in,
        Arithmetic: _arithmetic,
        Signed: _signed,
        FunctionCall: _function_call,
        BuiltIn: _built_in,
        Exists: _exists,
        NotExists: _not_exists,
        Aggregate: _aggregate,
    }
)
