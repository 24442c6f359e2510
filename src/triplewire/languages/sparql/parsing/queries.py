"""Whole queries: the prologue, the three forms and their solution modifiers."""

from __future__ import annotations

from typing import NoReturn

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.parsing.aggregation import checked_grouping, checked_projection, grouped_where
from triplewire.languages.sparql.parsing.expressions import expression
from triplewire.languages.sparql.parsing.modifiers import modifiers
from triplewire.languages.sparql.parsing.paths import simple_verb
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
from triplewire.languages.sparql.syntax.iris import resolve
from triplewire.languages.sparql.syntax.terms import is_iri, is_variable, variable
from triplewire.rdf.terms import NamedNode

_UPDATES = frozenset(("INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "WITH"))


def query(cursor: Cursor) -> Query:
    """A query, prologue included, to the end of the text."""
    _prologue(cursor)
    found = _form(cursor)
    if cursor.tokens[cursor.at]:
        cursor.fail("the end of the query")
    return found


def subselect(cursor: Cursor) -> SubSelect:
    """A SELECT within braces."""
    return SubSelect(_select(cursor))


def _prologue(cursor: Cursor) -> None:
    while True:
        word = cursor.word()
        if word == "PREFIX":
            cursor.at += 1
            _prefix(cursor)
        elif word == "BASE":
            cursor.at += 1
            cursor.base = _namespace(cursor)
        else:
            return


def _prefix(cursor: Cursor) -> None:
    token = cursor.tokens[cursor.at]
    if not token.endswith(":") or token.count(":") > 1 or token[0] == "_":
        cursor.fail("a prefix that ends with ':'")
    cursor.at += 1
    cursor.prefixes[token[:-1]] = _namespace(cursor)


def _namespace(cursor: Cursor) -> str:
    token = cursor.tokens[cursor.at]
    if token[:1] != "<" or not is_iri(token):
        cursor.fail("an IRI in angle brackets")
    reference = token[1:-1]
    text = reference if cursor.base is None else resolve(cursor.base, reference)
    try:
        NamedNode(text)
    except ValueError as error:
        cursor.reject(wanted="an absolute IRI", found=f"<{text}>: {error}")
    cursor.at += 1
    return text


def _form(cursor: Cursor) -> Query:
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
    where = _where(cursor)
    selected = SelectQuery(projection, where, duplicates, modifiers(cursor), _trailing_values(cursor))
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


def _where(cursor: Cursor) -> Group:
    _refuse_dataset(cursor)
    cursor.skip_word("WHERE")
    cursor.end_block()
    return cursor.read_group(cursor)


def _refuse_dataset(cursor: Cursor) -> None:
    if cursor.word() == "FROM":
        feature = "FROM NAMED" if cursor.tokens[cursor.at + 1].upper() == "NAMED" else "FROM"
        cursor.refuse(feature, wanted="a query over the event itself", found=feature)


def _trailing_values(cursor: Cursor) -> Values | None:
    return values(cursor) if cursor.skip_word("VALUES") else None


def _ask(cursor: Cursor) -> AskQuery:
    cursor.at += 1
    asked = AskQuery(_where(cursor), modifiers(cursor), _trailing_values(cursor))
    if cursor.aggregated or asked.modifiers.group_by:
        return AskQuery(grouped_where(cursor, asked))
    return asked


def _construct(cursor: Cursor) -> ConstructQuery:
    cursor.at += 1
    if cursor.tokens[cursor.at] == "{":
        template = _template(cursor)
        where = _where(cursor)
    else:
        template = _short_form(cursor)
        where = Group((TriplesBlock(template),) if template else ())
    built = ConstructQuery(template, where, modifiers(cursor), _trailing_values(cursor))
    if cursor.aggregated or built.modifiers.group_by:
        return ConstructQuery(template, grouped_where(cursor, built))
    return built


def _template(cursor: Cursor) -> tuple[TriplePattern, ...]:
    """Labels in a template are its own: they may be used in the pattern too, for something else."""
    found = _plain_triples(cursor)
    cursor.labels = {}
    return found


def _short_form(cursor: Cursor) -> tuple[TriplePattern, ...]:
    _refuse_dataset(cursor)
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
