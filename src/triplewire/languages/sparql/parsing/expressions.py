"""Expressions, by recursive descent: one function per level of precedence, chains read in a loop."""

from __future__ import annotations

from triplewire.algebra.constraints import Comparator
from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.parsing.calls import aggregate, built_in, function_call
from triplewire.languages.sparql.syntax.ast import (
    And,
    Arithmetic,
    Compare,
    Exists,
    Expression,
    Group,
    In,
    Not,
    NotExists,
    NotIn,
    Operation,
    Operator,
    Or,
    Signed,
)
from triplewire.languages.sparql.syntax.cursor import Cursor
from triplewire.languages.sparql.syntax.functions import AGGREGATES, BUILT_INS
from triplewire.languages.sparql.syntax.terms import iri, is_iri, is_number, is_variable, literal_if_any

_COMPARATORS = {comparator.value: comparator for comparator in Comparator}
_SUMS = {"+": Operator.PLUS, "-": Operator.MINUS}
_PRODUCTS = {"*": Operator.TIMES, "/": Operator.DIVIDED}
_SIGNS = ("+", "-")


def expression(cursor: Cursor) -> Expression:
    """`a && b || c && d || ...`."""
    choices = [_conjunction(cursor)]
    while cursor.tokens[cursor.at] == "||":
        cursor.at += 1
        choices.append(_conjunction(cursor))
        _check_chain(cursor, len(choices))
    return choices[0] if len(choices) == 1 else Or(tuple(choices))


def bracketed(cursor: Cursor) -> Expression:
    """`( expression )`."""
    cursor.enter()
    cursor.expect("(")
    inner = expression(cursor)
    cursor.expect(")")
    cursor.leave()
    return inner


def constraint(cursor: Cursor) -> Expression:
    """What FILTER, HAVING and ORDER BY take without a name: brackets or a call."""
    token = cursor.tokens[cursor.at]
    if token == "(":
        return bracketed(cursor)
    if is_iri(token):
        return function_call(cursor, iri(cursor), expression)
    called = _call_if_any(cursor)
    if called is None:
        cursor.fail("a condition: '(' or a function")
    return called


def begins_constraint(token: str) -> bool:
    if token == "(" or is_iri(token):
        return True
    word = token.upper()
    return word in BUILT_INS or word in AGGREGATES or word in ("EXISTS", "NOT")


def _check_chain(cursor: Cursor, length: int) -> None:
    if length > cursor.limits.chain:
        cursor.exceed("chain", cursor.limits.chain, "operands of one operator")


def _conjunction(cursor: Cursor) -> Expression:
    operands = [_relation(cursor)]
    while cursor.tokens[cursor.at] == "&&":
        cursor.at += 1
        operands.append(_relation(cursor))
        _check_chain(cursor, len(operands))
    return operands[0] if len(operands) == 1 else And(tuple(operands))


def _relation(cursor: Cursor) -> Expression:
    left = _sum(cursor)
    token = cursor.tokens[cursor.at]
    comparator = _COMPARATORS.get(token)
    if comparator is not None:
        cursor.at += 1
        return Compare(comparator, left, _sum(cursor))
    if token == ")" or token == "&&":
        return left
    word = token.upper()
    if word == "IN":
        cursor.at += 1
        return In(left, _choices(cursor))
    if word == "NOT":
        cursor.at += 1
        cursor.expect_word("IN")
        return NotIn(left, _choices(cursor))
    return left


def _choices(cursor: Cursor) -> tuple[Expression, ...]:
    cursor.enter()
    cursor.expect("(")
    choices: list[Expression] = []
    if not cursor.skip(")"):
        choices.append(expression(cursor))
        while cursor.skip(","):
            choices.append(expression(cursor))
        cursor.expect(")")
    cursor.leave()
    return tuple(choices)


def _sum(cursor: Cursor) -> Expression:
    first = _product(cursor)
    rest: list[Operation] = []
    while True:
        token = cursor.tokens[cursor.at]
        if token[:1] not in _SIGNS:
            break
        # `1 -2` is written without an operator: the sign belongs to the number.
        operator = _SUMS.get(token)
        cursor.at += operator is not None
        rest.append(Operation(operator or Operator.PLUS, _product(cursor)))
        _check_chain(cursor, len(rest))
    return Arithmetic(first, tuple(rest)) if rest else first


def _product(cursor: Cursor) -> Expression:
    first = _unary(cursor)
    rest: list[Operation] = []
    while (operator := _PRODUCTS.get(cursor.tokens[cursor.at])) is not None:
        cursor.at += 1
        rest.append(Operation(operator, _unary(cursor)))
        _check_chain(cursor, len(rest))
    return Arithmetic(first, tuple(rest)) if rest else first


def _unary(cursor: Cursor) -> Expression:
    token = cursor.tokens[cursor.at]
    if token == "!":
        return _negation(cursor)
    sign = _SUMS.get(token)
    if sign is None:
        return _primary(cursor)
    cursor.at += 1
    return Signed(sign, _primary(cursor))


def _negation(cursor: Cursor) -> Expression:
    """`! ! ... operand`: SPARQL allows one `!` before a primary expression, and so a chain only through it."""
    count = 0
    while cursor.skip("!"):
        cursor.enter()
        count += 1
    operand = _primary(cursor)
    for _ in range(count):
        cursor.leave()
        operand = Not(operand)
    return operand


def _primary(cursor: Cursor) -> Expression:
    token = cursor.tokens[cursor.at]
    if is_variable(token):
        cursor.at += 1
        return Variable(token[1:])
    if token == "(":
        return bracketed(cursor)
    if is_iri(token):
        return _iri_or_call(cursor)
    if not is_number(token):
        called = _call_if_any(cursor)
        if called is not None:
            return called
    literal = literal_if_any(cursor)
    if literal is None:
        cursor.fail("an expression")
    return literal


def _iri_or_call(cursor: Cursor) -> Expression:
    name = iri(cursor)
    return function_call(cursor, name, expression) if cursor.tokens[cursor.at] == "(" else name


def _call_if_any(cursor: Cursor) -> Expression | None:
    word = cursor.tokens[cursor.at].upper()
    if word in BUILT_INS:
        return built_in(cursor, word, expression)
    if word in AGGREGATES:
        return aggregate(cursor, word, expression)
    if word == "EXISTS":
        cursor.at += 1
        return Exists(_group(cursor))
    if word == "NOT":
        cursor.at += 1
        cursor.expect_word("EXISTS")
        return NotExists(_group(cursor))
    return None


def _group(cursor: Cursor) -> Group:
    """The group of an EXISTS: blocks of its own, inside a basic graph pattern that goes on behind the FILTER."""
    around = cursor.block
    cursor.end_block()
    group = cursor.read_group(cursor)
    cursor.block = around
    return group
