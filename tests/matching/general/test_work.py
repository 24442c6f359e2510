"""The bound on work: never below what a join makes, and small for ordinary queries."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.matching.asking import PREFIXES, event

from triplewire.languages.sparql.parsing.parser import parse_query
from triplewire.matching.evaluation.budget import Budget
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.general.datasets import Dataset
from triplewire.matching.general.work_bound import work_bound

STAR = EventView(event(":hub :p :a, :b, :c, :d . :a :q 1 . :b :q 2 ."))


def bound(pattern: str, view: EventView = STAR) -> int:
    return work_bound(parse_query(f"{PREFIXES} SELECT * {{ {pattern} }}"), view)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("?s :p ?o", 4),
        ("?s :p ?o . ?o :q ?n", 4),
        ("?s :p ?o . ?s :p ?x", 16),
        ("?s ?p ?o . ?a ?b ?c", 36),
        ("?s :q ?o . ?a :q ?c . ?d :q ?e", 8),
        ("{ ?s :p ?o } UNION { ?s :q ?o }", 6),
        ("?s :p ?o OPTIONAL { ?o :q ?n }", 4),
        ("?s :p ?o OPTIONAL { ?x :q ?n }", 8),
        ("?s :p ?o FILTER NOT EXISTS { ?s :q ?n }", 8),
        ("VALUES ?x { 1 2 3 } ?s :q ?o", 6),
        ("{ SELECT ?s { ?s :p ?o . ?s :p ?x } }", 16),
        ("?s :none ?o", 1),
    ],
)
def test_what_a_pattern_may_cost(pattern, expected):
    assert bound(pattern) == expected


def test_a_path_reaches_at_most_the_nodes_that_its_predicates_touch():
    assert bound("?s :q+ ?o") < bound("?s (:p|:q)+ ?o") <= 7**2 + 7
    assert bound(":hub :p+ ?o") <= 9


def test_doubling_a_string_again_and_again_counts():
    doubled = "".join(f"BIND(CONCAT(?x{n}, ?x{n}) AS ?x{n + 1}) " for n in range(40))
    assert bound(f"?s :p ?x0 {doubled}") > 1_000_000_000


def test_long_literals_count_more():
    view = EventView(event(f":a :p '{'x' * 100_000}' . :b :p 'y' ."))
    assert bound("?s :p ?o", view) == 200


names = st.sampled_from(["?a", "?b", "?c", "?d", ":n0", ":n1"])
predicates = st.sampled_from(["?p", ":p0", ":p1", ":p0+", ":p0*", "(:p0/:p1)", "(:p0|^:p1)", "!:p0"])
patterns = st.builds("{} {} {} .".format, names, predicates, names)
triples = st.builds(":n{} :p{} :n{} .".format, st.integers(0, 3), st.integers(0, 1), st.integers(0, 3))


@settings(max_examples=120, deadline=None)
@given(st.lists(triples, min_size=1, max_size=8), st.lists(patterns, min_size=1, max_size=3))
def test_no_query_has_more_solutions_than_its_bound(made, asked):
    view = EventView(event("\n".join(made)))
    query = f"{PREFIXES} SELECT * {{ {' '.join(asked)} }}"
    assert len(Dataset(view).solutions(query, Budget())) <= work_bound(parse_query(query), view)
