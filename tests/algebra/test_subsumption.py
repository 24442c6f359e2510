"""Subsumption (Chirita et al., definition 3) and implication."""

from __future__ import annotations

import pytest
from tests.algebra.building import (
    DC,
    EX,
    ComparisonTest,
    Condition,
    Constraint,
    D,
    P,
    Q,
    S,
    TaxonomyRelation,
    TaxonomyTest,
    X,
    Y,
    Z,
    ask,
    cmp,
    contains,
    ends,
    every,
    false,
    integer,
    is_a,
    lit,
    member,
    only,
    select,
    some,
    starts,
    t,
    z,
)

from triplewire.algebra.constraints import ALWAYS, NEVER, Comparator, MembershipTest, TextRelation, TextTest
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Ask, Construct, Core, FastQuery, GeneralQuery, Select
from triplewire.algebra.reasoning.subsumption import explain_implies, explain_subsumes, implies, subsumes
from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.rdf.terms import RDF, Literal

G = Variable("g")
TAXONOMY = Taxonomy.parse(
    "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix : <http://example.org/> ."
    ":Journal rdfs:subClassOf :Publication . :tods a :Journal . :q rdfs:subPropertyOf :p ."
)

EXAMPLE_1 = select(
    (X,),
    t(X, RDF["type"], DC["article"]),
    t(X, DC["creator"], Y),
    t(X, DC["date"], D),
    where=every(some(contains(Y, "Nejdl"), contains(Y, "Koubarakis")), z(D, "=", 2004)),
)


def one(constraint: Constraint) -> FastQuery:
    """X: t(X, p, Y) and the constraint on Y."""
    return select((X,), t(X, P, Y), where=constraint)


def wider(a: Constraint, b: Constraint) -> bool:
    return subsumes(one(a), one(b), TAXONOMY)


