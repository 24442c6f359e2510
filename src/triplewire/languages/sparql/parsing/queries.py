"""Whole queries: the three forms, with their patterns and solution modifiers."""

from __future__ import annotations

from typing import NoReturn

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.parsing.aggregation import checked_grouping, checked_projection, grouped_where
from triplewire.languages.sparql.parsing.expressions import expression
from triplewire.languages.sparql.parsing.modifiers import modifiers
from triplewire.languages.sparql.parsing.paths import simple_verb
from triplewire.languages.sparql.parsing.prologue import prologue
from triplewire.languages.sparql.parsing.triples import triples
from triplewire.languages.sparql.parsing.values import values
from triplewire.languages.sparql.syntax.ast import (
    Alias,
    AskQuery,
    ConstructQuery,
    Duplicates,
    Group,
    Query,
    SelectQuery,
    SubSelect,
    TriplePattern,
    TriplesBlock,
    Values,
)
from triplewire.languages.sparql.syntax.cursor import Cursor
from triplewire.languages.sparql.syntax.terms import iri, is_variable, variable

_UPDATES = frozenset(("INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "WITH"))


def query(cursor: Cursor) -> Query:
    """A query, prologue included, to the end of the text."""
    prologue(cursor)
    found = form(cursor)
    if cursor.tokens[cursor.at]:
        cursor.fail("the end of the query")
    return found


def subselect(cursor: Cursor) -> SubSelect:
    """A SELECT within braces."""
    return SubSelect(_select(cursor))


def form(cursor: Cursor) -> Query:
    """SELECT, ASK or CONSTRUCT, whichever stands here."""
    word = cursor.word()
    if word == "SELECT":
        return _select(cursor)
    if word == "ASK":
        return _ask(cursor)
    if word == "CONSTRUCT":
        return _construct(cursor)
    return _no_query(cursor, word)


def _no_query(cursor: Cursor, word: str) -> NoReturn:
    if word == "DESCRIBE":
        cursor.refuse("DESCRIBE", wanted="SELECT, ASK or CONSTRUCT", found="DESCRIBE")
    if word in _UPDATES:
        cursor.refuse(word, wanted="a query", found=f"{word}, an update")
    cursor.fail("SELECT, ASK or CONSTRUCT")


def _select(cursor: Cursor) -> SelectQuery:
    start = cursor.at
    cursor.at += 1
    outer, cursor.aggregated = cursor.aggregated, False
    duplicates = _duplicates(cursor)
    cursor.may_aggregate = True
    projection = _projection(cursor)
    cursor.may_aggregate = False
    pattern = where(cursor)
    selected = SelectQuery(projection, pattern, duplicates, modifiers(cursor), trailing_values(cursor))
    grouped, cursor.aggregated = cursor.aggregated or bool(selected.modifiers.group_by), outer
    return checked_grouping(cursor, selected, start) if grouped else checked_projection(cursor, selected, start)


def _duplicates(cursor: Cursor) -> Duplicates:
    if cursor.skip_word("DISTINCT"):
        return Duplicates.DISTINCT
    return Duplicates.REDUCED if cursor.skip_word("REDUCED") else Duplicates.KEPT


def _projection(cursor: Cursor) -> tuple[Variable | Alias, ...] | None:
    if cursor.skip("*"):
        return None
    items: list[Variable | Alias] = []
    while True:
        token = cursor.tokens[cursor.at]
        if is_variable(token):
            cursor.at += 1
            items.append(Variable(token[1:]))
        elif token == "(":
            items.append(_alias(cursor))
        elif items:
            return tuple(items)
        else:
            cursor.fail("'*', a variable or '(expression AS ?variable)'")


def _alias(cursor: Cursor) -> Alias:
    cursor.enter()
    cursor.at += 1
    computed = expression(cursor)
    cursor.expect_word("AS")
    name = variable(cursor)
    cursor.expect(")")
    cursor.leave()
    return Alias(computed, name)


def where(cursor: Cursor) -> Group:
    """FROM as far as it may stand here, then the pattern."""
    from_clauses(cursor)
    cursor.skip_word("WHERE")
    cursor.end_block()
    return cursor.read_group(cursor)


def from_clauses(cursor: Cursor) -> None:
    """FROM and FROM NAMED, which only a query over a dataset may have, and none of its sub-selects."""
    while cursor.word() == "FROM":
        is_named = cursor.tokens[cursor.at + 1].upper() == "NAMED"
        feature = "FROM NAMED" if is_named else "FROM"
        if cursor.from_graphs is None:
            cursor.refuse(feature, wanted="a query over the event itself", found=feature)
        if cursor.depth:
            cursor.fail("FROM in the outermost query only")
        cursor.at += 2 if is_named else 1
        cursor.from_graphs[is_named].append(iri(cursor))


def trailing_values(cursor: Cursor) -> Values | None:
    """VALUES behind a query, if any."""
    return values(cursor) if cursor.skip_word("VALUES") else None


def _ask(cursor: Cursor) -> AskQuery:
    cursor.at += 1
    asked = AskQuery(where(cursor), modifiers(cursor), trailing_values(cursor))
    if cursor.aggregated or asked.modifiers.group_by:
        return AskQuery(grouped_where(cursor, asked))
    return asked


def _construct(cursor: Cursor) -> ConstructQuery:
    cursor.at += 1
    if cursor.tokens[cursor.at] == "{":
        template = _template(cursor)
        pattern = where(cursor)
    else:
        template = _short_form(cursor)
        pattern = Group((TriplesBlock(template),) if template else ())
    built = ConstructQuery(template, pattern, modifiers(cursor), trailing_values(cursor))
    if cursor.aggregated or built.modifiers.group_by:
        return ConstructQuery(template, grouped_where(cursor, built))
    return built


def _template(cursor: Cursor) -> tuple[TriplePattern, ...]:
    """Labels in a template are its own: they may be used in the pattern too, for something else."""
    found = _plain_triples(cursor)
    cursor.labels = {}
    return found


def _short_form(cursor: Cursor) -> tuple[TriplePattern, ...]:
    from_clauses(cursor)
    cursor.expect_word("WHERE")
    found = _plain_triples(cursor)
    cursor.count_patterns(len(found))
    return found


def _plain_triples(cursor: Cursor) -> tuple[TriplePattern, ...]:
    cursor.expect("{")
    found: tuple[TriplePattern, ...] = ()
    if cursor.tokens[cursor.at] != "}":
        found = triples(cursor, simple_verb)
    cursor.expect("}")
    return found
