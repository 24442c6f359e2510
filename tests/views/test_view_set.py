"""Many views over one dataset."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Store
from tests.sweeps import sweep
from tests.views.following import PREFIX, short
from tests.views.generating import NODES, World, dataset_query, store_of
from tests.views.oracle import as_multiset

from triplewire.errors import BudgetExceeded, DuplicateSubscription, InputError, UnknownSubscription
from triplewire.evaluation.answers import evaluate
from triplewire.evaluation.datasets import Dataset, OxigraphDataset
from triplewire.evaluation.work import Moment
from triplewire.languages.sparql.parsing.parser import parse_dataset_query
from triplewire.rdf.terms import NamedNode, Quad
from triplewire.views import view_set
from triplewire.views.changes import Change
from triplewire.views.index import members
from triplewire.views.view_set import ViewDelta, ViewFailed, ViewSet


class Living:
    """A store, the views over it, and what they are told."""

    def __init__(self, data: str = "", **limits: int) -> None:
        self.store = Store()
        self.store.update(f"{PREFIX} INSERT DATA {{ {data} }}")
        self.views = ViewSet(**limits)
        self.position = 0

    @property
    def dataset(self) -> Dataset:
        return OxigraphDataset(self.store)

    def add(self, name: str, query: str) -> list[object]:
        return short(self.views.add(name, parse_dataset_query(PREFIX + query), self.dataset).items)

    def change(self, text: str) -> Change:
        before = set(self.store)
        self.store.update(PREFIX + text)
        self.position += 1
        return Change.of(set(self.store) - before, before - set(self.store), self.position, float(self.position))

    def update(self, text: str) -> dict[str, object]:
        told = self.views.apply(self.change(text), self.dataset)
        return {d.view: (short(d.added), short(d.removed)) if isinstance(d, ViewDelta) else d.reason for d in told}


def siblings(text: str, world: World) -> list[str]:
    """The query, and others of its shape, with other constants."""
    names = [subject for subject in world.subjects if isinstance(subject, NamedNode)]
    return list(dict.fromkeys(text.replace(str(one), str(other)) for one in NODES for other in (one, *names)))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**40), st.sampled_from((0, 4)))
def test_every_view_follows_every_change(seed: int, few: int):
    world = World(Random(seed))
    quads = world.quads()
    views, queries, answers = ViewSet(), {}, {}
    with pytest.MonkeyPatch.context() as patch:
        # With 0, candidates are always narrowed down.
        patch.setattr(members, "_FEW", few)
        patch.setattr(members, "_STEPS", 1_000 if few == 0 else 4)
        for text in (text for _ in range(3) for text in generated(world, quads)):
            name = f"view{len(queries)}"
            queries[name] = parse_dataset_query(text)
            answers[name] = as_multiset(views.add(name, queries[name], OxigraphDataset(store_of(quads))).items)
        for position in range(4):
            added, removed = world.change(quads)
            quads = (quads - removed) | added
            dataset = OxigraphDataset(store_of(quads))
            for delta in views.apply(Change.of(added, removed, position), dataset):
                assert isinstance(delta, ViewDelta)
                assert delta.added or delta.removed
                answers[delta.view] = answers[delta.view] - as_multiset(delta.removed) + as_multiset(delta.added)
            for name, query in queries.items():
                assert answers[name] == as_multiset(evaluate(query, dataset, moment=Moment.at(0)))


def generated(world: World, quads: set[Quad]) -> list[str]:
    try:
        texts = siblings(dataset_query(world, quads), world)
        for text in texts:
            parse_dataset_query(text)
    except InputError:
        return []
    return texts


test_many_more = sweep(
    test_every_view_follows_every_change, st.integers(0, 2**40), st.sampled_from((0, 4)), examples=1_000
)


def test_only_touched_views_are_told_in_the_order_in_which_they_came():
    living = Living()
    for name in "cab":
        living.add(name, f"SELECT ?s {{ ?s :v :{name} }}")
    living.add("all", "SELECT ?s ?o { ?s :v ?o }")
    assert living.update("INSERT DATA { :x :v :b }") == {"b": ([{"s": "x"}], []), "all": ([{"s": "x", "o": "b"}], [])}
    assert list(living.update("INSERT DATA { :x :v :a, :b, :c }")) == ["c", "a", "all"]
    assert living.update("INSERT DATA { :x :w :b }") == {}


def test_the_first_answer_is_whole_and_in_order():
    living = Living(":a :v 2 . :b :v 1")
    assert living.add("first", "SELECT ?s { ?s :v ?v } ORDER BY ?v") == [{"s": "b"}, {"s": "a"}]
    assert living.views.variables("first") == ("s",)


def test_views_with_the_same_query_are_one():
    living = Living(":a :v 1")
    assert living.add("one", "SELECT DISTINCT ?s { ?s :v ?v }") == [{"s": "a"}]
    living.update("INSERT DATA { :b :v 1 }")
    assert living.add("two", "SELECT DISTINCT ?s { ?s :v ?v }") == [{"s": "a"}, {"s": "b"}]
    assert living.views.explain("one").views == 2
    assert set(living.update("INSERT DATA { :c :v 1 }")) == {"one", "two"}
    living.views.remove("one")
    assert living.update("DELETE DATA { :c :v 1 }") == {"two": ([], [{"s": "c"}])}
    living.views.remove("two")
    assert living.update("INSERT DATA { :c :v 1 }") == {}


def test_a_restored_view_goes_on_where_it_was():
    living = Living(":a :v 1")
    query = parse_dataset_query(PREFIX + "SELECT DISTINCT ?s { ?s :v ?v }")
    living.views.restore("distinct", query, living.dataset)
    assert living.update("INSERT DATA { :a :v 2 . :b :v 1 }") == {"distinct": ([{"s": "b"}], [])}


def test_names_are_unique_and_known():
    living = Living()
    living.add("one", "ASK {}")
    with pytest.raises(DuplicateSubscription):
        living.add("one", "ASK { ?s ?p ?o }")
    with pytest.raises(UnknownSubscription):
        living.views.remove("two")
    assert "one" in living.views
    assert list(living.views) == ["one"]
    assert len(living.views) == 1


def test_a_view_over_its_budget_fails_alone():
    living = Living(steps=200)
    living.add("product", "SELECT * { ?a :v ?x . ?b :v ?y . ?c :v ?z }")
    living.add("plain", "SELECT ?a { ?a :v ?x }")
    many = " . ".join(f":s{n} :v {n}" for n in range(20))
    told = living.update(f"INSERT DATA {{ {many} }}")
    assert "steps" in told["product"]
    assert len(told["plain"][0]) == 20
    assert list(living.views) == ["plain"]
    assert list(living.update("INSERT DATA { :t :v 1 }")) == ["plain"]
    living.add("product", "ASK { ?a :v ?x }")


def test_views_of_one_owner_share_what_a_change_may_cost_and_small_ones_go_on():
    # What each product costs is 7,320 steps.
    living = Living(steps=8_000, owner_of=lambda view: view[0])
    names = [*(f"a{number}" for number in range(8)), "b0"]
    for number, name in enumerate(names):
        living.add(name, f"SELECT (COUNT(*) AS ?n) {{ ?a :v ?x . ?b :v ?y FILTER(?x + ?y > {number}.5) }}")
    living.add("a plain", "SELECT ?a { ?a :v ?x }")
    many = " . ".join(f":s{n} :v {n}" for n in range(60))
    told = living.update(f"INSERT DATA {{ {many} }}")
    failed = [view for view, said in told.items() if isinstance(said, str)]
    assert failed == names[2:8], "twice as much as one may"
    assert "of its owner are too much work together: wanted at most 16,000 steps" in told["a7"]
    assert len(told["a plain"][0]) == 60
    assert living.update("INSERT DATA { :t :v 1 }").keys() == {*names[:2], "b0", "a plain"}


def test_a_first_answer_over_its_budget_leaves_nothing():
    living = Living(" . ".join(f":s{n} :v {n}" for n in range(20)), start_steps=100)
    with pytest.raises(BudgetExceeded):
        living.add("product", "SELECT * { ?a :v ?x . ?b :v ?y . ?c :v ?z }")
    assert "product" not in living.views
    assert living.update("INSERT DATA { :t :v 1 }") == {}


def test_a_view_that_keeps_too_much_fails():
    living = Living(most_kept=3)
    living.add("distinct", "SELECT DISTINCT ?s { ?s :v ?v }")
    living.add("least", "SELECT (MIN(?v) AS ?least) { ?s :v ?v }")
    living.add("count", "SELECT (COUNT(*) AS ?n) { ?s :v ?v }")
    living.update("INSERT DATA { :a :v 1 . :b :v 2 }")
    told = living.update("INSERT DATA { :c :v 3 . :d :v 4 }")
    assert "at most 3 rows" in told["distinct"]
    assert "at most 3 rows" in told["least"]
    assert told["count"] == ([{"n": "4"}], [{"n": "2"}])
    with pytest.raises(BudgetExceeded):
        living.add("again", "SELECT DISTINCT ?s { ?s :v ?v }")
    assert list(living.views) == ["count"]


def test_a_quad_that_is_hard_to_place_touches_every_view_of_a_shape(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(view_set, "_TOUCH_STEPS", 1)
    living = Living(":a7 :part :b . :c :part :d")
    for number in range(20):
        living.add(f"view{number}", f"SELECT ?x {{ :a{number} :part+ ?x }}")
    assert list(living.update("INSERT DATA { :b :part :c }")) == ["view7"]


def test_a_failure_is_told_with_the_name():
    living = Living(steps=0)
    living.add("one", "SELECT ?a { ?a :v ?x }")
    (told,) = living.views.apply(living.change("INSERT DATA { :a :v 1 }"), living.dataset)
    assert isinstance(told, ViewFailed)
    assert told.view == "one"


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**40))
def test_the_reverse_of_a_change_takes_it_back(seed: int):
    world = World(Random(seed))
    quads = world.quads()
    views = ViewSet()
    for number, text in enumerate(generated(world, quads)):
        views.add(f"view{number}", parse_dataset_query(text), OxigraphDataset(store_of(quads)))
    added, removed = world.change(quads)
    change = Change.of(added, removed, 1)
    there = views.apply(change, OxigraphDataset(store_of((quads - removed) | added)))
    back = views.apply(change.reverse, OxigraphDataset(store_of(quads)))
    assert [(d.view, as_multiset(d.added), as_multiset(d.removed)) for d in there] == [
        (d.view, as_multiset(d.removed), as_multiset(d.added)) for d in back
    ]


class TestExplaining:
    def explained(self, query: str, data: str = ":a :v 1"):
        living = Living(data)
        living.add("view", query)
        return living.views.explain("view")

    def test_a_plain_view_keeps_nothing(self):
        found = self.explained("SELECT ?s { ?s :v :k ; :w ?x }")
        assert found.is_incremental
        assert found.shape == ("?v0 <urn:v> $0", "?v0 <urn:w> ?v1")
        assert found.patterns[1] == "?s <urn:w> ?x: solutions by ?s ?x"
        assert found.state == ()
        assert "keeps:\n    nothing" in str(found)

    def test_where_a_pattern_is_evaluated_again(self):
        found = self.explained("SELECT * { ?s :v ?o OPTIONAL { :c :w ?x } }")
        assert "evaluated again, since OPTIONAL shares no variable" in found.patterns[1]

    def test_why_a_view_is_evaluated_again(self):
        found = self.explained("SELECT (NOW() AS ?t) { }")
        assert not found.is_incremental
        assert "NOW()" in found.reevaluated
        assert "NOW()" in str(found)

    def test_what_is_kept(self):
        assert self.explained("SELECT DISTINCT ?s { ?s :v ?o }").state == ("a count for each of 1 distinct rows",)
        assert self.explained("SELECT (COUNT(*) AS ?n) { ?s :v ?o }").state == ("1 groups with their aggregates",)
        assert self.explained("SELECT ?s { ?s :v ?o } LIMIT 1").state == ("the first 1 rows in order",)
        assert "counts" in self.explained("ASK { ?s :v ?o }").state[0]
