"""Strategies for taxonomies, as triples: acyclic, several parents, listed instances."""

from __future__ import annotations

from hypothesis import strategies as st

from triplewire.rdf.terms import RDFS, NamedNode, Triple
from triplewire.testing.strategies.vocabulary import CLASSES, PROPERTIES, RESOURCES, TYPE

_SUBCLASS = RDFS["subClassOf"]
_SUBPROPERTY = RDFS["subPropertyOf"]


@st.composite
def taxonomies(draw: st.DrawFn) -> tuple[Triple, ...]:
    """Triples for `Taxonomy.from_triples`, or for an engine of one's own."""
    classes = draw(st.lists(_upwards(_SUBCLASS, CLASSES), max_size=7, unique=True))
    properties = draw(st.lists(_upwards(_SUBPROPERTY, PROPERTIES), max_size=3, unique=True))
    instances = draw(st.lists(_instances(), max_size=4, unique=True))
    return (*classes, *properties, *instances)


def _upwards(relation: NamedNode, nodes: tuple[NamedNode, ...]) -> st.SearchStrategy[Triple]:
    """An edge to a node further up the list: no way leads back, so there is no cycle."""
    pairs = [(low, high) for low in range(len(nodes)) for high in range(low + 1, len(nodes))]
    return st.sampled_from([Triple(nodes[low], relation, nodes[high]) for low, high in pairs])


def _instances() -> st.SearchStrategy[Triple]:
    return st.builds(lambda x, cls: Triple(x, TYPE, cls), st.sampled_from(RESOURCES), st.sampled_from(CLASSES))
