"""Which literals does Oxigraph keep as they are?

Its store holds numbers, booleans and dates by value: `"01"^^xsd:integer` comes back as `1`. Where a query or an event
holds such a literal, Oxigraph alone cannot say what the answer is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from pyoxigraph import Store

from triplewire.rdf.terms import XSD, DefaultGraph, Literal, NamedNode, Quad, Term, Triple

_ANY = NamedNode("urn:triplewire:any")
_LITERAL = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')\^\^(?:\w*:(\w+)|<([^>]*)>)""")
_STRING_OR_IRI = re.compile(
    r"""\"\"\".*?\"\"\"|'''.*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|<[^<>\s]*>""", re.DOTALL
)
_NUMBER = re.compile(r"(?<![\w:.?$])[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w:])")


@lru_cache(maxsize=65536)
def is_canonical(term: Term) -> bool:
    """Does the term come back from Oxigraph's store as it went in?

    >>> is_canonical(Literal("1", datatype=XSD["integer"])), is_canonical(Literal("01", datatype=XSD["integer"]))
    (True, False)
    """
    if isinstance(term, Triple):
        return is_canonical(term.subject) and is_canonical(term.object)
    if not isinstance(term, Literal):
        return True
    store = Store()
    store.add(Quad(_ANY, _ANY, term, DefaultGraph()))
    return bool(next(iter(store)).object == term)


def odd_literals_of(triples: Iterable[Triple]) -> list[Term]:
    """The objects that Oxigraph would write otherwise."""
    return [t.object for t in triples if not is_canonical(t.object)]


@lru_cache(maxsize=4096)
def odd_literals_in(text: str) -> tuple[Literal, ...]:
    """The literals of a SPARQL query that Oxigraph would write otherwise, found by eye: no parser is asked.

    >>> [literal.value for literal in odd_literals_in("SELECT * { ?s ?p 01, 7, '1.50'^^xsd:decimal FILTER(?x < 2.0) }")]
    ['1.50', '01', '2.0']
    """
    return tuple(literal for literal in _literals(text) if not is_canonical(literal))


def _literals(text: str) -> Iterator[Literal]:
    for quoted, local, iri in _LITERAL.findall(text):
        yield Literal(quoted[1:-1], datatype=NamedNode(iri) if iri else XSD[local])
    for number in _NUMBER.findall(_STRING_OR_IRI.sub(" ", text)):
        yield Literal(number, datatype=XSD[_datatype(number)])


def _datatype(number: str) -> str:
    if "e" in number.lower():
        return "double"
    return "decimal" if "." in number else "integer"
