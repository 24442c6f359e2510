"""The matcher as its callers see it."""

from __future__ import annotations

import pytest
from tests.matching.algebra import EX, X, Y, Z, core, subscribed, where
from tests.matching.asking import event

from triplewire.algebra.constraints import Condition, TaxonomyRelation, TaxonomyTest
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Ask, Construct
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import DuplicateSubscription, UnknownSubscription
from triplewire.matching import Matcher
from triplewire.rdf.terms import RDF, RDFS, Triple

ON = event(":a a :Paper ; :year 2004 .")
PAPERS = core((X, RDF["type"], EX["Paper"]))
YEARS = core((X, EX["year"], Y))


def names(matcher: Matcher, on=ON) -> list[str]:
    return [match.subscription_id for match in matcher.match(on)]


def test_matches_come_in_the_order_of_adding():
    matcher = Matcher()
    for name in ("z", "a", "m"):
        matcher.add(subscribed(name, PAPERS))
    assert names(matcher) == ["z", "a", "m"]
    assert [subscription.id for subscription in matcher.subscriptions] == ["z", "a", "m"]


def test_a_match_names_subscription_event_solutions_and_lane():
    matcher = Matcher()
    matcher.add(subscribed("papers", PAPERS))
    [match] = matcher.match(ON)
    assert match.subscription_id == "papers"
    assert match.event == ON
    assert match.solutions == [{"x": EX["a"]}]
    assert match.lane == "fast"


def test_an_ask_and_a_construct():
    matcher = Matcher()
    matcher.add(subscribed("ask", YEARS, Ask()))
    matcher.add(subscribed("construct", PAPERS, Construct((Pattern(X, EX["is"], EX["there"]),))))
    ask, construct = matcher.match(ON)
    assert ask.solutions == [{}]
    assert construct.solutions == [{"x": EX["a"]}]
    assert construct.construct == (Triple(EX["a"], EX["is"], EX["there"]),)


def test_the_same_subscription_again_changes_nothing():
    matcher = Matcher()
    matcher.add(subscribed("s", PAPERS))
    matcher.add(subscribed("s", PAPERS))
    assert len(matcher) == 1
    assert names(matcher) == ["s"]


def test_the_same_identifier_with_another_query_is_refused_and_nothing_changes():
    matcher = Matcher()
    matcher.add(subscribed("s", PAPERS))
    with pytest.raises(DuplicateSubscription, match="'s' is taken"):
        matcher.add(subscribed("s", YEARS))
    [match] = matcher.match(ON)
    assert match.solutions == [{"x": EX["a"]}]


def test_removing():
    matcher = Matcher()
    matcher.add(subscribed("s", PAPERS))
    assert "s" in matcher
    matcher.remove("s")
    assert "s" not in matcher
    assert names(matcher) == []
    with pytest.raises(UnknownSubscription, match="'s'"):
        matcher.remove("s")
    matcher.add(subscribed("s", YEARS))
    assert names(matcher) == ["s"]


def test_the_taxonomy_can_be_replaced():
    under = Condition(TaxonomyTest(TaxonomyRelation.IS_A, X, EX["Publication"]))
    wanted = core((X, EX["year"], Y), constraint=where(under))
    matcher = Matcher()
    matcher.add(subscribed("s", wanted))
    assert names(matcher) == []
    taxonomy = Taxonomy.from_triples([Triple(EX["Paper"], RDFS["subClassOf"], EX["Publication"])])
    matcher.set_taxonomy(taxonomy)
    assert matcher.taxonomy == taxonomy
    assert names(matcher) == ["s"]
    matcher.set_taxonomy(None)
    assert names(matcher) == []


class TestQuarantine:
    """F11 and A11: quarantined after N tries with the reason; the rest flows."""

    bomb = core(*((Variable(f"s{n}"), Variable(f"p{n}"), Variable(f"o{n}")) for n in range(12)))

    def test_the_reason_is_kept_and_the_others_flow(self):
        matcher = Matcher(budget=1_000)
        matcher.add(subscribed("bomb", self.bomb))
        matcher.add(subscribed("papers", PAPERS))
        assert names(matcher) == ["papers"]
        assert "more than 1,000 intermediate bindings" in matcher.quarantined["bomb"]
        assert "http://example.org/event" in matcher.quarantined["bomb"]
        before = matcher.stats.candidates
        assert names(matcher) == ["papers"]
        assert matcher.stats.candidates == before + 1

    def test_after_n_tries(self):
        matcher = Matcher(budget=1_000, tries=2)
        matcher.add(subscribed("bomb", self.bomb))
        matcher.match(ON)
        assert not matcher.quarantined
        matcher.match(ON)
        assert list(matcher.quarantined) == ["bomb"]

    def test_removing_and_adding_gives_another_chance(self):
        matcher = Matcher(budget=1_000)
        matcher.add(subscribed("bomb", self.bomb))
        matcher.match(ON)
        matcher.remove("bomb")
        assert not matcher.quarantined
        matcher.add(subscribed("bomb", PAPERS))
        assert names(matcher) == ["bomb"]


def test_statistics():
    matcher = Matcher()
    matcher.add(subscribed("papers", PAPERS))
    matcher.add(subscribed("books", core((X, RDF["type"], EX["Book"]))))
    matcher.add(subscribed("all", core((X, Y, Z))))
    matcher.match(ON)
    assert (matcher.stats.events, matcher.stats.candidates, matcher.stats.matches) == (1, 2, 2)
    assert matcher.unindexed == 1