class TestDefinition3:
    def test_example_1_is_subsumed_by_each_part_of_it(self) -> None:
        dated = select((X,), t(X, DC["date"], D), where=every(z(D, ">", 2000), z(D, "<=", 2004)))
        created = select((Z,), t(Z, DC["creator"], S), where=some(contains(S, "Nej"), contains(S, "Koub")))
        assert subsumes(dated, EXAMPLE_1)
        assert subsumes(created, EXAMPLE_1)
        assert not subsumes(EXAMPLE_1, dated)
        assert not subsumes(EXAMPLE_1, created)

    def test_example_1_subsumes_what_asks_for_more(self) -> None:
        assert subsumes(
            EXAMPLE_1,
            FastQuery(
                EXAMPLE_1.form,
                Core((*EXAMPLE_1.core.patterns, t(X, P, Z)), every(contains(Y, "W. Nejdl"), z(D, "=", 2004))),
            ),
        )

    def test_variables_may_have_other_names(self) -> None:
        renamed = select((S,), t(S, P, D), where=z(D, ">", 3))
        assert subsumes(renamed, one(z(Y, ">", 3)))
        assert subsumes(one(z(Y, ">", 3)), renamed)

    def test_answers_are_compared_by_position(self) -> None:
        there, back = select((X, Y), t(X, P, Y)), select((Y, X), t(X, P, Y))
        assert subsumes(there, there)
        assert not subsumes(there, back)
        assert implies(there, back)

    def test_the_number_of_projected_variables_must_agree(self) -> None:
        verdict = explain_subsumes(select((X,), t(X, P, Y)), select((X, Y), t(X, P, Y)))
        assert not verdict
        assert "variables projected: 1 by the wider query, 2 by the narrower" in verdict.reason

    def test_a_constant_is_narrower_than_a_variable(self) -> None:
        assert subsumes(select((X,), t(X, P, Y)), select((X,), t(X, P, EX["a"])))
        assert not subsumes(select((X,), t(X, P, EX["a"])), select((X,), t(X, P, Y)))

    def test_footnote_1_a_constant_object_is_an_equality(self) -> None:
        assert wider(cmp(Y, "=", EX["a"]), cmp(Y, "=", EX["a"]))
        assert subsumes(select((X,), t(X, P, EX["a"])), one(cmp(Y, "=", EX["a"])))
        assert subsumes(one(cmp(Y, "=", EX["a"])), select((X,), t(X, P, EX["a"])))

    def test_but_for_numbers_equality_does_not_fix_the_term(self) -> None:
        five = select((X,), t(X, P, 5))
        assert subsumes(one(z(Y, "=", 5)), five)
        assert not subsumes(five, one(z(Y, "=", 5)))

    def test_several_homomorphisms_may_be_needed_together(self) -> None:
        a = select((S,), t(S, P, Y), where=z(Y, "<=", 5))
        b = select((S,), t(S, P, X), t(S, P, Z), where=some(z(X, "<=", 5), z(Z, "<=", 5)))
        assert subsumes(a, b)
        assert not subsumes(select((S, Y), t(S, P, Y), where=z(Y, "<=", 5)), FastQuery(Select((S, X)), b.core))

    def test_cases_that_only_together_cover_everything(self) -> None:
        split = some(z(Y, "<", 5), z(Y, ">=", 5))
        assert wider(split, z(Y, ">", 0))
        assert not wider(split, ALWAYS)
        assert wider(some(z(Y, "<=", 3), z(Y, ">=", 4)), z(Y, "!=", 100))
        assert not wider(some(cmp(Y, "<=", 3), cmp(Y, ">=", 4)), cmp(Y, "!=", 100))

    def test_a_query_that_never_matches_is_subsumed_by_everything(self) -> None:
        never = one(every(z(Y, ">", 3), z(Y, "<", 4)))
        assert subsumes(select((X,), t(X, Q, Y)), never)
        assert subsumes(ask(t(X, Q, Y)), never)
        assert "never match" in explain_subsumes(ask(t(X, Q, Y)), never).reason
        assert not subsumes(never, one(ALWAYS))
        assert subsumes(one(ALWAYS), one(NEVER))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (z(Y, ">", 3), z(Y, ">=", 4)),
        (z(Y, ">=", 4), z(Y, ">", 3)),
        (cmp(Y, ">", 3), cmp(Y, ">=", lit("3.5", "decimal"))),
        (cmp(Y, ">=", 5), cmp(Y, "=", lit("5.0", "decimal"))),
        (cmp(Y, "<", lit("2004-06-01", "date")), cmp(Y, "<=", lit("2004-05-31", "date"))),
        (cmp(Y, ">", lit("2003", "gYear")), cmp(Y, "=", lit("2004", "gYear"))),
        (
            cmp(Y, ">=", lit("2004-01-01T00:30:00Z", "dateTime")),
            cmp(Y, ">", lit("2004-01-01T00:00:00-01:00", "dateTime")),
        ),
        (contains(Y, "Nejdl"), cmp(Y, "=", "W. Nejdl")),
        (contains(Y, "Nejdl"), contains(Y, "W. Nejdl")),
        (contains(Y, "Nejdl"), starts(Y, "Nejdl, W")),
        (starts(Y, "W"), starts(Y, "W. N")),
        (ends(Y, "l"), ends(Y, "dl")),
        (cmp(Y, "!=", "a"), contains(Y, "b")),
        (member(Y, 1, 2, 3), member(Y, 3, 1)),
        (member(Y, 1, 2, 3), cmp(Y, "=", lit("2.0", "decimal"))),
        (some(cmp(Y, "=", 1), cmp(Y, "=", 2)), member(Y, 1, 2)),
        (cmp(Y, "!=", EX["b"]), cmp(Y, "=", EX["a"])),
        (false(cmp(Y, "<", 5)), cmp(Y, ">=", 5)),
        (cmp(Y, ">=", 5), false(cmp(Y, "<", 5))),
        (is_a(Y, EX["Publication"]), is_a(Y, EX["Journal"])),
        (is_a(Y, EX["Publication"]), cmp(Y, "=", EX["tods"])),
        (is_a(Y, EX["Publication"]), cmp(Y, "=", EX["Journal"])),
        (is_a(Y, EX["p"]), cmp(Y, "=", EX["q"])),
        (false(is_a(Y, EX["Journal"])), false(is_a(Y, EX["Publication"]))),
        (is_a(Y, EX["Journal"]), only(TaxonomyTest(TaxonomyRelation.DIRECT, Y, EX["Journal"]))),
        (is_a(Y, EX["Journal"]), only(TaxonomyTest(TaxonomyRelation.DIRECT_OR_SAME, Y, EX["Journal"]))),
        (cmp(Y, "=", EX["unknown"]), only(TaxonomyTest(TaxonomyRelation.DIRECT_OR_SAME, Y, EX["unknown"]))),
    ],
)
def test_what_follows(a: Constraint, b: Constraint) -> None:
    assert wider(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (cmp(Y, ">=", 4), cmp(Y, ">", 3)),
        (z(Y, ">", 3), cmp(Y, ">", 3)),
        (cmp(Y, "!=", "a"), cmp(Y, "!=", "b")),
        (cmp(Y, "!=", 5), ALWAYS),
        (some(cmp(Y, "<", 5), cmp(Y, ">=", 5)), ALWAYS),
        (contains(Y, "W. Nejdl"), contains(Y, "Nejdl")),
        (contains(Y, "ab"), every(contains(Y, "a"), contains(Y, "b"))),
        (starts(Y, "a"), contains(Y, "a")),
        (cmp(Y, ">", lit("2004-01-01T00:00:00", "dateTime")), cmp(Y, ">", lit("2004-01-01T00:00:00Z", "dateTime"))),
        (cmp(Y, ">=", 5), cmp(Y, ">=", lit("5", "double"))),
        (member(Y, 1, 2), member(Y, 1, 2, 3)),
        (is_a(Y, EX["Journal"]), is_a(Y, EX["Publication"])),
        (is_a(Y, EX["Other"]), is_a(Y, EX["Journal"])),
        (is_a(Y, EX["Journal"]), cmp(Y, "=", EX["Journal"])),
        (only(TaxonomyTest(TaxonomyRelation.DIRECT, Y, EX["Publication"])), is_a(Y, EX["Publication"])),
    ],
)
def test_what_does_not_follow(a: Constraint, b: Constraint) -> None:
    assert not wider(a, b)


