"""The prologue: PREFIX and BASE, before a query and between the operations of an update."""

from __future__ import annotations

from triplewire.languages.sparql.syntax.cursor import Cursor
from triplewire.languages.sparql.syntax.iris import resolve
from triplewire.languages.sparql.syntax.terms import is_iri
from triplewire.rdf.terms import NamedNode


def prologue(cursor: Cursor) -> None:
    """As many declarations as stand here."""
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
