"""Syntax tree to algebra (section 18.2)."""

from __future__ import annotations

import pytest

from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.algebra.parameters import template_of
from triplewire.evaluation.algebra.paths import may_be_empty
from triplewire.evaluation.algebra.translation import pattern_of
from triplewire.evaluation.algebra.variables import certain, possible
from triplewire.languages.sparql.parsing.parser import parse_dataset_query, parse_query
from triplewire.rdf.terms import DefaultGraph, Literal, NamedNode

PREFIX = "PREFIX : <urn:> "


def algebra(group: str) -> nodes.Node:
    return pattern_of(parse_query(f"{PREFIX} ASK {{ {group} }}").where)


def test_joins_are_flat_and_know_their_graphs():
    found = algebra("?x :p ?y . { ?y :q ?z } GRAPH :g { ?z :r 1 } GRAPH ?h { ?z :s ?u }")
    assert isinstance(found, nodes.Join)
    assert [part.graph for part in found.parts] == [
        DefaultGraph(),
        DefaultGraph(),
        NamedNode("urn:g"),
        nodes.Variable("h"),
    ]


def test_graph_with_more_than_patterns_is_asked_graph_by_graph():
    assert isinstance(algebra("GRAPH ?g { ?x :p ?y FILTER(?y > 1) }"), nodes.GraphEach)
    assert isinstance(algebra("GRAPH ?g { GRAPH :h { ?x :p ?y } }"), nodes.GraphEach)
    assert isinstance(algebra("GRAPH ?g { }"), nodes.GraphEach)


def test_a_graph_by_name_has_to_exist_only_where_nothing_else_says_so():
    assert algebra("GRAPH :g { }") == nodes.GraphExists(NamedNode("urn:g"))
    assert isinstance(algebra("GRAPH :g { ?x :p ?y }"), nodes.QuadPattern)
    assert isinstance(algebra("GRAPH :g { :x :p* ?y }"), nodes.Join)


def test_filters_of_optional_become_its_condition():
    found = algebra("?x :p ?y OPTIONAL { ?x :q ?z FILTER(?z > ?y) }")
    assert isinstance(found, nodes.LeftJoin)
    assert len(found.conditions) == 1
    assert isinstance(found.right, nodes.QuadPattern)
    inside = algebra("?x :p ?y OPTIONAL { { ?x :q ?z FILTER(?z > ?y) } }")
    assert isinstance(inside, nodes.LeftJoin)
    assert inside.conditions == ()
    assert isinstance(inside.right, nodes.Filter)


def test_paths_are_spelled_out_but_for_closures():
    found = algebra("?x :p/^:q ?y")
    assert isinstance(found, nodes.Join)
    first, second = found.parts
    assert first.object == second.object  # type: ignore[union-attr]
    assert isinstance(algebra("?x :p|:q ?y"), nodes.Union)
    assert isinstance(algebra("?x !(:p|^:q) ?y"), nodes.Union)
    assert isinstance(algebra("?x :p+ ?y"), nodes.PathPattern)


@pytest.mark.parametrize(
    ("path", "expected"), [(":p*", True), (":p+", False), ("(:p*)+", True), (":p?/:q*", True), (":p/:q*", False)]
)
def test_paths_that_may_be_empty(path: str, expected: bool):
    (block,) = parse_query(f"{PREFIX} ASK {{ ?x {path} ?y }}").where.elements
    assert may_be_empty(block.patterns[0].predicate) is expected


@pytest.mark.parametrize(
    ("group", "sure", "maybe"),
    [
        ("?x :p ?y OPTIONAL { ?y :q ?z }", "xy", "xyz"),
        ("{ ?x :p ?y } UNION { ?x :q ?z }", "x", "xyz"),
        ("?x :p ?y MINUS { ?x :q ?z }", "xy", "xy"),
        ("?x :p ?y BIND(?y + 1 AS ?z)", "xy", "xyz"),
        ("VALUES (?x ?y) { (1 UNDEF) (2 3) }", "x", "xy"),
        ("{ SELECT ?x { ?x :p ?y } }", "x", "x"),
        ("{ SELECT ?x (COUNT(*) AS ?n) (SUM(?y) AS ?s) { ?x :p ?y } GROUP BY ?x }", "x", "xns"),
    ],
)
def test_variables(group: str, sure: str, maybe: str):
    assert certain(algebra(group)) == set(sure)
    assert possible(algebra(group)) == set(maybe)


def test_a_template_has_no_constants_but_predicates_graphs_and_tables():
    text = "SELECT ?x {{ ?x :p {0} ; :q :a{0} FILTER(?x != :b{0}) VALUES ?x {{ 5 }} GRAPH :g {{ ?x :r ?y }} }}"
    one, two = (template_of(parse_dataset_query(PREFIX + text.format(number))) for number in (1, 2))
    assert one[0] == two[0]
    assert two[1] == (Literal(2), NamedNode("urn:a2"), NamedNode("urn:b2"))
    other = template_of(parse_dataset_query(f"{PREFIX} SELECT ?x {{ ?x :p2 1 }}"))
    assert other[0] != template_of(parse_dataset_query(f"{PREFIX} SELECT ?x {{ ?x :p 1 }}"))[0]
