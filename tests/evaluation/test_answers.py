"""Named cases: what the standard says where Oxigraph departs from it, and what is left to choose."""

from __future__ import annotations

from collections import Counter

import pytest
from pyoxigraph import Store

from triplewire.errors import BudgetExceeded, RefusedFeature
from triplewire.evaluation.answers import PreparedPattern, evaluate
from triplewire.evaluation.datasets import Dataset, OxigraphDataset, Selected
from triplewire.evaluation.work import Budget, Moment
from triplewire.languages.sparql.parsing.parser import parse_query
from triplewire.rdf.terms import XSD, BlankNode, Literal, NamedNode, Triple

PREFIX = "PREFIX : <urn:> "
A, B, C = NamedNode("urn:a"), NamedNode("urn:b"), NamedNode("urn:c")


def dataset(data: str) -> Dataset:
    store = Store()
    store.update(f"{PREFIX} INSERT DATA {{ {data} }}")
    return OxigraphDataset(store)


def ask(data: str, query: str, moment: Moment | None = None):
    return evaluate(parse_query(PREFIX + query), dataset(data), moment=moment)


def test_every_way_along_an_alternative_counts():
    assert ask(":a :p :b ; :q :b", "SELECT ?y { :a :p|:q ?y }") == [{"y": B}, {"y": B}]


def test_every_predicate_that_a_negated_set_leaves_counts_also_where_both_ends_are_known():
    """Found by a random query: Oxigraph gives each end once if it knows both, and each predicate if not."""
    data = ":a :p :b ; :q :b ; :r :b"
    assert ask(data, "SELECT (COUNT(*) AS ?n) { :a !:p :b }") == [{"n": Literal(2)}]
    assert ask(data, "SELECT (COUNT(*) AS ?n) { ?x :r ?y . ?y !^:p ?x }") == [{"n": Literal(2)}]


def test_minus_inside_exists_shares_no_variable_of_the_solution_around_it():
    """Found by a random query: Oxigraph has ?x on both sides of MINUS."""
    data = ":n :r :n . :a :q 1"
    assert ask(data, "SELECT * { ?x :r ?x FILTER EXISTS { { } MINUS { ?u :q 1 } } }") == [{"x": NamedNode("urn:n")}]


def test_blank_nodes_of_a_query_are_not_counted():
    """Found by a random query: Oxigraph counts them in COUNT(DISTINCT *)."""
    assert ask(":a :q 1 . :b :q 1", "SELECT (COUNT(DISTINCT *) AS ?n) { [] :q ?x }") == [{"n": Literal(1)}]


def test_equal_numbers_are_equal_also_at_the_ends_of_a_path_without_length():
    """Found by a random query: Oxigraph compares the ends of a path as terms."""
    assert ask(":b :q 1e0", "SELECT * { ?g :q ?u . ?u :p* ?u FILTER(?u != 1) }") == []
    assert ask(":b :q 1e0", "ASK { ?g :q ?u FILTER EXISTS { ?u :p* ?u FILTER(?u != 1) } }") is False


def test_a_path_of_length_zero_leads_from_a_constant_to_itself():
    assert ask(":a :p :b", "SELECT ?y { :x :p* ?y }") == [{"y": NamedNode("urn:x")}]
    assert ask(":a :p :b", "ASK { :x :p? :x }") is True
    assert ask(":a :p :b", "ASK { :x :p+ :x }") is False


def test_between_variables_it_leads_from_nodes_of_the_graph_only():
    assert ask(":a :p :b", "SELECT ?x { VALUES ?x { :a :x } ?x :p* ?x }") == [{"x": A}]


def test_a_cycle_is_walked_once():
    found = ask(":a :p :b . :b :p :a", "SELECT ?y { :a :p+ ?y }")
    assert Counter(row["y"] for row in found) == {A: 1, B: 1}


def test_the_name_of_a_graph_is_not_seen_inside():
    data = "GRAPH :g { :a :p :b }"
    assert ask(data, "SELECT * { GRAPH ?g { ?x :p ?y FILTER(!BOUND(?g)) } }") == [
        {"g": NamedNode("urn:g"), "x": A, "y": B}
    ]
    assert ask(data, "SELECT * { GRAPH ?g { VALUES ?z { 1 } } }") == [{"g": NamedNode("urn:g"), "z": Literal(1)}]


def test_a_graph_that_holds_nothing_does_not_exist():
    assert ask(":a :p :b", "ASK { GRAPH :g { } }") is False
    assert ask("GRAPH :g { :a :p :b }", "ASK { GRAPH :g { } }") is True
    assert ask("GRAPH :g { :a :p :b }", "SELECT ?g { GRAPH ?g { } }") == [{"g": NamedNode("urn:g")}]


def test_a_filter_in_a_group_inside_optional_does_not_see_the_left_side():
    data = ":a :p 1 . :a :q 2"
    assert ask(data, "SELECT ?z { :a :p ?y OPTIONAL { :a :q ?z FILTER(?y = 1) } }") == [{"z": Literal(2)}]
    assert ask(data, "SELECT ?z { :a :p ?y OPTIONAL { { :a :q ?z FILTER(?y = 1) } } }") == [{}]


def test_exists_sees_the_solution_around_it():
    data = ":a :p 1 . :b :p 2 . :c :p 3"
    found = ask(data, "SELECT ?x { ?x :p ?y FILTER NOT EXISTS { ?other :p ?z FILTER(?z > ?y) } }")
    assert found == [{"x": C}]