class TestPatterns:
    def test_joins_and_repeated_variables(self) -> None:
        chain = ask(t(X, P, Y), t(Y, P, Z))
        assert implies(ask(t(X, P, X)), chain)
        assert not implies(chain, ask(t(X, P, X)))
        assert implies(chain, ask(t(X, P, Y)))
        assert not implies(ask(t(X, P, Y), t(Z, P, S)), chain)

    def test_predicate_variables(self) -> None:
        assert implies(ask(t(X, P, Y)), ask(t(X, Z, Y)))
        assert not implies(ask(t(X, Z, Y)), ask(t(X, P, Y)))
        assert implies(ask(t(X, Z, Y), where=cmp(Z, "=", P)), ask(t(X, P, Y)))

    def test_graph_terms_are_the_events_iri(self) -> None:
        plain, graph = select((X,), t(X, P, Y)), FastQuery(Select((X,)), Core((t(X, P, Y),), ALWAYS, (G,)))
        assert subsumes(graph, plain)
        assert subsumes(plain, graph)
        named = FastQuery(Select((X,)), Core((t(X, P, Y),), ALWAYS, (EX["e"],)))
        assert subsumes(graph, named)
        assert not subsumes(named, graph)
        assert subsumes(named, FastQuery(Select((X,)), Core((t(X, P, Y),), cmp(G, "=", EX["e"]), (G,))))
        about_itself = FastQuery(Select((G,)), Core((t(G, P, Y),), ALWAYS, (G,)))
        assert subsumes(FastQuery(Select((G,)), Core((t(X, P, Y),), ALWAYS, (G,))), about_itself)
        assert not subsumes(about_itself, FastQuery(Select((G,)), Core((t(X, P, Y),), ALWAYS, (G,))))

    def test_equal_resources_are_one_term(self) -> None:
        joined = select((X,), t(X, P, Y), t(X, Q, Z))
        assert subsumes(joined, select((X,), t(X, P, Y), t(S, Q, Z), where=cmp(X, "=", S)))
        assert not subsumes(
            select((X,), t(S, P, X), t(D, Q, X)), select((X,), t(S, P, X), t(D, Q, Z), where=cmp(X, "=", Z))
        )

    def test_the_events_own_types_imply_taxonomy_tests(self) -> None:
        typed = ask(t(X, RDF["type"], EX["Journal"]))
        assert implies(typed, ask(t(X, Z, Y), where=is_a(X, EX["Publication"])), TAXONOMY)
        assert not implies(typed, ask(t(X, Z, Y), where=is_a(X, EX["Publication"])))

    def test_variables_compared_with_each_other(self) -> None:
        def two(constraint: Constraint) -> FastQuery:
            return ask(t(S, P, X), t(S, Q, Y), where=constraint)

        assert implies(two(cmp(X, "<", Y)), two(cmp(Y, ">=", X)))
        assert implies(two(cmp(X, "<", Y)), two(cmp(Y, "!=", X)))
        assert not implies(two(cmp(X, "<=", Y)), two(cmp(X, "<", Y)))
        assert not implies(two(cmp(X, "=", Y)), ask(t(S, P, X), t(S, Q, X)))

    def test_an_unbound_projection_answers_only_an_unbound_one(self) -> None:
        assert subsumes(select((X, D), t(X, P, Y)), select((X, D), t(X, P, Y), t(X, Q, Y)))
        assert not subsumes(select((X, D), t(X, P, Y)), select((X, Y), t(X, P, Y)))


