"""The subscription poset: figure 2, algorithm 2, and a naive twin."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import event as note
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.network.routing.paper import DC, EXAMPLE_1, EXAMPLE_2, formula, integer, publication, sparql

from triplewire.network.messages import Publication, StandingQuery
from triplewire.network.routing.subscriptions.poset import Poset
from triplewire.network.routing.subscriptions.reasoner import AlgebraReasoner
from triplewire.network.routing.subscriptions.standing_queries import standing_query
from triplewire.testing.strategies import canonical_events, subscriptions

REASONER = AlgebraReasoner()


class CountingReasoner(AlgebraReasoner):
    """Notes what it was asked to match."""

    def __init__(self) -> None:
        super().__init__()
        self.tried: list[str] = []

    def matches(self, query: StandingQuery, publication: Publication) -> bool:
        self.tried.append(query.key)
        return super().matches(query, publication)


class PlainReasoner:
    """The three questions, and no glance."""

    def implies(self, narrow, wide):
        return REASONER.implies(narrow, wide)

    def covers(self, description, query):
        return REASONER.covers(description, query)

    def matches(self, query, publication):
        return REASONER.matches(query, publication)


def poset_of(*standings: StandingQuery, reasoner=REASONER) -> Poset[str]:
    poset: Poset[str] = Poset(reasoner)
    for query in standings:
        poset.add(query, "P1")
    return poset


# Figure 2 is lost in our text of the paper. This is a poset as section 3.3 describes it, around example 1:
#
#     articles                    dated in 2004 or later
#     ├── by Nejdl or Koubarakis      │
#     │       └─────────┬─────────────┘
#     │             example 1
#     └── with a title
ARTICLES = formula("X: t(X, <rdf:type>, <dc:article>)")
AUTHORS = formula(
    'X: t(X, <rdf:type>, <dc:article>) ^ t(X, <dc:creator>, Y) ^ (Y sqsupseteq "Nejdl" v Y sqsupseteq "Koubarakis")'
)
TITLED = formula("X: t(X, <rdf:type>, <dc:article>) ^ t(X, <dc:title>, T)")
RECENT = formula("X: t(X, <dc:date>, D) ^ D >= 2004")
FIGURE_2 = (ARTICLES, AUTHORS, TITLED, RECENT, EXAMPLE_1)


class TestFigure2:
    @pytest.mark.parametrize("turned", range(5))
    def test_the_order_does_not_depend_on_the_order_of_arrival(self, turned):
        poset = poset_of(*FIGURE_2[turned:], *FIGURE_2[:turned])
        assert set(poset.roots) == {ARTICLES.key, RECENT.key}
        assert set(poset.children(ARTICLES.key)) == {AUTHORS.key, TITLED.key}
        assert set(poset.parents(EXAMPLE_1.key)) == {AUTHORS.key, RECENT.key}
        assert set(poset.wider(EXAMPLE_1)) == {ARTICLES, AUTHORS, RECENT}
        assert set(poset.narrower(ARTICLES.key)) == {AUTHORS, TITLED, EXAMPLE_1}

    def test_each_knows_where_it_came_from(self):
        """`either from one of the peers connected to it or from another super-peer`"""
        poset: Poset[object] = Poset(REASONER)
        assert poset.add(EXAMPLE_1, "P1")
        assert not poset.add(EXAMPLE_1, ("SP3", 2))
        assert set(poset.origins(EXAMPLE_1.key)) == {"P1", ("SP3", 2)}
        assert not poset.remove(EXAMPLE_1.key, "P1")
        assert not poset.remove(EXAMPLE_1.key, "P1")
        assert poset.remove(EXAMPLE_1.key, ("SP3", 2))
        assert EXAMPLE_1.key not in poset
        assert not poset.origins(EXAMPLE_1.key)

    def test_wider_ones_of_a_subscription_that_is_not_in_it(self):
        poset = poset_of(*FIGURE_2[:-1])
        assert set(poset.wider(EXAMPLE_1)) == {ARTICLES, AUTHORS, RECENT}
        assert EXAMPLE_1.key not in poset

    def test_it_can_be_read_as_a_tree(self):
        poset: Poset[str] = Poset(REASONER)
        for query, origin in ((ARTICLES, "P1"), (AUTHORS, "P2"), (RECENT, "SP3"), (EXAMPLE_1, "P4")):
            poset.add(query, origin)
        shown = [(len(line) - len(line.lstrip()), line.split("[")[-1]) for line in poset.lines()]
        assert shown == [(0, "P1]"), (2, "P2]"), (4, "P4]"), (0, "SP3]"), (2, "P4]")]

    def test_what_has_two_parents_is_unfolded_once(self):
        """A ladder of twenty rungs: all its paths would be 230 lines."""
        years = [sparql(f"ASK {{ ?x dc:date ?d FILTER(?d > {year}) }}") for year in range(2000, 2020)]
        both = [sparql(f"ASK {{ ?x dc:date ?d ; dc:title ?t FILTER(?d > {year}) }}") for year in range(2000, 2020)]
        lines = list(poset_of(*years, *both).lines())
        assert len(lines) == 20 + 20 + 19
        assert sum(line.endswith(" ...") for line in lines) == 18


class TestAlgorithm2:
    def test_what_matches_over_figure_2(self):
        assert set(poset_of(*FIGURE_2).matching(EXAMPLE_2).values()) == {ARTICLES, AUTHORS, RECENT, EXAMPLE_1}

    def test_below_a_root_that_does_not_match_nothing_is_tried(self):
        counting = CountingReasoner()
        poset = poset_of(*FIGURE_2, reasoner=counting)
        untyped = publication((f"{DC}date", integer(2000)), (f"{DC}title", '"x"'))
        assert poset.matching(untyped) == {}
        assert counting.tried == [RECENT.key]

    def test_each_is_tried_once(self):
        counting = CountingReasoner()
        poset_of(*FIGURE_2, reasoner=counting).matching(EXAMPLE_2)
        assert sorted(counting.tried) == sorted(query.key for query in FIGURE_2)

    def test_a_root_that_asks_for_another_object_is_not_tried(self):
        counting = CountingReasoner()
        poset = poset_of(*(sparql(f"ASK {{ ?x dc:creator 'Author {n}' }}") for n in range(50)), reasoner=counting)
        found = poset.matching(publication((f"{DC}creator", '"Author 7"')))
        assert len(found) == len(counting.tried) == 1

    @settings(deadline=None)
    @given(canonical_events(size=5), st.data())
    def test_it_finds_what_testing_every_subscription_finds(self, event, data):
        """Subscriptions of both lanes, in all languages."""
        drawn = data.draw(st.lists(subscriptions(event.triples), min_size=1, max_size=8))
        standings = list(dict.fromkeys(standing_query(s.language, s.text) for s in drawn))
        sent = Publication("SP1", 1, event.graph.value, "C1", "", None, event.nquads)
        expected = {query.key for query in standings if REASONER.matches(query, sent)}
        note(f"{len(expected)} match")
        assert set(poset_of(*standings).matching(sent)) == expected


class TestOrder:
    def test_of_two_that_imply_each_other_the_older_stands_above(self):
        a, b, c = (sparql(f"ASK {{ ?{name} dc:date ?d }}") for name in "abc")
        poset = poset_of(b, a, c)
        assert poset.roots == (b.key,)
        assert poset.children(b.key) == (a.key,)
        assert poset.children(a.key) == (c.key,)
        narrow = sparql("ASK { ?x dc:date 2004 }")
        poset.add(narrow, "P1")
        assert poset.parents(narrow.key) == (c.key,)
        poset.remove(a.key, "P1")
        assert poset.children(b.key) == (c.key,)

    def test_a_newcomer_takes_a_place_in_between(self):
        wide, middle, narrow = (sparql(f"ASK {{ ?x dc:date ?d FILTER(?d > {year}) }}") for year in (1990, 2000, 2004))
        poset = poset_of(wide, narrow)
        assert poset.children(wide.key) == (narrow.key,)
        poset.add(middle, "P1")
        assert poset.children(wide.key) == (middle.key,)
        assert poset.children(middle.key) == (narrow.key,)

    def test_what_hides_its_predicate_finds_its_place(self):
        shown, hidden = sparql("ASK { ?x dc:date ?d }"), sparql("ASK { ?x ?p ?d FILTER(?p = dc:date) }")
        assert poset_of(shown, hidden).parents(hidden.key) == (shown.key,)
        # The other way round they imply each other, and the older stands above.
        assert poset_of(hidden, shown).parents(shown.key) == (hidden.key,)

    def test_what_hides_its_object_finds_its_place(self):
        wide = sparql('ASK { ?x dc:creator "Nejdl" }')
        narrow = sparql('ASK { ?x dc:title ?t ; dc:creator ?c FILTER(?c = "Nejdl") }')
        assert poset_of(wide, narrow).parents(narrow.key) == (wide.key,)
        assert poset_of(narrow, wide).parents(narrow.key) == (wide.key,)

    def test_a_query_of_the_general_lane_stands_below_what_it_requires(self):
        wide = sparql("ASK { ?x dc:creator ?c }")
        narrow = sparql("SELECT * { ?x dc:creator ?c ; dc:date ?d OPTIONAL { ?x dc:title ?t } }")
        assert poset_of(narrow, wide).parents(narrow.key) == (wide.key,)

    def test_a_reasoner_without_a_glance_will_do(self):
        plain = poset_of(*FIGURE_2, reasoner=PlainReasoner())
        assert {key: set(plain.parents(key)) for key in map(_key, FIGURE_2)} == {
            key: set(poset_of(*FIGURE_2).parents(key)) for key in map(_key, FIGURE_2)
        }

    def test_many_subscriptions_ask_for_few_proofs(self):
        """Two thousand in one poset: what the traits and the glance leave is what is really ordered."""
        standings = [
            sparql(f"ASK {{ ?x dc:creator 'Author {n % 200}' ; dc:date ?d FILTER(?d > {1990 + n // 200}) }}")
            for n in range(2000)
        ]
        counting = ProofCounter()
        poset = poset_of(*standings, reasoner=counting)
        assert len(poset.roots) == 200
        assert counting.asked <= 3 * len(standings)


class ProofCounter(AlgebraReasoner):
    """Counts the questions for a proof. It knows the answer of this one test beforehand, which takes no time."""

    asked = 0

    def implies(self, narrow: StandingQuery, wide: StandingQuery) -> bool:
        self.asked += 1
        return self.may_imply(narrow, wide)


def _key(query: StandingQuery) -> str:
    return query.key


def _pool() -> Iterable[StandingQuery]:
    """Subscriptions of class L with much order among them, two of which are equal but for a name."""
    for year in (2000, 2002, 2004):
        yield sparql(f"ASK {{ ?x dc:date ?d FILTER(?d > {year}) }}")
        yield sparql(f"ASK {{ ?x dc:date ?d ; dc:creator ?c FILTER(?d > {year}) }}")
        yield sparql(f'ASK {{ ?x dc:date ?d ; dc:creator "Nejdl" FILTER(?d > {year}) }}')
    yield sparql("ASK { ?x dc:date ?d }")
    yield sparql("ASK { ?y dc:date ?d }")
    yield sparql("ASK { ?x dc:creator ?c }")
    yield sparql('ASK { ?x dc:creator "Nejdl" }')
    yield sparql('ASK { ?x dc:creator ?c FILTER(?c = "Nejdl") }')
    yield sparql("ASK { ?x ?p ?o }")
    yield sparql("ASK { ?x ?p ?o FILTER(?p = dc:date) }")
    yield sparql("SELECT * { ?x dc:date ?d OPTIONAL { ?x dc:title ?t } }")


POOL = list(_pool())


class PosetLikeNaive(RuleBasedStateMachine):
    """The poset against a list of subscriptions, the oldest first, and the definition of the order."""

    def __init__(self) -> None:
        super().__init__()
        self.poset: Poset[int] = Poset(REASONER)
        self.naive: dict[StandingQuery, set[int]] = {}

    @rule(query=st.sampled_from(POOL), origin=st.integers(0, 1))
    def add(self, query, origin):
        assert self.poset.add(query, origin) == (query not in self.naive)
        self.naive.setdefault(query, set()).add(origin)

    @rule(query=st.sampled_from(POOL), origin=st.integers(0, 1))
    def remove(self, query, origin):
        origins = self.naive.get(query, set())
        assert self.poset.remove(query.key, origin) == (origins == {origin})
        origins.discard(origin)
        if not origins:
            self.naive.pop(query, None)

    @rule(query=st.sampled_from(POOL))
    def ask_for_wider_ones(self, query):
        if query in self.naive:
            expected = {other for other in self.naive if self._above(query, other)}
        else:
            expected = {other for other in self.naive if REASONER.implies(query, other)}
        assert set(self.poset.wider(query)) == expected

    @invariant()
    def has_the_same_members_and_origins(self):
        assert list(self.poset) == list(self.naive)
        assert {query: set(self.poset.origins(query.key)) for query in self.naive} == self.naive

    @invariant()
    def is_the_transitive_reduction_of_the_order(self):
        above = {low: {high for high in self.naive if self._above(low, high)} for low in self.naive}
        for low, highs in above.items():
            nearest = {high.key for high in highs if not any(high in above[between] for between in highs)}
            assert set(self.poset.parents(low.key)) == nearest
            assert all(low.key in self.poset.children(key) for key in nearest)
        assert set(self.poset.roots) == {low.key for low, highs in above.items() if not highs}
        for high in self.naive:
            assert set(self.poset.narrower(high.key)) == {low for low, highs in above.items() if high in highs}

    def _above(self, low: StandingQuery, high: StandingQuery) -> bool:
        if low == high or not REASONER.implies(low, high):
            return False
        ages = list(self.naive)
        return not REASONER.implies(high, low) or ages.index(high) < ages.index(low)


TestPosetLikeNaive = PosetLikeNaive.TestCase
TestPosetLikeNaive.settings = settings(deadline=None, stateful_step_count=30)
