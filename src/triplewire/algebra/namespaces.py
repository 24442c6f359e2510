"""The schemas of properties, as far as their names tell."""

from __future__ import annotations

from triplewire.rdf.terms import RDF, RDFS, NamedNode

_AMBIENT = (str(RDF), str(RDFS))


def namespace_of(iri: NamedNode) -> str:
    """Up to the last # or /, or, where there is neither, the last colon.

    >>> namespace_of(NamedNode("http://purl.org/dc/elements/1.1/creator"))
    'http://purl.org/dc/elements/1.1/'
    """
    text = iri.value
    end = max(text.rfind("#"), text.rfind("/"))
    return text[: (end if end >= 0 else text.rfind(":")) + 1]


def is_ambient(iri: NamedNode) -> bool:
    """Whether every peer supports it: rdf: and rdfs:."""
    return namespace_of(iri) in _AMBIENT