class TestForms:
    def test_ask_is_compared_by_matching(self) -> None:
        assert subsumes(ask(t(X, P, Y)), ask(t(X, P, EX["a"])))
        assert not subsumes(ask(t(X, P, Y)), select((X,), t(X, P, Y)))

    def test_construct_is_compared_by_its_template(self) -> None:
        def made(template: Pattern, *patterns: Pattern) -> FastQuery:
            return FastQuery(Construct((template,)), Core(patterns))

        blank, other = Variable("_:b"), Variable("_:c")
        assert subsumes(made(t(X, Q, Y), t(X, P, Y)), made(t(S, Q, Z), t(S, P, Z), t(S, Q, Z)))
        assert not subsumes(made(t(X, Q, Y), t(X, P, Y)), made(t(Y, Q, X), t(X, P, Y)))
        assert subsumes(made(t(X, Q, blank), t(X, P, Y)), made(t(X, Q, other), t(X, P, EX["a"])))
        assert not subsumes(made(t(X, Q, blank), t(X, P, Y)), made(t(X, Q, Y), t(X, P, Y)))
        assert not subsumes(made(t(X, P, Y), t(X, P, Y)), made(t(X, Q, Y), t(X, P, Y)))

    def test_a_general_query_is_subsumed_by_an_equal_one_only(self) -> None:
        core = Core((t(X, P, Y),), z(Y, ">", 3))
        a = GeneralQuery(Ask(), (core,), None, "ASK { ?x ... }", "ASK { ?0 ... }", ())
        b = GeneralQuery(Ask(), (core,), None, "ASK { ?y ... }", "ASK { ?0 ... }", ())
        c = GeneralQuery(Ask(), (core,), None, "ASK { ?z ... }", "ASK { ?1 ... }", ())
        assert subsumes(a, b)
        assert implies(a, b)
        assert not subsumes(a, c)
        assert not implies(a, c)
        assert not subsumes(ask(t(X, P, Y)), a)
        assert not implies(ask(t(X, P, Y)), a)

    def test_a_general_query_implies_what_each_of_its_cores_implies(self) -> None:
        both = GeneralQuery(Ask(), (Core((t(X, P, 1),)), Core((t(X, P, 2),))), None, "", "a", ())
        assert implies(both, ask(t(X, P, Y)))
        assert not implies(both, ask(t(X, P, 1)))
        assert implies(GeneralQuery(Ask(), (), None, "", "b", ()), ask(t(X, P, 1)))

    def test_subscriptions_are_taken_as_they_are(self) -> None:
        wide = Subscription("a", "formula", "", one(ALWAYS))
        narrow = Subscription("b", "formula", "", one(z(Y, ">", 1)))
        assert subsumes(wide, narrow)
        assert implies(narrow, wide)
        assert not implies(wide, narrow)


