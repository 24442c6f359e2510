"""SPARQL's functions. Those that are common in filters are done here; for all others Oxigraph is asked.

A function gets terms, never an error: who has one of those does not call it. It returns None for an error.
"""

from __future__ import annotations

from collections.abc import Callable

from triplewire.evaluation.expressions.by_oxigraph import computed
from triplewire.languages.sparql.syntax.iris import resolve
from triplewire.rdf.literals.values import Kind, contains, ends_with, kind_of, starts_with, value_of
from triplewire.rdf.terms import RDF, XSD, BlankNode, Literal, NamedNode, Term

Function = Callable[..., Term | None]
Test = Callable[..., bool | None]

TRUE = Literal("true", datatype=XSD["boolean"])
FALSE = Literal("false", datatype=XSD["boolean"])
INTEGER = XSD["integer"]
_STRING = XSD["string"]
_TEXTS = frozenset((_STRING, RDF["langString"]))
_NEEDS_LANGUAGE = frozenset((RDF["langString"], RDF["dirLangString"]))
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


def effective_boolean_value(term: Term | None) -> bool | None:
    """Section 17.2.2; None for an error."""
    if term is TRUE or term == TRUE:
        return True
    if term is FALSE or term == FALSE:
        return False
    if not isinstance(term, Literal):
        return None
    value = value_of(term)
    if value.kind is Kind.STRING:
        return bool(term.value)
    if value.kind is Kind.BOOLEAN:
        return bool(value.content)
    if value.kind is Kind.NUMERIC:
        number = value.content.value
        return bool(number) and number == number
    return None


def boolean(value: bool | None) -> Term | None:
    """A truth value as a term."""
    return None if value is None else TRUE if value else FALSE


def integer(value: int) -> Term | None:
    """An integer as a term; one of more than 64 bits is an error."""
    return Literal(str(value), datatype=INTEGER) if _SMALLEST <= value <= _LARGEST else None


def add(a: Term, b: Term) -> Term | None:
    """a + b."""
    return _calculated("+", int.__add__, a, b)


def subtract(a: Term, b: Term) -> Term | None:
    """a - b."""
    return _calculated("-", int.__sub__, a, b)


def multiply(a: Term, b: Term) -> Term | None:
    """a * b."""
    return _calculated("*", int.__mul__, a, b)


def divide(a: Term, b: Term) -> Term | None:
    """a / b."""
    return computed("{} / {}", a, b)


def _calculated(sign: str, of_integers: Callable[[int, int], int], a: Term, b: Term) -> Term | None:
    if isinstance(a, Literal) and isinstance(b, Literal) and a.datatype == b.datatype == INTEGER:
        x, y = value_of(a).content, value_of(b).content
        if kind_of(a) is kind_of(b) is Kind.NUMERIC:
            return integer(of_integers(x.value, y.value))
    return computed(f"{{}} {sign} {{}}", a, b)


def iri(term: Term, base: str) -> Term | None:
    """The IRI that a string names, resolved against a base."""
    if isinstance(term, NamedNode):
        return term
    if not isinstance(term, Literal) or term.datatype != _STRING:
        return None
    try:
        return NamedNode(resolve(base, term.value))
    except ValueError:
        return None


def _str(term: Term) -> Term | None:
    return Literal(term.value) if isinstance(term, NamedNode | Literal) else None


def _lang(term: Term) -> Term | None:
    return Literal(term.language or "") if isinstance(term, Literal) else None


def _datatype(term: Term) -> Term | None:
    return term.datatype if isinstance(term, Literal) else None


def _length(term: Term) -> Term | None:
    if isinstance(term, Literal) and term.datatype in _TEXTS:
        return Literal(str(len(term.value)), datatype=INTEGER)
    return None


def typed(text: Term, datatype: Term, kept: Callable[[Term], Term]) -> Term | None:
    """STRDT: a literal as it is told, in the form in which the dataset keeps it."""
    if not isinstance(text, Literal) or text.datatype != _STRING or not isinstance(datatype, NamedNode):
        return None
    if datatype in _NEEDS_LANGUAGE:
        return None
    return kept(Literal(text.value, datatype=datatype))


FUNCTIONS: dict[str, Function] = {
    "STR": _str,
    "LANG": _lang,
    "DATATYPE": _datatype,
    "STRLEN": _length,
}

TESTS: dict[str, Test] = {
    "SAMETERM": lambda a, b: a == b,
    "ISIRI": lambda term: isinstance(term, NamedNode),
    "ISURI": lambda term: isinstance(term, NamedNode),
    "ISBLANK": lambda term: isinstance(term, BlankNode),
    "ISLITERAL": lambda term: isinstance(term, Literal),
    "ISNUMERIC": lambda term: kind_of(term) is Kind.NUMERIC,
    "CONTAINS": contains,
    "STRSTARTS": starts_with,
    "STRENDS": ends_with,
}
