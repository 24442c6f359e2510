"""When two answers are the same."""

from __future__ import annotations

from triplewire.rdf.terms import BlankNode, Literal, NamedNode, Triple
from triplewire.testing import same_answers, same_graph

A, B = NamedNode("urn:a"), NamedNode("urn:b")


def test_solutions_are_a_multiset():
    assert same_answers([{"x": A}, {"x": B}], [{"x": B}, {"x": A}])
    assert not same_answers([{"x": A}, {"x": A}], [{"x": A}])


def test_an_unbound_variable_is_not_a_bound_one():
    assert not same_answers([{"x": A}], [{"x": A, "y": B}])


def test_terms_are_compared_by_identity():
    integer = NamedNode("http://www.w3.org/2001/XMLSchema#integer")
    assert not same_answers([{"x": Literal("1", datatype=integer)}], [{"x": Literal("01", datatype=integer)}])


def test_blank_nodes_in_solutions_are_the_events_own():
    assert same_answers([{"x": BlankNode("n")}], [{"x": BlankNode("n")}])
    assert not same_answers([{"x": BlankNode("n")}], [{"x": BlankNode("m")}])


def test_no_match_is_not_an_empty_answer():
    assert same_answers(None, None)
    assert not same_answers(None, [{}])


def test_constructed_graphs_are_compared_up_to_isomorphism():
    one, two = BlankNode("one"), BlankNode("two")
    assert same_answers([Triple(one, A, two), Triple(two, A, one)], [Triple(two, A, one), Triple(one, A, two)])
    assert same_graph([Triple(one, A, B)], [Triple(two, A, B)])
    assert not same_graph([Triple(one, A, one)], [Triple(one, A, two)])
