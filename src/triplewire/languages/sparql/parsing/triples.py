"""Triples as they are written: `;` and `,` lists, `[ ... ]` and `( ... )`, spelled out as one pattern each."""

from __future__ import annotations

from collections.abc import Callable

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.parsing.paths import begins_verb
from triplewire.languages.sparql.syntax.ast import Path, Term, TriplePattern
from triplewire.languages.sparql.syntax.cursor import Cursor
from triplewire.languages.sparql.syntax.terms import is_iri, is_number, is_variable, term
from triplewire.rdf.terms import RDF

ReadVerb = Callable[[Cursor], Variable | Path]

_FIRST, _REST, _NIL = RDF["first"], RDF["rest"], RDF["nil"]
_QUOTED_OR_BLANK = frozenset("_\"'")
_OPENING = frozenset(("[", "(", "true", "false"))


def begins_triples(token: str) -> bool:
    """Whether a subject may begin with this token."""
    return (
        is_variable(token)
        or is_iri(token)
        or token[:1] in _QUOTED_OR_BLANK
        or token.lower() in _OPENING
        or is_number(token)
    )


def triples(cursor: Cursor, read_verb: ReadVerb) -> tuple[TriplePattern, ...]:
    """`subject verb object ; ... . subject ...`, as far as it goes."""
    out: list[TriplePattern] = []
    tokens = cursor.tokens
    while True:
        _same_subject(cursor, read_verb, out)
        if tokens[cursor.at] != ".":
            break
        cursor.at += 1
        if not begins_triples(tokens[cursor.at]):
            break
    cursor.count_patterns(len(out))
    return tuple(out)


def _same_subject(cursor: Cursor, read_verb: ReadVerb, out: list[TriplePattern]) -> None:
    token = cursor.tokens[cursor.at]
    if token not in ("[", "("):
        return _properties(cursor, term(cursor), read_verb, out)
    before = len(out)
    subject = _node(cursor, read_verb, out)
    if len(out) > before and not begins_verb(cursor.tokens[cursor.at]):
        return None
    return _properties(cursor, subject, read_verb, out)


def _properties(cursor: Cursor, subject: Term, read_verb: ReadVerb, out: list[TriplePattern]) -> None:
    tokens = cursor.tokens
    while True:
        predicate = read_verb(cursor)
        while True:
            out.append(TriplePattern(subject, predicate, _node(cursor, read_verb, out)))
            if tokens[cursor.at] != ",":
                break
            cursor.at += 1
        if tokens[cursor.at] != ";":
            return
        while tokens[cursor.at] == ";":
            cursor.at += 1
        if not begins_verb(tokens[cursor.at]):
            return


def _node(cursor: Cursor, read_verb: ReadVerb, out: list[TriplePattern]) -> Term:
    token = cursor.tokens[cursor.at]
    if token == "[":
        return _property_list(cursor, read_verb, out)
    if token == "(":
        return _collection(cursor, read_verb, out)
    return term(cursor)


def _property_list(cursor: Cursor, read_verb: ReadVerb, out: list[TriplePattern]) -> Term:
    cursor.enter()
    cursor.at += 1
    node = cursor.fresh_blank()
    if cursor.tokens[cursor.at] != "]":
        _properties(cursor, node, read_verb, out)
    cursor.expect("]")
    cursor.leave()
    return node


def _collection(cursor: Cursor, read_verb: ReadVerb, out: list[TriplePattern]) -> Term:
    cursor.enter()
    cursor.at += 1
    members: list[Term] = []
    while cursor.tokens[cursor.at] != ")":
        members.append(_node(cursor, read_verb, out))
        cursor.check_patterns(len(members))
    cursor.at += 1
    cursor.leave()
    return _linked(cursor, members, out)


def _linked(cursor: Cursor, members: list[Term], out: list[TriplePattern]) -> Term:
    """The cells of a list, and its head."""
    cells: list[Term] = [*(cursor.fresh_blank() for _ in members), _NIL]
    for cell, following, member in zip(cells, cells[1:], members, strict=False):
        out.append(TriplePattern(cell, _FIRST, member))
        out.append(TriplePattern(cell, _REST, following))
    return cells[0]
