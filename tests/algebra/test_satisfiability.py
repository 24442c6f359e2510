"""Satisfiable: yes only with a witness, no only with a proof (Chirita et al., definition 1)."""

from __future__ import annotations

import pytest
from tests.algebra.building import (
    ALWAYS,
    EX,
    Condition,
    Constraint,
    D,
    P,
    S,
    TaxonomyRelation,
    TaxonomyTest,
    X,
    Y,
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
    some,
    starts,
    t,
    z,
)

from triplewire.algebra.constraints import NEVER
from triplewire.algebra.evaluation import satisfied
from triplewire.algebra.queries import Ask, Core, GeneralQuery
from triplewire.algebra.reasoning.satisfiability import satisfiability, satisfiable
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.algebra.verdicts import Answer
from triplewire.rdf.terms import RDF, Literal

TAXONOMY = Taxonomy.parse(
    "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix : <http://example.org/> ."
    ":Journal rdfs:subClassOf :Publication . :tods a :Journal ."
)


def refuted(constraint: Constraint) -> bool:
    return satisfiability(constraint, TAXONOMY).answer is Answer.NO


def test_definition_1_integers_have_gaps() -> None:
    assert refuted(every(z(D, ">", 3), z(D, "<", 4)))


def test_without_type_z_a_decimal_lies_between() -> None:
    finding = satisfiability(every(cmp(D, ">", 3), cmp(D, "<", 4)))
    assert finding.answer is Answer.YES
    assert finding.witness is not None
    assert satisfied(every(cmp(D, ">", 3), cmp(D, "<", 4)), finding.witness)


@pytest.mark.parametrize(
    "constraint",
    [
        every(z(D, ">", 3), z(D, "<", 5)),
        every(cmp(D, ">", 3), cmp(D, "<", lit("3.000000000000000002", "decimal"))),
        every(cmp(D, ">=", lit("2004-02-28", "date")), cmp(D, "<", lit("2004-03-01", "date"))),
        every(cmp(D, ">", lit("2004-01-01T00:00:00", "dateTime")), cmp(D, "<", lit("2004-01-01T00:00:01", "dateTime"))),
        every(contains(Y, "Nejdl"), contains(Y, "Koubarakis"), false(contains(Y, "Chirita"))),
        every(starts(Y, "ab"), starts(Y, "a"), ends(Y, "ba"), false(starts(Y, "aba"))),
        every(cmp(Y, ">", "a"), cmp(Y, "<", "b"), contains(Y, "z")),
        every(member(Y, "a", "b"), cmp(Y, "!=", "a")),
        every(cmp(X, "<", Y), cmp(Y, "<", 5)),
        every(cmp(X, "=", Y), cmp(X, "=", EX["a"])),
        every(is_a(X, EX["Journal"]), is_a(Y, EX["Journal"]), cmp(X, "!=", Y)),
        every(is_a(X, EX["Publication"]), false(is_a(X, EX["Journal"]))),
        every(cmp(X, "=", EX["tods"]), is_a(X, EX["Anything"])),
        some(NEVER, contains(Y, "")),
        ALWAYS,
    ],
)
def test_what_can_be_is_found_with_a_witness(constraint: Constraint) -> None:
    finding = satisfiability(constraint, TAXONOMY)
    assert finding.answer is Answer.YES
    assert finding.witness is not None


