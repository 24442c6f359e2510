"""IRIs, literals, variables and blank nodes."""

from __future__ import annotations

import re

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.syntax.ast import Term
from triplewire.languages.sparql.syntax.cursor import Cursor
from triplewire.languages.sparql.syntax.iris import resolve
from triplewire.languages.sparql.syntax.tokens import string_value
from triplewire.rdf.terms import RDF, XSD, Literal, NamedNode

TYPE = RDF["type"]
_INTEGER = XSD["integer"]
_DECIMAL = XSD["decimal"]
_DOUBLE = XSD["double"]
BOOLEAN = XSD["boolean"]
_LOCAL_ESCAPE = re.compile(r"\\(.)")
_DIGITS = frozenset("0123456789")
_SIGNS = frozenset("+-.")


def is_variable(token: str) -> bool:
    return token[:1] in "?$" and len(token) > 1


def is_number(token: str) -> bool:
    """A number, signed or not; a lone sign or dot is none."""
    return token[:1] in _DIGITS or (token[:1] in _SIGNS and len(token) > 1)


def is_iri(token: str) -> bool:
    """An IRI or a prefixed name."""
    if token[:1] == "<":
        return token[-1] == ">" and len(token) > 1
    return ":" in token and token[0] not in "_\"'"


def term(cursor: Cursor) -> Term:
    """A variable, IRI, literal or blank node."""
    token = cursor.tokens[cursor.at]
    first = token[:1]
    if first in ("?", "$") and len(token) > 1:
        cursor.at += 1
        return Variable(token[1:])
    if first == "_" and token[1:2] == ":":
        return blank(cursor)
    if is_iri(token):
        return iri(cursor)
    found = literal_if_any(cursor)
    if found is None:
        cursor.fail("a term (variable, IRI, literal or blank node)")
    return found


def variable(cursor: Cursor) -> Variable:
    token = cursor.tokens[cursor.at]
    if not is_variable(token):
        cursor.fail("a variable")
    cursor.at += 1
    return Variable(token[1:])


def blank(cursor: Cursor) -> Variable:
    """A blank node by its label, which must not be used in another basic graph pattern."""
    token = cursor.tokens[cursor.at]
    if cursor.labels.setdefault(token, cursor.block) != cursor.block:
        cursor.reject(wanted="a blank-node label of this basic graph pattern", found=f"{token}, which another one uses")
    cursor.at += 1
    return Variable(token)


def iri(cursor: Cursor) -> NamedNode:
    token = cursor.tokens[cursor.at]
    if not is_iri(token):
        cursor.fail("an IRI")
    text = _reference(cursor, token) if token[0] == "<" else _expanded(cursor, token)
    try:
        node = NamedNode(text)
    except ValueError as error:
        cursor.reject(wanted="an absolute IRI", found=f"<{text}>: {error}")
    cursor.at += 1
    return node


def _reference(cursor: Cursor, token: str) -> str:
    return token[1:-1] if cursor.base is None else resolve(cursor.base, token[1:-1])


def _expanded(cursor: Cursor, token: str) -> str:
    prefix, _, local = token.partition(":")
    namespace = cursor.prefixes.get(prefix)
    if namespace is None:
        cursor.reject(wanted="a declared prefix", found=f"'{prefix}:', which no PREFIX declares")
    return namespace + (_LOCAL_ESCAPE.sub(r"\1", local) if "\\" in local else local)


def literal_if_any(cursor: Cursor) -> Literal | None:
    """A literal, or None where none stands here."""
    token = cursor.tokens[cursor.at]
    first = token[:1]
    if first == '"' or first == "'":
        return _string(cursor)
    if is_number(token):
        cursor.at += 1
        return Literal(token, datatype=number_type(token))
    if token.lower() in ("true", "false"):
        cursor.at += 1
        return Literal(token.lower(), datatype=BOOLEAN)
    return None


def text(cursor: Cursor) -> str:
    """A string without language or datatype."""
    token = cursor.tokens[cursor.at]
    if token[:1] not in ('"', "'"):
        cursor.fail("a string")
    value = string_value(token, cursor.reject)
    cursor.at += 1
    return value


def number_type(token: str) -> NamedNode:
    if "e" in token or "E" in token:
        return _DOUBLE
    return _DECIMAL if "." in token else _INTEGER


def _string(cursor: Cursor) -> Literal:
    value = text(cursor)
    following = cursor.tokens[cursor.at]
    if following == "^^":
        cursor.at += 1
        return _typed(cursor, value)
    if following[:1] == "@" and len(following) > 1:
        return _tagged(cursor, value, following[1:])
    return Literal(value)


def _typed(cursor: Cursor, value: str) -> Literal:
    return Literal(value, datatype=iri(cursor))


def _tagged(cursor: Cursor, value: str, language: str) -> Literal:
    try:
        literal = Literal(value, language=language)
    except ValueError as error:
        cursor.reject(wanted="a language tag", found=f"@{language}: {error}")
    cursor.at += 1
    return literal
