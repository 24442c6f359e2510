"""Which views a changed quad leads to."""

from __future__ import annotations

import pytest
from tests.views.test_view_set import Living

from triplewire.rdf.terms import NamedNode, Quad
from triplewire.views.changes import Change
from triplewire.views.evaluation.work import Budget, Moment, Work


class TestTouching:
    """How many views are looked at does not depend on how many there are."""

    @pytest.mark.parametrize(
        "query",
        [
            "SELECT ?s {{ ?s :author :a{0} ; :title ?t }}",
            "SELECT ?s {{ ?s :title ?t ; :by ?p . ?p :name :n0 . ?s :author :a{0} }}",
            "SELECT ?s {{ ?s :author ?a ; :title ?t FILTER(?a = :a{0}) }}",
            "SELECT ?s {{ ?s :author :a{0} OPTIONAL {{ ?s :title ?t }} }}",
            "SELECT (COUNT(*) AS ?n) {{ ?s :author :a{0} ; :title ?t }}",
            "SELECT ?s FROM :g {{ ?s :author :a{0} ; :title ?t }}",
            "SELECT ?s {{ ?s :size {0} ; :title ?t }}",
            "SELECT ?s {{ ?s :size ?n ; :title ?t FILTER(?n = {0}.0) }}",
        ],
    )
    def test_only_those_whose_constants_the_data_leads_to(self, query: str):
        facts = ":p :name :n0 . :x :author :a7 ; :by :p ; :size 7"
        living = Living(f"{facts} . GRAPH :g {{ {facts} }}")
        for number in range(50):
            living.add(f"view{number}", query.format(number))
        index = living.views._index
        graph = NamedNode("urn:g") if "FROM" in query else None
        title = [NamedNode("urn:x"), NamedNode("urn:title"), NamedNode("urn:t")]
        quad = Quad(*title, graph) if graph else Quad(*title)
        budget = Budget()
        touched = list(index.touched(quad, Work(living.dataset, budget, Moment.at(0))))
        assert [list(member.views) for member in touched] == [["view7"]]
        assert index.shapes == 1
        living.store.add(quad)
        told = living.views.apply(Change.of([quad]), living.dataset)
        assert [delta.view for delta in told] in (["view7"], [])

    def test_a_path_is_followed_to_the_constants_at_its_end(self):
        living = Living(":a7 :part :b . :c :part :d")
        for number in range(50):
            living.add(f"view{number}", f"SELECT ?x {{ :a{number} :part+ ?x }}")
        assert living.update("INSERT DATA { :b :part :c }") == {"view7": ([{"x": "c"}, {"x": "d"}], [])}

    def test_shapes_differ_by_predicate_and_not_by_the_names_of_variables(self):
        living = Living()
        living.add("one", "SELECT ?s { ?s :v :a }")
        living.add("two", "SELECT ?t { ?t :v :b }")
        living.add("three", "SELECT ?s { ?s :w :a }")
        assert living.views._index.shapes == 2
        for name in ("one", "two", "three"):
            living.views.remove(name)
        assert living.views._index.shapes == 0
        assert not living.views._index._leaves
