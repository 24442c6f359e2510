"""Strategies for the three kinds of advertisement."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from triplewire.algebra.advertisements.advertisement import Advertisement
from triplewire.rdf.terms import Literal, NamedNode, Triple
from triplewire.testing.strategies.terms import iris, literals
from triplewire.testing.strategies.vocabulary import EX, PREDICATES, PROPERTIES

_PROPERTIES = st.sampled_from((*PREDICATES, *PROPERTIES))


def advertisements() -> st.SearchStrategy[Advertisement]:
    """Schemas, properties, or properties with value sets."""
    return st.one_of(schema_advertisements(), property_advertisements(), value_advertisements())


def schema_advertisements() -> st.SearchStrategy[Advertisement]:
    names = st.sampled_from((str(EX), "http://purl.org/dc/elements/1.1/"))
    return st.lists(names, min_size=1, unique=True).map(Advertisement.schemas)


def property_advertisements() -> st.SearchStrategy[Advertisement]:
    return st.lists(_PROPERTIES, min_size=1, max_size=4, unique=True).map(Advertisement.properties)


def value_advertisements() -> st.SearchStrategy[Advertisement]:
    values = st.lists(st.one_of(iris(), literals()), min_size=1, max_size=3, unique=True)
    return st.dictionaries(_PROPERTIES, values, min_size=1, max_size=3).map(Advertisement.values)


def advertisement_of(triples: Iterable[Triple]) -> Advertisement:
    """What a publisher of exactly these triples would advertise: its properties with all their values."""
    values: dict[NamedNode, list[NamedNode | Literal]] = {}
    for t in triples:
        if isinstance(t.object, NamedNode | Literal):
            values.setdefault(t.predicate, []).append(t.object)
    return Advertisement.values(values)