@pytest.mark.parametrize(
    "constraint",
    [
        NEVER,
        every(z(D, "=", 3), z(D, "=", 4)),
        every(cmp(D, "=", 3), cmp(D, "!=", lit("3.0", "decimal"))),
        every(cmp(D, ">=", lit("2004-06-01", "date")), cmp(D, "<", lit("2004-05-31", "date"))),
        every(cmp(D, ">", lit("2004-06-01", "date")), cmp(D, "<", 5)),
        every(cmp(D, "=", lit("2004", "gYear")), cmp(D, ">", lit("2004", "gYear"))),
        every(z(D, ">", 3), contains(D, "4")),
        every(cmp(Y, "=", EX["a"]), cmp(Y, "=", EX["b"])),
        every(cmp(Y, "=", "W. Nejdl"), false(contains(Y, "Nejdl"))),
        every(contains(Y, "W. Nejdl"), false(contains(Y, "Nejdl"))),
        every(starts(Y, "a"), starts(Y, "b")),
        every(starts(Y, "ab"), false(contains(Y, "b"))),
        every(cmp(Y, "<", "a"), cmp(Y, ">", "b"), contains(Y, "c")),
        every(member(Y, 1, 2), cmp(Y, ">", 2)),
        every(member(Y, 1, 2), false(member(Y, 2, 1, 3))),
        every(cmp(X, "<", Y), cmp(Y, "<=", X)),
        cmp(X, "<", X),
        every(cmp(X, "=", EX["tods"]), false(is_a(X, EX["Publication"]))),
        every(is_a(X, EX["Journal"]), false(is_a(X, EX["Publication"]))),
        every(is_a(X, EX["Journal"]), z(X, ">", 1)),
        every(cmp(X, "<=", lit("abc", "integer")), cmp(X, "<", 7)),
    ],
)
def test_what_cannot_be_is_refuted(constraint: Constraint) -> None:
    assert refuted(constraint)


def test_equality_of_numbers_is_by_value_so_it_does_not_force_the_term() -> None:
    assert satisfiable(
        ask(t(S, P, X), t(S, EX["q"], Y), where=every(cmp(X, "=", 5), cmp(Y, "=", lit("5.0", "decimal"))))
    )
    assert satisfiable(every(cmp(X, "=", 5), false(only(TaxonomyTest(TaxonomyRelation.DIRECT_OR_SAME, X, EX["a"])))))


def test_a_subject_is_no_literal_and_a_predicate_no_blank_node() -> None:
    assert not satisfiable(ask(t(X, P, Y), where=cmp(X, "=", "a")))
    assert not satisfiable(ask(t(X, P, Y), where=contains(X, "a")))
    assert not satisfiable(ask(t(X, P, Y), where=z(X, ">", 1)))
    assert not satisfiable(ask(t(S, X, Y), where=cmp(X, ">=", 1)))
    assert satisfiable(ask(t(S, P, X), where=cmp(X, "=", "a")))


def test_an_unbound_variable_makes_its_alternative_unsatisfiable() -> None:
    assert satisfiability(ask(t(S, P, X), where=cmp(Y, "=", 1))).answer is Answer.NO
    assert satisfiable(ask(t(S, P, X), where=some(cmp(Y, "=", 1), cmp(X, "=", 1))))


def test_the_events_own_types_count() -> None:
    typed = t(X, RDF["type"], EX["Journal"])
    assert satisfiability(ask(typed, where=false(is_a(X, EX["Publication"]))), TAXONOMY).answer is Answer.NO
    assert satisfiable(ask(typed, where=false(is_a(X, EX["Publication"]))))
    assert satisfiable(ask(t(EX["a"], RDF["type"], Y), where=z(Y, ">", 1)))


def test_graph_terms_are_all_the_events_iri() -> None:
    assert not satisfiable(ask(t(S, P, X), graphs=(EX["e1"], EX["e2"])))
    assert not satisfiable(ask(t(S, P, X), graphs=(Y,), where=cmp(Y, "=", 5)))
    assert satisfiable(ask(t(S, P, Y), graphs=(Y, EX["e1"])))


def test_a_general_query_has_no_witness_here() -> None:
    def general(*cores: Core) -> GeneralQuery:
        return GeneralQuery(Ask(), cores, None, "ASK ...", "ASK ...", ())

    possible = Core((t(S, P, X),))
    assert satisfiability(general(possible)).answer is Answer.UNKNOWN
    assert not satisfiable(general(possible))
    assert satisfiability(general()).answer is Answer.NO
    assert satisfiability(general(Core((t(S, P, X),), NEVER))).answer is Answer.NO


def test_a_condition_that_must_fail_is_not_met_by_an_error() -> None:
    negative = Constraint(((Condition(every(cmp(X, "<", 5)).alternatives[0][0].test, holds=False),),))
    finding = satisfiability(negative)
    assert finding.witness is not None
    assert satisfied(cmp(X, ">=", 5), finding.witness)
    assert integer(5) != Literal("5")
