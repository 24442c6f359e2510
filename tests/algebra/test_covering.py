"""Covering (Chirita et al., definitions 5, 6 and 8, examples 3 to 5)."""

from __future__ import annotations

import datetime

import pytest
from tests.algebra.building import (
    DC,
    EX,
    D,
    P,
    X,
    Y,
    Z,
    ask,
    cmp,
    contains,
    every,
    false,
    is_a,
    lit,
    select,
    some,
    t,
    z,
)

from triplewire.algebra.advertisements.advertisement import Advertisement
from triplewire.algebra.advertisements.value_sets import Interval
from triplewire.algebra.constraints import NEVER, Constraint
from triplewire.algebra.queries import Ask, Core, GeneralQuery
from triplewire.algebra.reasoning.covering import covers, explain_covers
from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.rdf.terms import RDF, RDFS, NamedNode

LOM = "http://www.imsglobal.org/xsd/imsmd_v1p2#"
EXAMPLE_1 = select(
    (X,),
    t(X, RDF["type"], DC["article"]),
    t(X, DC["creator"], Y),
    t(X, DC["date"], D),
    where=every(some(contains(Y, "Nejdl"), contains(Y, "Koubarakis")), z(D, "=", 2004)),
)


class TestDefinition5:
    def test_example_3(self) -> None:
        assert covers(Advertisement.schemas([str(DC), LOM], owner="SP1"), EXAMPLE_1)

    def test_a_schema_that_is_missing_blocks(self) -> None:
        verdict = explain_covers(Advertisement.schemas([LOM]), EXAMPLE_1)
        assert not verdict
        assert "http://purl.org/dc/elements/1.1/" in verdict.reason

    def test_rdf_and_rdfs_are_ambient(self) -> None:
        assert covers(Advertisement.schemas([LOM]), ask(t(X, RDF["type"], Y), t(X, RDFS["label"], Z)))

    def test_namespaces_end_at_the_last_hash_or_slash(self) -> None:
        assert covers(Advertisement.schemas([LOM]), ask(t(X, NamedNode(LOM + "context"), Y)))
        assert covers(Advertisement.schemas(["urn:vocabulary:"]), ask(t(X, NamedNode("urn:vocabulary:name"), Y)))
        assert not covers(
            Advertisement.schemas(["http://example.org/a/"]), ask(t(X, NamedNode("http://example.org/a/b/c"), Y))
        )

    def test_a_variable_predicate_asks_for_no_schema(self) -> None:
        assert covers(Advertisement.schemas([LOM]), ask(t(X, Z, Y)))


class TestDefinition6:
    def test_all_properties_must_be_advertised(self) -> None:
        assert covers(Advertisement.properties([DC["creator"], DC["date"], DC["title"]]), EXAMPLE_1)
        assert not covers(Advertisement.properties([DC["creator"]]), EXAMPLE_1)

    def test_example_4_does_not_follow_from_the_definition(self) -> None:
        example_4 = Advertisement.properties([DC["subject"], NamedNode(LOM + "context")], owner="SP6")
        assert not covers(example_4, EXAMPLE_1)

    def test_ambient_properties_never_block(self) -> None:
        assert covers(Advertisement.properties([DC["title"]]), ask(t(X, RDF["type"], Y)))


