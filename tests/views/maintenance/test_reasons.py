"""Why: the quads behind what a view gained and lost."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests.views.following import PREFIX
from tests.views.generating import World, dataset_query, store_of
from tests.views.oracle import as_multiset
from tests.views.test_view_set import Living

from triplewire.errors import InputError
from triplewire.evaluation.answers import evaluate
from triplewire.evaluation.datasets import OxigraphDataset
from triplewire.evaluation.work import Moment
from triplewire.languages.sparql.parsing.parser import parse_dataset_query
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.trees import walk
from triplewire.rdf.terms import NamedNode, Quad
from triplewire.views.changes import Change
from triplewire.views.view_set import ViewDelta, ViewSet


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**40))
# Groups with members that look the same.
@example(1004572)
@example(1007393)
@example(1010738)
@example(1015826)
@example(1028142)
# GRAPH ?g around what looks at no quad.
@example(1014974)
@example(1022087)
@example(1025022)
def test_what_is_told_is_in_the_answer_over_the_quads_behind_it(seed: int):
    world = World(Random(seed))
    quads = world.quads()
    try:
        text = dataset_query(world, quads)
    except InputError:
        assume(False)
    # A description is told triple by triple, and a row may be shown because another one is gone.
    assume("DESCRIBE" not in text and "LIMIT" not in text and "OFFSET" not in text)
    query, views = parse_dataset_query(text), ViewSet()
    assume(not depends_on_what_is_left_out(query))
    views.add("view", query, OxigraphDataset(store_of(quads)))
    for position in range(3):
        added, removed = world.change(quads)
        before, quads = quads, (quads - removed) | added
        for delta in views.apply(Change.of(added, removed, position), OxigraphDataset(store_of(quads)), why={"view"}):
            assert isinstance(delta, ViewDelta)
            check(query, delta.added, delta.added_from, quads)
            check(query, delta.removed, delta.removed_from, before)


def depends_on_what_is_left_out(query: object) -> bool:
    """Whether a group counts, or an OPTIONAL is looked for among, what MINUS or NOT EXISTS leaves.

    Then a quad that excludes something matters, too, and is not told.
    """
    found = {type(node) for node in walk(query)}
    negates = {ast.Minus, ast.NotExists} & found or {ast.Not, ast.Exists} <= found
    return bool(negates) and bool({ast.Aggregate, ast.Optional} & found)


def check(query: object, items: list, reasons: list | None, state: set[Quad]) -> None:
    assert reasons is not None
    assert len(reasons) == len(items)
    for item, quads in zip(items, reasons, strict=True):
        assert quads is not None
        assert set(quads) <= state
        assert as_multiset([item]) <= as_multiset(
            evaluate(query, OxigraphDataset(store_of(quads)), moment=Moment.at(0))
        )


def told(query: str, data: str, update: str) -> tuple[list[set[str]], list[set[str]]]:
    """The quads behind what was added and what was removed, in short."""
    living = Living(data)
    living.add("view", query)
    (delta,) = living.views.apply(living.change(update), living.dataset, why=["view"])
    assert isinstance(delta, ViewDelta)
    return [set(map(short, row)) for row in delta.added_from], [set(map(short, row)) for row in delta.removed_from]


def short(quad: Quad) -> str:
    return " ".join(term.value.removeprefix("urn:") for term in quad if hasattr(term, "value"))


def test_a_second_solution_that_looks_the_same_is_explained_by_what_made_it():
    assert told("SELECT ?s { ?s :v ?v }", ":a :v 1", "INSERT DATA { :a :v 2 }") == ([{"a v 2"}], [])


def test_what_was_removed_is_explained_by_what_it_stood_on():
    found = told("SELECT ?s { ?s :v ?v ; :w ?w }", ":a :v 1 ; :w 2", "DELETE DATA { :a :v 1 }")
    assert found == ([], [{"a v 1", "a w 2"}])


def test_optional():
    found = told("SELECT * { ?s a :T OPTIONAL { ?s :n ?n } }", ":a a :T", "INSERT DATA { :a :n 1 }")
    kind = "a http://www.w3.org/1999/02/22-rdf-syntax-ns#type T"
    assert found == ([{kind, "a n 1"}], [{kind}])


def test_a_path_is_explained_by_its_edges():
    found = told("SELECT ?x { :a (:p|:q)+ ?x }", ":a :p :b . :c :p :d", "INSERT DATA { :b :q :c }")
    assert found[0] == [{"a p b", "b q c"}, {"a p b", "b q c", "c p d"}]


def test_a_group_stands_on_all_of_its_members():
    found = told("SELECT ?s (SUM(?v) AS ?n) { ?s :v ?v } GROUP BY ?s", ":a :v 1 . :b :v 9", "INSERT DATA { :a :v 2 }")
    assert found == ([{"a v 1", "a v 2"}], [{"a v 1"}])


@pytest.mark.parametrize(
    ("query", "data", "update", "behind"),
    [
        # Two predicates, one pair of ends.
        ("SELECT (COUNT(*) AS ?n) { ?s !(:x) ?o }", ":a :p :b", "INSERT DATA { :a :q :b }", {"a p b", "a q b"}),
        # Two branches of a path; one of them is of length zero.
        ("SELECT (COUNT(*) AS ?n) { ?s (:x?|!(:y)) ?o }", ":a :p :a", "INSERT DATA { :b :p :b }", {"a p a", "b p b"}),
        # One pair of ends, once there and once back.
        ("SELECT (COUNT(*) AS ?n) { :a !(:x|^:x) ?o }", ":a :p :b", "INSERT DATA { :b :p :a }", {"a p b", "b p a"}),
        # What lies between is not told apart.
        (
            "SELECT (COUNT(*) AS ?n) { ?s :p/:q ?o }",
            ":a :p :b . :b :q :c . :a :p :d",
            "INSERT DATA { :d :q :c }",
            {"a p b", "b q c", "a p d", "d q c"},
        ),
        # A sub-select whose rows look the same.
        (
            "SELECT (COUNT(*) AS ?n) { { SELECT ?s { ?s :p ?o } } }",
            ":a :p 1",
            "INSERT DATA { :a :p 2 }",
            {"a p 1", "a p 2"},
        ),
    ],
)
def test_members_of_a_group_that_look_the_same_are_all_told(query: str, data: str, update: str, behind: set[str]):
    assert told(query, data, update)[0] == [behind]


@pytest.mark.parametrize("inside", ["", "FILTER(true)", ":a :x? ?z"])
def test_a_graph_of_which_nothing_is_asked_is_named_by_what_it_holds(inside: str):
    found = told(f"SELECT ?s {{ ?s :v 1 GRAPH ?g {{ {inside} }} }}", ":a :v 1", "INSERT DATA { GRAPH :g { :b :w 2 } }")
    assert found == ([{"a v 1", "b w 2 g"}], [])


def test_exists_names_its_witness_and_not_exists_none():
    found = told("SELECT ?s { ?s :v 1 FILTER EXISTS { ?s :w ?w } }", ":a :v 1", "INSERT DATA { :a :w 2 }")
    assert found == ([{"a v 1", "a w 2"}], [])
    found = told("SELECT ?s { ?s :v 1 FILTER NOT EXISTS { ?s :w ?w } }", ":a :v 1", "INSERT DATA { :a :w 2 }")
    assert found == ([], [{"a v 1"}])


@pytest.mark.parametrize(
    ("query", "behind"),
    [
        ("CONSTRUCT { [] :of ?s } { ?s :v 1 }", {"b v 1"}),
        ("CONSTRUCT { ?s :seen true } { ?s :v 1 }", {"b v 1"}),
        ("DESCRIBE ?s { ?s :v 1 }", {"b v 1"}),
        ("SELECT ?s { GRAPH ?g { ?s :v 1 FILTER(BOUND(?s)) } }", {"b v 1 g"}),
        ("SELECT ?s FROM :g { ?s :v 1 }", {"b v 1 g"}),
    ],
)
def test_every_form(query: str, behind: set[str]):
    update = "INSERT DATA { :b :v 1 }" if "v 1" in next(iter(behind)) and "g" not in next(iter(behind)) else ""
    added, _ = told(query, ":a :v 1", update or "INSERT DATA { GRAPH :g { :b :v 1 } }")
    assert added == [behind]


def test_nobody_who_did_not_ask_is_told():
    living = Living()
    living.add("one", "SELECT ?s { ?s :v ?v }")
    living.add("two", "SELECT ?s { ?s :v ?v }")
    told = living.views.apply(living.change("INSERT DATA { :a :v 1 }"), living.dataset, why=["two"])
    assert [delta.added_from is None for delta in told] == [True, False]


def test_after_the_fact():
    living = Living(":a :v 1 ; :w 2")
    view = living.views.add("view", parse_dataset_query(PREFIX + "SELECT ?s { ?s :v ?v ; :w ?w }"), living.dataset)
    (quads,) = living.views.quads_behind("view", view.items, living.dataset)
    assert {quad.predicate for quad in quads} == {NamedNode("urn:v"), NamedNode("urn:w")}
    assert living.views.quads_behind("view", [{"s": NamedNode("urn:b")}], living.dataset) == [None]
