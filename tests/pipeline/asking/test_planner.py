"""Spark's answers beside Oxigraph's, over small lakes: each construct by name, then whatever hypothesis makes up."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st
from tests.pipeline.asking.answers import by_oxigraph, by_spark

from triplewire.errors import RefusedFeature
from triplewire.rdf.events import Event
from triplewire.rdf.terms import NamedNode
from triplewire.testing.strategies import events, general_sparql

pytestmark = pytest.mark.xdist_group("spark")

INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
EVENTS = [
    found
    for text in (
        f'<urn:a> <urn:p> <urn:b> <urn:e1> .\n<urn:a> <urn:n> "01"^^<{INTEGER}> <urn:e1> .\n'
        '<urn:b> <urn:q> "x" <urn:e1> .\n',
        "<urn:a> <urn:p> <urn:b> <urn:e2> .\n<urn:b> <urn:p> <urn:c> <urn:e2> .\n"
        '<urn:c> <urn:n> "1"^^<http://www.w3.org/2001/XMLSchema#int> <urn:e2> .\n',
        f'<urn:c> <urn:n> "7"^^<{INTEGER}> <urn:e3> .\n<urn:c> <urn:q> "y"@en <urn:e3> .\n'
        "<urn:c> <urn:q> <urn:c> <urn:e3> .\n",
    )
    for found in Event.parse(text.encode(), "nquads")
]
ANSWERED = [
    # A triple of two events is one triple, and stands in two graphs.
    "SELECT * { ?s <urn:p> ?o }",
    "SELECT * { GRAPH ?g { ?s <urn:p> ?o } }",
    # Literals are kept by value, in patterns and in answers.
    "SELECT ?s ?g { GRAPH ?g { ?s <urn:n> 1 } ?s <urn:n> ?n }",
    # A condition that is an error is not true, and its negation is not either.
    "SELECT ?s ?o { ?s ?p ?o FILTER(!(?o < 5)) }",
    "SELECT * { ?s <urn:p> ?o OPTIONAL { ?o <urn:n> ?n FILTER(?n > 1 && ?s != <urn:a>) } }",
    "SELECT * { ?s <urn:p> ?o OPTIONAL { ?o <urn:q> ?q } ?c <urn:q> ?q }",
    "SELECT * { ?s <urn:p> ?o MINUS { ?s <urn:n> ?x } }",
    "SELECT ?s { ?s <urn:p> ?o FILTER NOT EXISTS { ?o <urn:q> ?z FILTER(isLITERAL(?z)) } }",
    "SELECT ?s (COUNT(*) AS ?n) (SUM(?o) AS ?t) (MAX(?o) AS ?m) { GRAPH ?g { ?s <urn:n> ?o } } GROUP BY ?s",
    "SELECT (COUNT(*) AS ?n) (COUNT(DISTINCT ?s) AS ?d) { ?s <urn:absent> ?o }",
    # Inside GRAPH anything goes.
    "SELECT * { GRAPH ?g { ?x <urn:p>+ ?y OPTIONAL { ?y <urn:n> ?n } FILTER EXISTS { ?x ?any ?y } } }",
    "SELECT * { GRAPH <urn:e2> { ?x <urn:p>+ ?y } }",
    "SELECT ?x { ?x <urn:q> ?x }",
    "SELECT * {}",
    "ASK { <urn:c> <urn:q> 'y'@en . <urn:a> <urn:p> ?b . ?b <urn:p> <urn:c> }",
    "CONSTRUCT { ?o <urn:of> ?s } { ?s <urn:p>|<urn:q> ?o }",
]


@pytest.mark.parametrize("query", ANSWERED)
def test_what_oxigraph_answers(spark, query):
    assert by_spark(spark, query, EVENTS) == by_oxigraph(query, EVENTS)


@pytest.mark.parametrize(
    ("query", "construct"),
    [
        ("SELECT * { ?x <urn:p>+ ?y }", "the path + outside GRAPH"),
        ("SELECT * { GRAPH ?g { ?x <urn:p> ?y FILTER EXISTS { GRAPH ?h { ?y ?p ?x } } } }", "GRAPH inside GRAPH"),
        ("SELECT * { ?x <urn:p> ?y FILTER(EXISTS { ?y ?p ?z } || ?x = ?y) }", "EXISTS inside another expression"),
        ("SELECT * { ?x <urn:p> ?y FILTER EXISTS { ?y ?p ?z FILTER(?z = ?x) } }", "asks for what is outside it"),
        ("SELECT * { ?x <urn:p> ?y { SELECT ?x { ?x ?p ?z } LIMIT 1 } }", "LIMIT or OFFSET in a sub-select"),
        ("SELECT * { ?x a ?y FILTER(<urn:triplewire:isA>(?y, <urn:C>)) }", "which needs a taxonomy"),
    ],
)
def test_what_would_need_all_events_in_one_place_is_refused_by_name(spark, query, construct):
    with pytest.raises(RefusedFeature) as refused:
        by_spark(spark, query, EVENTS)
    assert construct in str(refused.value)


def renamed(found: list[Event]) -> list[Event]:
    """Events of their own, so that none is published twice."""
    return [Event.from_triples(NamedNode(f"urn:event:{at}"), one.triples) for at, one in enumerate(found)]


@pytest.mark.slow
@settings(
    max_examples=int(os.environ.get("TRIPLEWIRE_QUESTIONS", "60")),
    deadline=None,
    # Shrinking asks Spark a thousand times.
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(lake=st.lists(events(), min_size=1, max_size=3).map(renamed), data=st.data())
def test_whatever_is_not_refused_is_answered_as_oxigraph_does(spark, lake, data):
    query = data.draw(general_sparql([triple for one in lake for triple in one.triples]))
    try:
        found = by_spark(spark, query, lake)
    except RefusedFeature as refused:
        event(f"refused: {refused.feature}")
        return
    event("answered")
    assert found == by_oxigraph(query, lake)
