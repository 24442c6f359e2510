"""The terms that belong to every schema and need no declaration."""

from __future__ import annotations

import re

from triplewire.rdf.terms import RDF, RDFS, TW, XSD, NamedNode

TYPE = RDF["type"]
RESOURCE = RDFS["Resource"]
LITERAL = RDFS["Literal"]
LANG_STRING = RDF["langString"]
MEMBERSHIP = RDFS["ContainerMembershipProperty"]
ELEMENT_CLASS = TW["elementClass"]
CONTAINERS = frozenset({RDF["Bag"], RDF["Seq"], RDF["Alt"]})

_MEMBER = re.compile(re.escape(RDF) + r"_([1-9][0-9]*)")


def is_datatype(iri: NamedNode) -> bool:
    """Whether its instances are literals."""
    return iri in (LITERAL, LANG_STRING) or iri.value.startswith(XSD)


def member(number: int) -> NamedNode:
    """The membership property of an element, from 1.

    >>> member(3)
    <NamedNode value=http://www.w3.org/1999/02/22-rdf-syntax-ns#_3>
    """
    return RDF[f"_{number}"]


def number_of(arc: NamedNode) -> int | None:
    """Which element a membership property leads to; None for any other property.

    >>> number_of(member(3)), number_of(TYPE)
    (3, None)
    """
    found = _MEMBER.fullmatch(arc.value)
    return int(found.group(1)) if found else None
