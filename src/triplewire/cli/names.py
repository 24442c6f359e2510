"""Terms as people read them: Turtle's short forms, with the prefixes that everybody knows."""

from __future__ import annotations

import re
from collections.abc import Mapping

from triplewire.rdf.prefixes import WELL_KNOWN
from triplewire.rdf.terms import XSD, Literal, NamedNode, Term, Triple

_LOCAL = re.compile(r"[A-Za-z_][\w-]*(\.[\w-]+)*")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_BARE = {"true", "false"}


def short(term: Term, prefixes: Mapping[str, str] = WELL_KNOWN) -> str:
    """The term in Turtle, as short as it gets without losing anything.

    >>> short(Literal("2004", datatype=XSD["integer"])), short(NamedNode(f"{WELL_KNOWN['rdf']}type"))
    ('2004', 'rdf:type')
    """
    if isinstance(term, NamedNode):
        return _short_iri(term, prefixes)
    if isinstance(term, Literal):
        return _short_literal(term, prefixes)
    if isinstance(term, Triple):
        parts = (term.subject, term.predicate, term.object)
        return f"<<( {' '.join(short(part, prefixes) for part in parts)} )>>"
    return str(term)


def shortened(text: str, prefixes: Mapping[str, str] = WELL_KNOWN) -> str:
    """A sentence with each `<IRI>` in it shortened.

    >>> shortened("wanted ?x <http://purl.org/dc/elements/1.1/date> ?d")
    'wanted ?x dc:date ?d'
    """
    return re.sub(r"<([a-z][a-z0-9+.-]*:[^\s<>]*)>", lambda found: _short_name(found.group(1), prefixes), text)


def short_solution(solution: Mapping[str, Term], prefixes: Mapping[str, str] = WELL_KNOWN) -> str:
    """One solution on one line: `?x = ex:a, ?n = 1`."""
    return ", ".join(f"?{name} = {short(term, prefixes)}" for name, term in solution.items())


def _short_iri(iri: NamedNode, prefixes: Mapping[str, str]) -> str:
    return _short_name(iri.value, prefixes)


def _short_name(iri: str, prefixes: Mapping[str, str]) -> str:
    for prefix, namespace in prefixes.items():
        if iri.startswith(namespace) and _LOCAL.fullmatch(iri, len(namespace)):
            return f"{prefix}:{iri[len(namespace) :]}"
    return f"<{iri}>"


def _short_literal(literal: Literal, prefixes: Mapping[str, str]) -> str:
    if literal.datatype == XSD["integer"] and _INTEGER.fullmatch(literal.value):
        return literal.value
    if literal.datatype == XSD["boolean"] and literal.value in _BARE:
        return literal.value
    if literal.language is not None or literal.datatype == XSD["string"]:
        return str(literal)
    return f"{Literal(literal.value)}^^{_short_iri(literal.datatype, prefixes)}"
