"""What a query that groups may project, and how ASK, CONSTRUCT and DESCRIBE group.

A query groups if it has GROUP BY or an aggregate. Then only keys of the grouping, aggregates and what VALUES behind the
query brings can be projected. ASK, CONSTRUCT and DESCRIBE with grouping are spelled out as a sub-select, which is
the one place where grouping is evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.syntax.ast import (
    Aggregate,
    Alias,
    AskQuery,
    BuiltIn,
    ConstructQuery,
    Exists,
    Expression,
    Group,
    NotExists,
    SelectQuery,
    SubSelect,
)
from triplewire.languages.sparql.syntax.cursor import Cursor
from triplewire.languages.sparql.syntax.datasets import DescribeQuery
from triplewire.languages.sparql.syntax.scope import visible_in
from triplewire.languages.trees import is_higher_than, transform, walk

_OPAQUE = (Aggregate, Exists, NotExists)
_CHANGING = frozenset(("RAND", "UUID", "STRUUID", "BNODE"))
_MOST_NODES = 5_000


def checked_projection(cursor: Cursor, query: SelectQuery, start: int) -> SelectQuery:
    """A query that does not group, repeats in its projection dropped, if the projection obeys the rules of scope."""
    if query.projection is None:
        return query
    if any(isinstance(item, Alias) for item in query.projection):
        _check_aliases(cursor, query, start)
    return _without_repeats(query)


def checked_grouping(cursor: Cursor, query: SelectQuery, start: int) -> SelectQuery:
    """The same for a query that groups."""
    if query.projection is None:
        cursor.reject(wanted="a projection by name where the query groups", found="SELECT *", at=start)
    query = _with_aliases_inlined(cursor, query, start)
    _check_keys(cursor, query, start)
    _check_aliases(cursor, query, start)
    return _without_repeats(query)


def grouped_where(cursor: Cursor, query: AskQuery | ConstructQuery | DescribeQuery) -> Group:
    """The pattern of an ASK, CONSTRUCT or DESCRIBE that groups: a sub-select of its keys."""
    projection: tuple[Variable | Alias, ...] = tuple(dict.fromkeys(_keys(query)))
    # The pattern moves one level deeper.
    cursor.deepest += 1
    cursor.check_depth(cursor.deepest)
    if not projection:
        projection = (Alias(Aggregate("COUNT", None), cursor.fresh_variable()),)
    select = SelectQuery(projection, query.where, modifiers=query.modifiers, values=query.values)
    return Group((SubSelect(checked_grouping(cursor, select, 0)),))


def _without_repeats(query: SelectQuery) -> SelectQuery:
    assert query.projection is not None
    defined = {item.variable for item in query.projection if isinstance(item, Alias)}
    kept = tuple(dict.fromkeys(i for i in query.projection if isinstance(i, Alias) or i not in defined))
    return query if len(kept) == len(query.projection) else msgspec.structs.replace(query, projection=kept)


def _check_aliases(cursor: Cursor, query: SelectQuery, start: int) -> None:
    taken = set(visible_in(query.where, *([query.values] if query.values else [])))
    for key in query.modifiers.group_by:
        if isinstance(key, Alias):
            _take(cursor, key.variable, taken, start)
    for item in query.projection or ():
        if isinstance(item, Alias):
            _take(cursor, item.variable, taken, start)
        else:
            taken.add(item)


def _take(cursor: Cursor, name: Variable, taken: set[Variable], start: int) -> None:
    if name in taken:
        cursor.reject(wanted="a new variable after AS", found=f"{name}, which is in use", at=start)
    taken.add(name)


def _keys(query: SelectQuery | AskQuery | ConstructQuery | DescribeQuery) -> Iterator[Variable]:
    """What can be projected by name. VALUES behind the query is joined with the groups (18.2.4.3)."""
    for key in query.modifiers.group_by:
        if isinstance(key, Alias):
            yield key.variable
        elif isinstance(key, Variable):
            yield key
    if query.values is not None:
        yield from query.values.variables


def _check_keys(cursor: Cursor, query: SelectQuery, start: int) -> None:
    keys = set(_keys(query))
    for item in query.projection or ():
        free = _free_variables(item.expression) if isinstance(item, Alias) else (item,)
        for name in free:
            if name not in keys:
                cursor.reject(wanted="a key of GROUP BY or an aggregate in SELECT", found=str(name), at=start)


def _free_variables(expression: Expression) -> Iterator[Variable]:
    """Variables outside of aggregates and EXISTS."""
    return (node for node in walk(expression, closed=_OPAQUE) if isinstance(node, Variable))


def _with_aliases_inlined(cursor: Cursor, query: SelectQuery, start: int) -> SelectQuery:
    """`(COUNT(?x) AS ?n) (?n + 1 AS ?m)`: Oxigraph wants the aggregate itself in the second expression."""
    known: dict[Variable, Expression] = {}
    items: list[Variable | Alias] = []
    for item in query.projection or ():
        if isinstance(item, Alias):
            item = Alias(_inlined(cursor, item.expression, known, start), item.variable)
            known[item.variable] = item.expression
        elif item in known:
            continue
        items.append(item)
    return msgspec.structs.replace(query, projection=tuple(items))


def _inlined(cursor: Cursor, expression: Expression, known: dict[Variable, Expression], start: int) -> Expression:
    used = [known[name] for name in _free_variables(expression) if name in known]
    if not used:
        return expression
    nodes = [node for part in used for node in walk(part)]
    if len(nodes) > _MOST_NODES:
        cursor.exceed("expression", _MOST_NODES, "parts of one expression of SELECT, aliases spelled out")
    if any(isinstance(node, BuiltIn) and node.name in _CHANGING for node in nodes):
        cursor.reject(
            wanted="no use of a random value by a later expression of a SELECT that groups", found="one", at=start
        )
    spelled_out = transform(
        expression, lambda node: known.get(node, node) if isinstance(node, Variable) else node, _OPAQUE
    )
    if is_higher_than(spelled_out, cursor.limits.depth - cursor.depth - 2):
        cursor.exceed("depth", cursor.limits.depth, "levels of nesting, expressions of SELECT spelled out")
    return spelled_out
