"""Which views a changed quad leads to."""

from __future__ import annotations

import pytest
from tests.views.test_view_set import Living

from triplewire.evaluation.datasets import OxigraphDataset
from triplewire.evaluation.work import Budget, Moment, Work
from triplewire.rdf.terms import NamedNode, Quad
from triplewire.views.changes import Change
from triplewire.views.index.members import Search


class Counting:
    """A dataset that notes the predicates that it was asked for."""

    def __init__(self, living: Living) -> None:
        self._dataset = OxigraphDataset(living.store)
        self.named_graphs = self._dataset.named_graphs
        self.asked: list[str] = []

    def match(self, subject, predicate, obj, graph):
        self.asked.append(predicate.value)
        return self._dataset.match(subject, predicate, obj, graph)


def asked_about(living: Living, *quads: Quad) -> list[str]:
    """What is asked of the data to find the views that some quads touch."""
    counting = Counting(living)
    search = Search(Work(counting, Budget(), Moment.at(0)))
    for quad in quads:
        list(living.views._index.touched(quad, search))
    return counting.asked


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
        touched = list(index.touched(quad, Search(Work(living.dataset, budget, Moment.at(0)))))
        assert [list(member.views) for member in touched] == [["view7"]]
        assert index.shapes == 1
        living.store.add(quad)
        told = living.views.apply(Change.of([quad]), living.dataset)
        assert [delta.view for delta in told] in (["view7"], [])

    def test_only_patterns_that_lead_to_constants_are_followed(self):
        living = Living(":x :author :a7 ; :by :p . :p :name :n0")
        for number in range(50):
            living.add(f"view{number}", f"SELECT * {{ ?s :title ?t ; :by ?p . ?p :name ?n . ?s :author :a{number} }}")
        title = Quad(NamedNode("urn:x"), NamedNode("urn:title"), NamedNode("urn:t"))
        assert asked_about(living, title) == ["urn:author"]
        name = Quad(NamedNode("urn:p"), NamedNode("urn:name"), NamedNode("urn:n0"))
        assert asked_about(living, name) == ["urn:by", "urn:author"]

    def test_what_several_quads_and_shapes_lead_to_is_found_once(self):
        living = Living(":x :author :a7 ; :size 7")
        for number in range(50):
            living.add(f"one{number}", f"SELECT ?s {{ ?s :title ?t ; :author :a{number} }}")
            living.add(f"two{number}", f"SELECT ?s ?n {{ ?s :title ?t ; :author :a{number} ; :size ?n }}")
        quads = [Quad(NamedNode("urn:x"), NamedNode("urn:title"), NamedNode(f"urn:t{n}")) for n in range(3)]
        assert living.views._index.shapes == 2
        assert asked_about(living, *quads) == ["urn:author"]

    def test_what_takes_too_long_to_find_is_tried_again_only_with_more_steps(self):
        facts = " , ".join(f":a{number}" for number in range(500))
        living = Living(f":x :author {facts}")
        for number in range(10):
            living.add(f"few{number}", f"SELECT ?s {{ ?s :title ?t ; :author :a{number} }}")
        for number in range(20):
            living.add(f"more{number}", f"SELECT ?s ?n {{ ?s :title ?t ; :author :a{number} ; :size ?n }}")
        title = Quad(NamedNode("urn:x"), NamedNode("urn:title"), NamedNode("urn:t"))
        counting = Counting(living)
        search = Search(Work(counting, Budget(), Moment.at(0)))
        # All of them, since it costs less to look at each.
        assert len(list(living.views._index.touched(title, search))) == 30
        assert len(counting.asked) == 2
        assert len(list(living.views._index.touched(title, search))) == 30
        assert len(counting.asked) == 2

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
