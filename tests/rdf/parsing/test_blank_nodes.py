from __future__ import annotations

from triplewire.rdf.parsing.blank_nodes import Relabelling
from triplewire.rdf.terms import BlankNode, Literal, NamedNode, Triple

S, P = NamedNode("urn:s"), NamedNode("urn:p")


def test_labels_are_given_in_order_of_first_appearance() -> None:
    fresh = Relabelling()
    triples = [Triple(BlankNode("z"), P, BlankNode("b0")), Triple(BlankNode("b0"), P, BlankNode("b1"))]
    assert [str(fresh.triple(t)) for t in triples] == ["_:b0 <urn:p> _:b1", "_:b1 <urn:p> _:b2"]


def test_triple_terms_are_reached_and_the_rest_stays() -> None:
    fresh = Relabelling()
    nested = Triple(S, P, Triple(BlankNode("x"), P, Literal("x")))
    assert fresh.triple(nested) == Triple(S, P, Triple(BlankNode("b0"), P, Literal("x")))
    assert fresh.triple(Triple(S, P, Literal("x"))) == Triple(S, P, Literal("x"))
