"""VALUES: solutions written down in the query."""

from __future__ import annotations

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.syntax.ast import Values
from triplewire.languages.sparql.syntax.cursor import Cursor
from triplewire.languages.sparql.syntax.terms import iri, is_iri, is_variable, literal_if_any, variable
from triplewire.rdf.terms import Literal, NamedNode

Datum = NamedNode | Literal | None


def values(cursor: Cursor) -> Values:
    """`?x { ... }` or `(?x ?y) { (...) ... }`, after the keyword."""
    if is_variable(cursor.tokens[cursor.at]):
        return _one_variable(cursor)
    names = _names(cursor)
    cursor.expect("{")
    rows: list[tuple[Datum, ...]] = []
    while not cursor.skip("}"):
        rows.append(_row(cursor, len(names)))
    return Values(names, tuple(rows))


def _one_variable(cursor: Cursor) -> Values:
    name = variable(cursor)
    cursor.expect("{")
    rows: list[tuple[Datum, ...]] = []
    while not cursor.skip("}"):
        rows.append((_datum(cursor),))
    return Values((name,), tuple(rows))


def _names(cursor: Cursor) -> tuple[Variable, ...]:
    cursor.expect("(")
    names: dict[Variable, None] = {}
    while not cursor.skip(")"):
        name = variable(cursor)
        if name in names:
            cursor.reject(wanted="each variable of VALUES once", found=f"{name} again", at=cursor.at - 1)
        names[name] = None
    return tuple(names)


def _row(cursor: Cursor, width: int) -> tuple[Datum, ...]:
    start = cursor.at
    cursor.expect("(")
    row: list[Datum] = []
    while not cursor.skip(")"):
        row.append(_datum(cursor))
    if len(row) != width:
        cursor.reject(wanted=f"{width} value(s) in each row of VALUES", found=str(len(row)), at=start)
    return tuple(row)


def _datum(cursor: Cursor) -> Datum:
    if is_iri(cursor.tokens[cursor.at]):
        return iri(cursor)
    if cursor.skip_word("UNDEF"):
        return None
    literal = literal_if_any(cursor)
    if literal is None:
        cursor.fail("an IRI, a literal or UNDEF")
    return literal
