"""Labels of blank nodes stay apart in the space, and come back as they were."""

from __future__ import annotations

from hypothesis import given

from triplewire.matching.scanning.term_decoding import term_of
from triplewire.network.can.geometry.space import point_of
from triplewire.network.eventspace.blank_nodes import qualified, unqualified
from triplewire.network.eventspace.quads import nquads_of, points_of, rows_of
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
    points = [point_of(Quad(t.subject, t.predicate, t.object, event.graph)) for t in alone]
    assert points_of(event.graph.value, rows_of(event)) == points
    assert [tuple(map(term_of, row)) for row in rows_of(event)] == [(t.subject, t.predicate, t.object) for t in alone]
    assert [unqualified(triple) for triple in alone] == list(event.triples)
    assert nquads_of(event.graph.value, reversed(rows_of(event))) == event.nquads
