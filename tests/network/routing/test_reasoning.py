"""What routing is told about queries: the paper's examples, the oracle, and no wrong answer on the costly side."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import event as note
from hypothesis import strategies as st
from tests.network.routing.paper import DC, EXAMPLE_1, EXAMPLE_2, LOM, SCHEMAS, VALUES, integer, publication, sparql

from triplewire.algebra import Advertisement, Interval, Subscription
from triplewire.algebra.namespaces import namespace_of
from triplewire.algebra.queries import Construct
from triplewire.errors import InputError, SyntaxProblem, UnknownFormat
from triplewire.network.messages import Publication, StandingQuery
from triplewire.network.routing.advertisements.descriptions import combined, describe
from triplewire.network.routing.subscriptions.reasoner import AlgebraReasoner, QuickImplication
from triplewire.network.routing.subscriptions.standing_queries import parsed, standing_query, validated
from triplewire.rdf.events import Event
from triplewire.rdf.terms import Literal, NamedNode, Triple
from triplewire.testing import Oracle
from triplewire.testing.strategies import advertisements, canonical_events, fast_subscriptions, subscriptions
from triplewire.testing.strategies.advertisements import advertisement_of

REASONER = AlgebraReasoner()


def travelling(event: Event) -> Publication:
    return Publication("SP1", 1, event.graph.value, "C1", "2004-05-10T00:00:00+00:00", None, event.nquads)


def as_standing(subscription: Subscription) -> StandingQuery:
    return standing_query(subscription.language, subscription.text)


class TestExamples:
    def test_example_2_matches_example_1(self):
        assert REASONER.matches(EXAMPLE_1, EXAMPLE_2)

    def test_another_year_does_not(self):
        assert not REASONER.matches(EXAMPLE_1, publication((f"{DC}creator", '"Nejdl"'), (f"{DC}date", integer(2003))))

    def test_example_3_schemas_cover(self):
        assert REASONER.covers(describe([SCHEMAS]), EXAMPLE_1)

    def test_example_4_other_properties_do_not(self):
        """The example says that they do, which does not follow from definition 6. The definition stands."""
        assert not REASONER.covers(describe([Advertisement.properties([f"{DC}subject", f"{LOM}context"])]), EXAMPLE_1)

    def test_example_4_its_own_properties_do(self):
        assert REASONER.covers(describe([Advertisement.properties([f"{DC}creator", f"{DC}date"])]), EXAMPLE_1)

    def test_example_5_values_cover(self):
        """dc:date is not advertised, and values alone say nothing about it."""
        assert REASONER.covers(describe([VALUES]), EXAMPLE_1)

    def test_example_5_with_other_creators_does_not(self):
        assert not REASONER.covers(describe([Advertisement.values({f"{DC}creator": "K. Aberer"})]), EXAMPLE_1)


class TestCovers:
    @pytest.mark.parametrize(
        ("advertised", "text", "expected"),
        [
            # Values of several properties at once: each alternative of the constraint needs all its values.
            ({"creator": ["Nejdl"], "date": [2003]}, "?c = 'Nejdl' && ?d = 2003", True),
            ({"creator": ["Nejdl"], "date": [2003]}, "?c = 'Nejdl' && ?d = 2004", False),
            ({"creator": ["Nejdl"], "date": [2003]}, "(?c = 'Nejdl' && ?d = 1) || (?c = 'x' && ?d = 2003)", False),
            ({"creator": ["Nejdl", "x"], "date": [2003]}, "(?c = 'Nejdl' && ?d = 1) || (?c = 'x' && ?d = 2003)", True),
            ({"date": [Interval(2000, 2003)]}, "?d > 2003", False),
            ({"date": [Interval(2000, 2003)]}, "?d >= 2003", True),
            ({"date": [Interval(2000, 2003, high_open=True)]}, "?d >= 2003", False),
            ({"date": [Interval(None, 1999), Interval(2010, None)]}, "?d > 2000 && ?d < 2010", False),
            ({"date": [1, 2], "creator": [3, 4]}, "?d > ?c", False),
            ({"date": [1, 5], "creator": [3, 4]}, "?d > ?c", True),
        ],
    )
    def test_values_of_all_properties_must_be_consistent(self, advertised, text, expected):
        values = Advertisement.values({DC + name: found for name, found in advertised.items()})
        standing = sparql(f"ASK {{ ?x dc:creator ?c ; dc:date ?d FILTER({text}) }}")
        assert REASONER.covers(describe([values]), standing) is expected

    def test_a_constant_is_looked_up_among_the_values(self):
        values = describe([Advertisement.values({f"{DC}creator": "Nejdl"})])
        assert REASONER.covers(values, sparql('ASK { ?x dc:creator "Nejdl" }'))
        assert not REASONER.covers(values, sparql('ASK { ?x dc:creator "Koubarakis" }'))

    def test_one_variable_for_two_properties_wants_one_value_in_both(self):
        standing = sparql("ASK { ?x dc:creator ?y ; dc:contributor ?y }")
        apart = Advertisement.values({f"{DC}creator": ["a", "b"], f"{DC}contributor": ["c"]})
        shared = Advertisement.values({f"{DC}creator": ["a", "b"], f"{DC}contributor": ["c", "b"]})
        assert not REASONER.covers(describe([apart]), standing)
        assert REASONER.covers(describe([shared]), standing)

    def test_values_alone_want_one_property_in_common(self):
        values = describe([Advertisement.values({f"{DC}creator": "Nejdl"})])
        assert REASONER.covers(values, sparql("ASK { ?x dc:creator ?c ; dc:date ?d }"))
        assert not REASONER.covers(values, sparql("ASK { ?x dc:date ?d }"))

    def test_values_beside_properties_want_every_property(self):
        mixed = describe([Advertisement.values({f"{DC}creator": "Nejdl"}), Advertisement.properties([f"{DC}title"])])
        assert REASONER.covers(mixed, sparql("ASK { ?x dc:creator ?c ; dc:title ?t }"))
        assert not REASONER.covers(mixed, sparql("ASK { ?x dc:creator ?c ; dc:date ?d }"))

    @pytest.mark.parametrize(
        "text",
        [
            "SELECT * { OPTIONAL { ?x ex:other ?y } }",
            "SELECT * { { ?x ex:other ?y } UNION { ?x dc:title ?y } }",
            "SELECT * { ?x dc:title ?t OPTIONAL { ?x ex:other ?y } }",
            "SELECT * { ?x (dc:title|ex:other)+ ?y }",
            "SELECT * { ?x ex:other* ?y }",
            "SELECT * { ?x ?p ?y FILTER(?p = dc:title) }",
            "SELECT * { ?x dc:title ?y FILTER NOT EXISTS { ?x ex:other ?z } }",
            "SELECT * { ?x dc:title ?y MINUS { ?x ex:other ?z } }",
            "SELECT (COUNT(*) AS ?n) { ?x ex:other ?y }",
        ],
    )
    def test_what_is_not_required_does_not_count(self, text):
        assert REASONER.covers(describe([Advertisement.properties([f"{DC}title"])]), sparql(text))

    def test_what_is_required_in_the_general_lane_counts(self):
        titles = describe([Advertisement.properties([f"{DC}title"])])
        assert not REASONER.covers(titles, sparql("SELECT * { ?x ex:other ?y OPTIONAL { ?x dc:title ?t } }"))

    def test_giving_up_counts_as_covered(self):
        """So many values to compare that the effort is spent before all are tried."""
        many = Advertisement.values({f"{DC}date": range(700), f"{DC}creator": range(1000, 1700)})
        standing = sparql("ASK { ?x dc:date ?d ; dc:creator ?c FILTER(?d > ?c) }")
        assert REASONER.covers(describe([many]), standing)

    def test_a_subscription_that_can_never_match_goes_nowhere(self):
        never = sparql("ASK { ?x dc:date ?d FILTER(?d > 5 && ?d < 3) }")
        assert not REASONER.covers(describe([Advertisement.schemas([DC])]), never)

    @settings(max_examples=settings().max_examples * 3, deadline=None)
    @given(canonical_events(size=6), st.data())
    def test_whoever_published_a_match_was_covered(self, event: Event, data):
        """No subscription of either lane is held back from a peer that publishes within what it advertised."""
        assume(all(isinstance(t.object, NamedNode | Literal) for t in event.triples))
        standing = as_standing(data.draw(subscriptions(event.triples)))
        if not REASONER.matches(standing, travelling(event)):
            return
        note("matches")
        description = describe(data.draw(descriptions_of(event.triples)))
        assert REASONER.covers(description, standing), (standing.text, description.rdf, event.nquads)

    @settings(deadline=None)
    @given(canonical_events(size=6), st.data())
    def test_whoever_registered_it_piece_by_piece_was_covered(self, event: Event, data):
        """The same where each property is advertised in some registration of several."""
        assume(all(isinstance(t.object, NamedNode | Literal) for t in event.triples))
        standing = as_standing(data.draw(subscriptions(event.triples)))
        if not REASONER.matches(standing, travelling(event)):
            return
        note("matches")
        names = sorted({t.predicate for t in event.triples}, key=str)
        places = {name: data.draw(st.integers(0, 2)) for name in names}
        parts = [[t for t in event.triples if places[t.predicate] == place] for place in sorted(set(places.values()))]
        registered = [describe(data.draw(descriptions_of(part))) for part in parts]
        registered += [describe([advertisement]) for advertisement in data.draw(st.lists(advertisements(), max_size=2))]
        assert any(REASONER.covers(one, standing) for one in combined(registered).values())


@st.composite
def descriptions_of(draw, triples: Sequence[Triple]) -> list[Advertisement]:
    """Advertisements that the triples are within: each property on a level that is drawn for it."""
    names = sorted({t.predicate for t in triples}, key=str)
    levels = {name: draw(st.sampled_from(("schema", "property", "value"))) for name in names}
    chosen = {level: [name for name in names if levels[name] == level] for level in set(levels.values())}
    found: list[Advertisement] = []
    if "schema" in chosen:
        found.append(Advertisement.schemas({namespace_of(name) for name in chosen["schema"]}))
    if "property" in chosen:
        found.append(Advertisement.properties(chosen["property"]))
    if "value" in chosen:
        found.append(advertisement_of(t for t in triples if levels[t.predicate] == "value"))
    return found


class TestImplies:
    def test_a_narrower_one_implies_a_wider_one_only(self):
        wide, narrow = (sparql(f"ASK {{ ?x dc:date ?d FILTER(?d > {year}) }}") for year in (2000, 2004))
        assert REASONER.implies(narrow, wide)
        assert not REASONER.implies(wide, narrow)

    def test_equal_queries_in_two_languages_imply_each_other(self):
        a, b = standing_query("sparql", "ASK { ?x <urn:p> ?y }"), standing_query("graph", "?a <urn:p> ?b .")
        assert REASONER.implies(a, b)
        assert REASONER.implies(b, a)

    @settings(max_examples=settings().max_examples * 2, deadline=None)
    @given(canonical_events(size=5), st.data())
    def test_a_glance_rules_out_nothing_that_can_be_proved(self, event, data):
        from triplewire.algebra import implies

        a, b = (as_standing(data.draw(subscriptions(event.triples))) for _ in range(2))
        proved = implies(parsed(a), parsed(b))
        note(f"implied: {proved}")
        assert REASONER.implies(a, b) == proved
        assert REASONER.may_imply(a, b) or not proved
        assert REASONER.may_imply(a, a)

    def test_it_can_glance(self):
        assert isinstance(REASONER, QuickImplication)


class TestMatches:
    @settings(max_examples=settings().max_examples * 2, deadline=None)
    @given(canonical_events(size=6), st.data())
    def test_it_agrees_with_the_oracle(self, event, data):
        subscription = data.draw(fast_subscriptions(event.triples))
        # A CONSTRUCT may match and yet make no triple: the oracle, which gives its graph, cannot tell that from none.
        assume(not isinstance(subscription.query.form, Construct))
        expected = Oracle().match(subscription, event) is not None
        note(f"matches: {expected}")
        assert REASONER.matches(as_standing(subscription), travelling(event)) == expected

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("SELECT * { ?x dc:date ?d OPTIONAL { ?x ex:none ?n } }", True),
            ("SELECT * { ?x dc:date ?d MINUS { ?x dc:creator ?c } }", False),
            ("SELECT * { ?x dc:date|ex:none ?d }", True),
            ("SELECT (COUNT(*) AS ?n) { ?x ex:none ?y }", True),
            ("ASK { ?x ex:none ?d }", False),
        ],
    )
    def test_the_general_lane(self, text, expected):
        assert REASONER.matches(sparql(text), EXAMPLE_2) is expected

    def test_what_would_cost_too_much_counts_as_a_match(self):
        """Whoever subscribed has a matcher of its own, and a budget."""
        many = publication(*((f"urn:p{n}", f'"{n}"') for n in range(40)))
        patterns = " . ".join(f"?a{n} ?b{n} ?c{n}" for n in range(4))
        crossed = sparql(f"ASK {{ {patterns} FILTER(?c0 < ?c1 && ?c1 < ?c2 && ?c2 < ?c3 && ?c3 < ?c0) }}")
        assert AlgebraReasoner(steps=100).matches(crossed, many)

    @pytest.mark.parametrize(
        ("nquads", "message"),
        [
            (b"no quads", "."),
            (b"<urn:a> <urn:b> <urn:c> <urn:e1> .\n<urn:a> <urn:b> <urn:c> <urn:e2> .\n", "wants one event, found 2"),
            (b"<urn:a> <urn:b> <urn:c> <urn:other> .\n", "wanted the event 'urn:e1', found <urn:other>"),
        ],
    )
    def test_what_is_not_the_event_named_is_refused(self, nquads, message):
        wrong = Publication("SP1", 1, "urn:e1", "C1", "", None, nquads)
        with pytest.raises(InputError, match=message):
            REASONER.matches(EXAMPLE_1, wrong)


class TestStandings:
    def test_equal_text_has_an_equal_key(self):
        assert standing_query("sparql", "ASK { ?x ?y ?z }") == standing_query("sparql", "ASK { ?x ?y ?z }")
        assert standing_query("sparql", "ASK { ?x ?y ?z }").key != standing_query("sparql", "ASK { ?a ?y ?z }").key

    def test_text_that_does_not_parse_is_refused_by_the_parser(self):
        with pytest.raises(SyntaxProblem):
            standing_query("sparql", "ASK { ?x")
        with pytest.raises(UnknownFormat, match=r"wanted a subscription language, .*found 'klingon'"):
            standing_query("klingon", "nuqneH")

    def test_what_comes_from_outside_must_have_its_own_key(self):
        assert validated(EXAMPLE_1) is EXAMPLE_1
        with pytest.raises(InputError, match="wants its own key"):
            validated(StandingQuery(EXAMPLE_1.key, "sparql", "ASK { ?x ?y ?z }"))

    def test_a_forged_key_borrows_no_answers(self):
        forged = StandingQuery(EXAMPLE_1.key, "sparql", "ASK { ?x <urn:nobody> ?z }")
        covering = describe([SCHEMAS])
        assert REASONER.covers(covering, EXAMPLE_1)
        assert not REASONER.covers(covering, forged)
