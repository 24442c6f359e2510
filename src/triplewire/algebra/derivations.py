"""Derivations: what follows from what, by which axioms of a hierarchy.

>>> from triplewire.rdf.terms import NamedNode
>>> journal, publication = NamedNode("urn:Journal"), NamedNode("urn:Publication")
>>> up = Hierarchy.of([(journal, publication)])
>>> [str(axiom) for axiom in chain(up, SUBCLASS, journal, publication)]
['<urn:Journal> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:Publication>']
"""

from __future__ import annotations

from itertools import pairwise

from msgspec import Struct

from triplewire.algebra.hierarchy import Hierarchy
from triplewire.rdf.terms import RDF, RDFS, NamedNode, Triple

TYPE = RDF["type"]
SUBCLASS = RDFS["subClassOf"]
SUBPROPERTY = RDFS["subPropertyOf"]


class Derivation(Struct, frozen=True):
    """A conclusion, the axioms that lead to it, and what was asserted and they were applied to, if anything.

    Without axioms the conclusion is its own premise.
    """

    conclusion: Triple
    axioms: tuple[Triple, ...] = ()
    premises: tuple[Triple, ...] = ()


def chain(hierarchy: Hierarchy, relation: NamedNode, low: NamedNode, high: NamedNode) -> tuple[Triple, ...] | None:
    """The edges of a shortest way up; none of them from a node to itself, None if there is no way."""
    path = hierarchy.path(low, high)
    return None if path is None else tuple(Triple(child, relation, parent) for child, parent in pairwise(path))