def test_limit_without_order_takes_the_first_by_the_order_of_terms():
    assert ask(":c :p 1 . :a :p 1 . :b :p 1", "SELECT ?x { ?x :p 1 } LIMIT 2") == [{"x": A}, {"x": B}]


def test_order_by_value_then_by_what_is_shown():
    found = ask(":c :p 10 . :a :p 9 . :b :p 9", "SELECT ?x { ?x :p ?y } ORDER BY DESC(?y)")
    assert [row["x"] for row in found] == [C, A, B]


def test_literals_are_those_that_a_store_keeps():
    assert ask(":a :p 1", 'SELECT ?x { ?x :p "01"^^<http://www.w3.org/2001/XMLSchema#int> }') == [{"x": A}]


def test_group_concat_is_a_plain_string_and_in_order():
    found = ask(':a :p "b"@en, "a"@en', 'SELECT (GROUP_CONCAT(?y ; SEPARATOR="|") AS ?all) { :a :p ?y }')
    assert found == [{"all": Literal("a|b")}]


def test_a_sum_of_nothing_is_zero_and_a_sum_with_an_error_is_none():
    assert ask("", "SELECT (SUM(?y) AS ?n) { :a :p ?y }") == [{"n": Literal(0)}]
    assert ask(':a :p 1, "x"', "SELECT (SUM(?y) AS ?n) { :a :p ?y }") == [{}]


def test_an_integer_that_overflows_is_an_error():
    assert ask(f":a :p {2**63 - 1}", "SELECT (?y + 1 AS ?n) { :a :p ?y }") == [{}]


def test_fresh_values_are_the_same_for_the_same_solution_and_salt():
    query = "SELECT ?x (BNODE() AS ?b) (UUID() AS ?u) (BNODE('n') AS ?n) { ?x :p 1 }"
    one, two = (ask(":a :p 1 . :b :p 1", query, Moment.at(0, "salt")) for _ in range(2))
    assert one == two
    assert one != ask(":a :p 1 . :b :p 1", query, Moment.at(0, "other"))
    assert len({row[name] for row in one for name in "bun"}) == 6
    assert isinstance(one[0]["b"], BlankNode)


def test_a_named_fresh_node_is_one_node_in_all_that_is_computed_from_a_solution():
    query = "SELECT ?x (BNODE(?y) AS ?b) (BNODE(?y) AS ?c) (BNODE('other') AS ?d) { ?x :p ?y }"
    rows = ask(':a :p "n" . :b :p "n"', query)
    assert all(row["b"] == row["c"] != row["d"] for row in rows)
    assert rows[0]["b"] != rows[1]["b"]


def test_a_relative_iri_is_resolved_against_the_base_that_the_text_has():
    text = "SELECT (IRI('b') AS ?b) (URI(?x) AS ?c) { VALUES ?x { '../c' 1 } }"
    query = parse_query(f"BASE <http://example.org/a/> {text}")
    found = evaluate(query, OxigraphDataset(Store()))
    b = NamedNode("http://example.org/a/b")
    assert found == [{"b": b}, {"b": b, "c": NamedNode("http://example.org/c")}]
    assert evaluate(parse_query("SELECT (IRI('b') AS ?b) {}"), OxigraphDataset(Store())) == [{}]


def test_now_is_the_moment_that_is_handed_in():
    found = ask("", "SELECT (NOW() AS ?t) { }", Moment.at(0))
    assert found == [{"t": Literal("1970-01-01T00:00:00Z", datatype=XSD["dateTime"])}]


def test_a_template_makes_a_blank_node_for_each_solution():
    found = ask(":a :p 1, 2", "CONSTRUCT { _:n :of ?x } { ?x :p ?y }")
    assert len({triple.subject for triple in found}) == 2


def test_what_is_no_triple_is_not_constructed():
    assert ask(":a :p 1", "CONSTRUCT { ?y :of ?x . ?x :has ?y . ?x :has ?z } { ?x :p ?y }") == [
        Triple(A, NamedNode("urn:has"), Literal(1))
    ]


def test_a_budget_ends_a_cross_product():
    data = " . ".join(f":a{n} :p {n}" for n in range(50))
    with pytest.raises(BudgetExceeded):
        evaluate(parse_query(PREFIX + "SELECT * { ?a :p ?x . ?b :p ?y . ?c :p ?z }"), dataset(data), Budget(10_000))


def test_functions_of_a_taxonomy_are_refused():
    with pytest.raises(RefusedFeature):
        ask("", "SELECT * { ?x :p ?y FILTER(<urn:triplewire:isA>(?x, :c)) }")


def test_a_pattern_is_asked_from_a_seed():
    pattern = PreparedPattern(parse_query(PREFIX + "ASK { ?x :p ?y OPTIONAL { ?y :q [] } }").where)
    data = dataset(":a :p 1 . :b :p 2")
    assert [*pattern.solutions(data, seed={"x": B})] == [{"x": B, "y": Literal(2)}]


def test_from_merges_graphs_and_hides_all_others():
    data = dataset(":a :p 0 . GRAPH :g { :a :p 1 } GRAPH :h { :a :p 1 . :a :p 2 } GRAPH :i { :a :p 3 }")
    chosen = Selected(data, [NamedNode("urn:g"), NamedNode("urn:h")], [NamedNode("urn:i")])
    found = evaluate(parse_query(PREFIX + "SELECT ?y ?g { { :a :p ?y } UNION { GRAPH ?g { :a :p ?y } } }"), chosen)
    assert Counter(row["y"].value for row in found) == {"1": 1, "2": 1, "3": 1}
    assert [row["g"] for row in found if "g" in row] == [NamedNode("urn:i")]