class TestReasons:
    def test_a_pattern_without_counterpart_is_named(self) -> None:
        assert f"?X {Q} ?Y has no counterpart" in explain_subsumes(select((X,), t(X, Q, Y)), one(ALWAYS)).reason

    def test_a_constraint_that_does_not_follow_is_told(self) -> None:
        assert "does not imply" in explain_implies(one(ALWAYS), one(z(Y, ">", 1))).reason

    def test_every_verdict_is_one_sentence(self) -> None:
        for verdict in (explain_subsumes(one(ALWAYS), one(NEVER)), explain_implies(one(ALWAYS), one(ALWAYS))):
            assert verdict.holds
            assert "\n" not in verdict.reason


class TestEffort:
    """Containment is NP-hard: hostile queries get a no, and they get it soon."""

    def test_a_clique_into_a_large_bipartite_graph(self) -> None:
        corners = [Variable(f"c{n}") for n in range(12)]
        clique = [t(a, P, b) for a in corners for b in corners if a != b]
        left, right = [Variable(f"l{n}") for n in range(12)], [Variable(f"r{n}") for n in range(12)]
        graph = [t(*edge) for a in left for b in right for edge in ((a, P, b), (b, P, a))]
        assert not implies(ask(*graph), ask(*clique))

    def test_a_huge_normal_form(self) -> None:
        objects = [Variable(f"o{n}") for n in range(8)]
        patterns = [t(S, P, o) for o in objects]
        wide = every(*(some(z(o, "<", n), z(o, ">", n + 20)) for n, o in enumerate(objects)))
        narrow = some(*(every(*(z(o, ">", n) for o in objects)) for n in range(60)))
        verdict = explain_implies(ask(*patterns, where=narrow), ask(*patterns, where=wide))
        assert not verdict

    def test_long_lists_that_contain_each_other(self) -> None:
        numbers = tuple(integer(n) for n in range(3000))
        assert wider(only(MembershipTest(Y, numbers)), only(MembershipTest(Y, numbers[:2000])))
        assert not wider(only(MembershipTest(Y, numbers[:2000])), only(MembershipTest(Y, numbers)))

    def test_many_texts(self) -> None:
        texts = [TextTest(TextRelation.CONTAINS, Y, Literal(f"t{n};")) for n in range(60)]
        assert wider(some(*(only(text) for text in texts)), only(*texts[30:]))
        assert not wider(only(*texts), only(*texts[30:]))

    def test_more_patterns_than_python_has_frames(self) -> None:
        long = [t(Variable(f"v{n}"), P, Variable(f"v{n + 1}")) for n in range(400)]
        assert not implies(ask(*long), ask(*long, t(Variable("v0"), Q, Y)))


def test_comparisons_may_be_written_either_way_round() -> None:
    mirrored = Constraint(((Condition(ComparisonTest(Comparator.LESS, integer(3), Y)),),))
    assert wider(mirrored, z(Y, ">=", 4))
