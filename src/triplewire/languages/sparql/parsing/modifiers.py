"""Solution modifiers: GROUP BY, HAVING, ORDER BY, LIMIT and OFFSET."""

from __future__ import annotations

from triplewire.languages.sparql.parsing.expressions import begins_constraint, bracketed, constraint, expression
from triplewire.languages.sparql.syntax.ast import NO_MODIFIERS, Alias, Expression, Modifiers, OrderKey
from triplewire.languages.sparql.syntax.cursor import Cursor
from triplewire.languages.sparql.syntax.terms import is_variable, variable

_MODIFYING = frozenset(("GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET"))
# No event has that many solutions, and Oxigraph counts no further.
_MOST = 2**63 - 1


def modifiers(cursor: Cursor) -> Modifiers:
    """Whatever modifiers stand here, in the grammar's order."""
    if cursor.word() not in _MODIFYING:
        return NO_MODIFIERS
    group_by = _group_by(cursor) if cursor.skip_word("GROUP") else ()
    cursor.may_aggregate = True
    having = _having(cursor) if cursor.skip_word("HAVING") else ()
    order_by = _order_by(cursor) if cursor.skip_word("ORDER") else ()
    cursor.may_aggregate = False
    return _sliced(cursor, Modifiers(group_by, having, order_by))


def _sliced(cursor: Cursor, ordered: Modifiers) -> Modifiers:
    limit = _number(cursor) if cursor.skip_word("LIMIT") else None
    offset = _number(cursor) if cursor.skip_word("OFFSET") else None
    if limit is None and cursor.skip_word("LIMIT"):
        limit = _number(cursor)
    return Modifiers(ordered.group_by, ordered.having, ordered.order_by, limit, offset)


def _group_by(cursor: Cursor) -> tuple[Expression | Alias, ...]:
    cursor.expect_word("BY")
    keys = [_group_key(cursor)]
    while is_variable(cursor.tokens[cursor.at]) or begins_constraint(cursor.tokens[cursor.at]):
        keys.append(_group_key(cursor))
    return tuple(keys)


def _group_key(cursor: Cursor) -> Expression | Alias:
    token = cursor.tokens[cursor.at]
    if is_variable(token):
        return variable(cursor)
    if token != "(":
        return constraint(cursor)
    cursor.enter()
    cursor.at += 1
    computed = expression(cursor)
    key = Alias(computed, variable(cursor)) if cursor.skip_word("AS") else computed
    cursor.expect(")")
    cursor.leave()
    return key


def _having(cursor: Cursor) -> tuple[Expression, ...]:
    conditions = [constraint(cursor)]
    while begins_constraint(cursor.tokens[cursor.at]):
        conditions.append(constraint(cursor))
    return tuple(conditions)


def _order_by(cursor: Cursor) -> tuple[OrderKey, ...]:
    cursor.expect_word("BY")
    keys = [_order_key(cursor)]
    while _begins_order_key(cursor.tokens[cursor.at]):
        keys.append(_order_key(cursor))
    return tuple(keys)


def _begins_order_key(token: str) -> bool:
    return is_variable(token) or token.upper() in ("ASC", "DESC") or begins_constraint(token)


def _order_key(cursor: Cursor) -> OrderKey:
    if cursor.skip_word("DESC"):
        return OrderKey(bracketed(cursor), descending=True)
    if cursor.skip_word("ASC"):
        return OrderKey(bracketed(cursor))
    if is_variable(cursor.tokens[cursor.at]):
        return OrderKey(variable(cursor))
    return OrderKey(constraint(cursor))


def _number(cursor: Cursor) -> int:
    token = cursor.tokens[cursor.at]
    if not (token.isascii() and token.isdigit()):
        cursor.fail("a number of solutions")
    cursor.at += 1
    return min(int(token), _MOST) if len(token) < 100 else _MOST