class TestDefinition8:
    def test_example_5(self) -> None:
        example_5 = Advertisement.values(
            {
                DC["creator"]: {"W. Nejdl", "P. Chirita"},
                DC["title"]: {"Algorithms", "Data Structures"},
                DC["year"]: Interval(2002, None),
            },
            owner="SP1",
        )
        verdict = explain_covers(example_5, EXAMPLE_1)
        assert verdict
        assert "W. Nejdl" in verdict.reason

    def test_a_value_that_satisfies_no_alternative_blocks(self) -> None:
        assert not covers(Advertisement.values({DC["creator"]: {"P. Chirita", "S. Idreos"}}), EXAMPLE_1)

    @pytest.mark.parametrize(
        ("years", "expected"),
        [
            (Interval(2002, None), True),
            (Interval(2004, 2004), True),
            (Interval(2005, None), False),
            (Interval(None, 2004, high_open=True), False),
            ([Interval(None, 2003), Interval(2004, 2010, low_open=True)], False),
            ([Interval(None, 2003), 2004], True),
            (2004, True),
            ("2004", False),
        ],
    )
    def test_value_sets_of_a_constrained_property(self, years: object, expected: bool) -> None:
        assert covers(Advertisement.values({DC["date"]: years}), EXAMPLE_1) is expected

    def test_the_values_must_fit_one_alternative_together(self) -> None:
        query = select(
            (X,),
            t(X, DC["creator"], Y),
            t(X, DC["date"], D),
            where=some(every(contains(Y, "a"), z(D, "=", 1)), every(contains(Y, "b"), z(D, "=", 2))),
        )
        assert not covers(Advertisement.values({DC["creator"]: "a", DC["date"]: 2}), query)
        assert covers(Advertisement.values({DC["creator"]: "a", DC["date"]: [1, 2]}), query)

    def test_two_patterns_of_one_property_may_have_two_values(self) -> None:
        two = select((X,), t(X, P, Y), t(X, P, Z), where=every(z(Y, "=", 1), z(Z, "=", 2)))
        assert covers(Advertisement.values({P: [1, 2]}), two)
        assert not covers(Advertisement.values({P: [1]}), two)

    def test_the_rest_of_the_constraint_must_be_satisfiable(self) -> None:
        impossible = select((X,), t(X, DC["creator"], Y), t(X, P, D), where=every(z(D, ">", 3), z(D, "<", 4)))
        assert not covers(Advertisement.values({DC["creator"]: "a"}), impossible)

    def test_footnote_1_constants_are_compared_with_the_values(self) -> None:
        asked = ask(t(X, P, 5))
        assert covers(Advertisement.values({P: lit("5.0", "decimal")}), asked)
        assert covers(Advertisement.values({P: Interval(1, 9)}), asked)
        assert not covers(Advertisement.values({P: [4, "5", EX["a"]]}), asked)
        assert covers(Advertisement.values({P: EX["a"]}), ask(t(X, P, Y), where=cmp(Y, "=", EX["a"])))
        assert not covers(Advertisement.values({P: EX["b"]}), ask(t(X, P, Y), where=cmp(Y, "=", EX["a"])))

    def test_one_property_in_common_is_needed(self) -> None:
        advertisement = Advertisement.values({DC["title"]: "Algorithms"})
        assert not covers(advertisement, ask(t(X, DC["creator"], Y)))
        assert covers(advertisement, ask(t(X, DC["creator"], Y), t(X, DC["title"], Z)))
        assert covers(advertisement, ask(t(X, RDF["type"], Y)))
        assert covers(advertisement, ask(t(X, Z, Y)))

    def test_ambient_properties_with_values_count_like_others(self) -> None:
        articles = Advertisement.values({RDF["type"]: DC["article"]})
        assert covers(articles, ask(t(X, RDF["type"], DC["article"])))
        assert not covers(articles, ask(t(X, RDF["type"], DC["book"])))

    def test_a_variable_shared_by_two_properties_needs_a_value_of_both(self) -> None:
        shared = ask(t(X, P, Y), t(X, DC["date"], Y))
        assert covers(Advertisement.values({P: [1, 2], DC["date"]: Interval(2, 3)}), shared)
        assert not covers(Advertisement.values({P: [1, 2], DC["date"]: Interval(3, 4)}), shared)

    def test_dates(self) -> None:
        spring = Advertisement.values({DC["date"]: Interval(datetime.date(2004, 3, 1), datetime.date(2004, 6, 1))})
        assert covers(spring, ask(t(X, DC["date"], D), where=cmp(D, ">", lit("2004-05-31", "date"))))
        assert not covers(spring, ask(t(X, DC["date"], D), where=cmp(D, ">", lit("2004-06-01", "date"))))

    def test_large_value_sets(self) -> None:
        many = Advertisement.values({P: range(5000)})
        assert covers(many, ask(t(X, P, Y), where=z(Y, "=", 4321)))
        assert not covers(many, ask(t(X, P, Y), where=z(Y, "=", 5000)))


TAXONOMY = Taxonomy.parse(
    "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix : <http://example.org/> ."
    ":Journal rdfs:subClassOf :Publication . :tods a :Journal ."
)


def test_the_taxonomy_refutes_only_what_it_entails() -> None:
    tods = Advertisement.values({P: EX["tods"]})

    def asked(constraint: Constraint) -> bool:
        return covers(tods, ask(t(X, P, Y), where=constraint), TAXONOMY)

    assert asked(is_a(Y, EX["Publication"]))
    assert asked(is_a(Y, EX["Anything"]))
    assert not asked(false(is_a(Y, EX["Publication"])))


def test_a_general_query_is_covered_if_one_of_its_cores_is() -> None:
    def general(*cores: Core) -> Subscription:
        return Subscription("g", "sparql", "", GeneralQuery(Ask(), cores, None, "", "", ()))

    creator, title = Core((t(X, DC["creator"], Y),)), Core((t(X, DC["title"], Y),), z(Y, ">", 3))
    advertisement = Advertisement.values({DC["title"]: [1, 2]})
    assert covers(Advertisement.properties([DC["creator"]]), general(title, creator))
    assert not covers(Advertisement.properties([DC["date"]]), general(title, creator))
    assert not covers(advertisement, general(title))
    assert covers(advertisement, general(Core(())))
    assert not covers(advertisement, general())
    assert not covers(advertisement, general(Core((t(X, DC["title"], Y),), NEVER)))


class TestSeveralAdvertisements:
    """Those of one client: one alone, or all of them joined."""

    BOTH = Subscription.parse("ASK { ?x <http://example.org/p> ?p ; <http://example.org/q> ?q FILTER(?p > 5) }")

    @pytest.mark.parametrize(
        ("advertised", "expected"),
        [
            ([Advertisement.properties([P]), Advertisement.properties([f"{EX}q"])], True),
            ([Advertisement.properties([P]), Advertisement.schemas(["urn:s:"])], False),
            ([Advertisement.values({P: 7}), Advertisement.properties([f"{EX}q"])], True),
            ([Advertisement.values({P: 3}), Advertisement.properties([f"{EX}q"])], False),
            ([Advertisement.values({P: 3}), Advertisement.properties([f"{EX}q"]), Advertisement.properties([P])], True),
            ([Advertisement.properties([P, f"{EX}q"]), Advertisement.values({P: 3})], True),
            ([], False),
        ],
    )
    def test_they_are_read_together(self, advertised, expected):
        verdict = explain_covers(advertised, self.BOTH)
        assert verdict.holds is expected
        assert verdict.reason

    def test_one_alone_is_enough(self):
        assert covers([Advertisement.schemas(["urn:s:"]), Advertisement.schemas([EX])], self.BOTH)
