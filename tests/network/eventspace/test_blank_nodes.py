"""Labels of blank nodes stay apart in the space, and come back as they were."""

from __future__ import annotations

from hypothesis import given

from triplewire.network.eventspace.blank_nodes import qualified, unqualified
from triplewire.network.eventspace.records import quads_in, stored_quad
from triplewire.rdf.events import Event
from triplewire.rdf.terms import BlankNode, NamedNode, Quad, Triple
from triplewire.testing import strategies

P = NamedNode("urn:p")
ONE, OTHER = NamedNode("urn:event:1"), NamedNode("urn:event:2")


def test_a_label_of_two_events_is_two_nodes() -> None:
    triple = Triple(BlankNode("b"), P, BlankNode("b"))
    one, other = qualified(triple, ONE), qualified(triple, OTHER)
    assert one.subject == one.object
    assert one.subject != other.subject


def test_a_blank_node_in_a_triple_term_is_the_same_node_as_outside() -> None:
    found = qualified(Triple(BlankNode("b"), P, Triple(BlankNode("b"), P, ONE)), ONE)
    assert isinstance(found.object, Triple)
    assert found.subject == found.object.subject != BlankNode("b")


@given(strategies.events())
def test_a_quad_that_travelled_alone_is_as_it_was(event: Event) -> None:
    alone = [qualified(triple, event.graph) for triple in event.triples]
    sent = [stored_quad(Quad(t.subject, t.predicate, t.object, event.graph)) for t in alone]
    arrived = [quad for one in sent for quad in quads_in(one.line)]
    assert arrived == sent
    assert [unqualified(quad.triple) for quad in arrived] == list(event.triples)
