"""What a subscription requires, and why an event did not match, in words."""

from __future__ import annotations

import pytest
from tests.matching.asking import event, subscription

from triplewire.algebra.taxonomy import Taxonomy
from triplewire.matching import explain, why_not

ON = event(":a a :Paper ; :age 19 ; :name 'Ann' ; :knows :b . :b :age 'old' .")


class TestExplain:
    def test_a_fast_query(self):
        found = explain(subscription("SELECT * { ?x a :Paper ; :age ?age FILTER(?age > 25) }"))
        assert found.lane == "fast"
        assert found.patterns == [
            "?x <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://example.org/Paper>",
            "?x <http://example.org/age> ?age",
        ]
        assert found.constraints == "?age > 25"
        assert not found.unindexed
        assert len(found.requires) == 1

    def test_a_union_requires_one_of_its_branches(self):
        found = explain(subscription("SELECT * { { ?x :p ?y } UNION { ?x :q ?y } }"))
        assert found.lane == "general"
        assert found.requires == ["?x <http://example.org/p> ?y", "?x <http://example.org/q> ?y"]
        assert not found.unindexed

    @pytest.mark.parametrize(
        "query",
        ["SELECT * { ?s ?p ?o }", "SELECT * { OPTIONAL { ?s :p ?o } }", "SELECT (COUNT(*) AS ?n) { ?s :p ?o }"],
    )
    def test_a_query_that_requires_nothing_is_shown_as_such(self, query):
        assert explain(subscription(query)).unindexed

    def test_it_names_the_functions_that_oxigraph_computes(self):
        query = "SELECT * { ?s :p ?o OPTIONAL { ?s :q ?x } FILTER(REGEX(STR(?o), 'a') && xsd:integer(?o) IN (1, 2)) }"
        assert explain(subscription(query)).by_oxigraph == ["REGEX", "<http://www.w3.org/2001/XMLSchema#integer>"]
        assert (
            explain(subscription("SELECT * { ?s :p ?o OPTIONAL { ?s :q ?x } FILTER(STRLEN(?o) > 1) }")).by_oxigraph
            == []
        )

    def test_a_query_that_can_never_match_is_not_unindexed(self):
        assert not explain(subscription("SELECT * { ?s ?p ?o FILTER(false) }")).unindexed


class TestWhyNot:
    @pytest.mark.parametrize(
        ("query", "reason"),
        [
            ("SELECT * { ?x :price ?p }", "nothing matches ?x <http://example.org/price> ?p"),
            ("SELECT * { ?x :age ?age FILTER(?age > 25) }", "age 19 is not > 25"),
            ("SELECT * { ?x :age ?age FILTER(25 < ?age) }", "age 19 is not > 25"),
            ("SELECT * { :b :age ?age FILTER(?age > 25) }", 'age "old" cannot be compared by > with 25'),
            ('SELECT * { ?x :name ?n FILTER(CONTAINS(?n, "Bob")) }', 'n "Ann" does not contain "Bob"'),
            ('SELECT * { ?x :name ?n FILTER(!STRSTARTS(?n, "A")) }', 'n "Ann" starts with "A"'),
            ('SELECT * { ?x :name ?n FILTER(?n IN ("Bob", "Cy")) }', 'n "Ann" is not one of "Bob", "Cy"'),
            ("SELECT * { ?x :knows ?y FILTER(?y = :c) }", "y <http://example.org/b> is not = <http://example.org/c>"),
            (
                "SELECT * { ?x a ?c FILTER(tw:isA(?x, :Book)) }",
                "x <http://example.org/a> is not a descendant of <http://example.org/Book>",
            ),
            (
                "SELECT * { ?x :age ?age ; :name ?n FILTER(?age > 25 || ?n = 'Bob') }",
                'age 19 is not > 25 and n "Ann" is not = "Bob"',
            ),
            ("SELECT * { GRAPH :other { ?x :age ?y } }", "the event is <http://example.org/event>, not"),
            ("SELECT * { ?x :knows ?x }", "no triple matches ?x <http://example.org/knows> ?x"),
            ("SELECT * { { ?x :p ?y } UNION { ?x :q ?y } }", "nothing matches ?x <http://example.org/p> ?y; and"),
            ("SELECT * { ?x :age ?y OPTIONAL { ?x :p ?z } FILTER(!BOUND(?y)) }", "the rest of the query"),
        ],
    )
    def test_the_first_thing_that_fails(self, query, reason):
        assert reason in why_not(subscription(query), ON)

    def test_patterns_that_match_alone_but_never_together(self):
        found = why_not(subscription("SELECT * { ?x :knows ?y . ?y :name ?n }"), ON)
        assert found.startswith("nothing matches ?")
        assert "together with" in found

    def test_the_binding_that_comes_closest_is_the_example(self):
        on = event(":a :low 1 ; :high 1 . :b :low 5 ; :high 1 .")
        query = "SELECT * { ?x :low ?l ; :high ?h FILTER(?l > 3 && ?h > 3) }"
        assert why_not(subscription(query), on) == "h 1 is not > 3"

    def test_the_taxonomy_is_asked(self):
        taxonomy = Taxonomy.parse(
            "<http://example.org/Paper> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://example.org/Work> ."
        )
        query = subscription("SELECT * { ?x :age ?age FILTER(tw:isA(?x, :Work)) }")
        assert "is not a descendant" in why_not(query, ON)
        assert why_not(query, ON, taxonomy) == "it matches"

    def test_long_values_are_cut(self):
        on = event(f":a :name '{'long ' * 1000}' .")
        assert len(why_not(subscription("SELECT * { ?x :name ?n FILTER(?n = 'x') }"), on)) < 300
