"""What a peer surely cannot publish: a proof on all three levels at once, or no answer."""

from __future__ import annotations

import itertools

import pytest
from tests.algebra.building import EX, P, Q, cmp

from triplewire.algebra import Advertisement, Interval, Subscription, Taxonomy, excludes, implies, joined, supply_of
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Ask, Core, FastQuery
from triplewire.rdf.terms import RDFS, Triple


def asked(where: str) -> Subscription:
    return Subscription.parse(f"PREFIX ex: <{EX}> PREFIX tw: <urn:triplewire:> ASK {{ {where} }}")


def test_values_of_a_property_from_two_advertisements_are_put_together():
    supply = supply_of([Advertisement.values({P: 1}), Advertisement.values({P: 2, Q: 3})])
    assert supply == supply_of([Advertisement.values({Q: 3, P: [2, 1]})])
    assert not excludes(supply, asked("?x ex:p 2"))
    assert excludes(supply, asked("?x ex:p 3"))


def test_what_nothing_is_known_of_is_named_on_some_level():
    supply = supply_of([Advertisement.schemas(["urn:s:"]), Advertisement.properties([P]), Advertisement.values({Q: 1})])
    assert not excludes(supply, asked("?x ex:p ?a ; ex:q ?b ; <urn:s:any> ?c ; a ?d"))
    assert excludes(supply, asked("?x ex:p ?a ; ex:r ?b"))
    assert excludes(supply, asked("?x <urn:other:any> ?c"))


def test_types_with_values_count_though_rdf_is_ambient():
    supply = supply_of([Advertisement.values({"http://www.w3.org/1999/02/22-rdf-syntax-ns#type": EX["Paper"]})])
    assert not excludes(supply, asked("?x a ex:Paper ; ex:p ?y"))
    assert excludes(supply, asked("?x a ex:Person"))


def test_a_literal_cannot_be_the_subject_that_another_pattern_makes_of_it():
    supply = supply_of([Advertisement.properties([P]), Advertisement.values({Q: "text"})])
    assert excludes(supply, asked("?x ex:q ?y . ?y ex:p ?z"))
    assert not excludes(supply, asked("?x ex:q ?y . ?x ex:p ?z"))


def test_an_event_may_bring_the_type_that_a_test_wants():
    known = Taxonomy.from_triples([Triple(EX["Paper"], RDFS["subClassOf"], EX["Work"])])
    supply = supply_of([Advertisement.values({P: EX["a"]})])
    assert not excludes(supply, asked("?x ex:p ?y FILTER(tw:isA(?y, ex:Work))"), known)


def test_what_can_never_match_is_excluded():
    assert excludes(supply_of([Advertisement.properties([P])]), asked("?x ex:p ?y FILTER(?y < 1 && ?y > 2)"))


def test_an_interval_and_a_comparison_between_variables_is_no_proof():
    supply = supply_of([Advertisement.values({P: Interval(1, 2), Q: Interval(3, 4)})])
    assert not excludes(supply, asked("?x ex:p ?a ; ex:q ?b FILTER(?a > ?b)"))


SIGNS = ("<", "<=", ">", ">=")
TESTS = {"<": float.__lt__, "<=": float.__le__, ">": float.__gt__, ">=": float.__ge__}


@pytest.mark.parametrize(("narrow", "wide"), [*itertools.product(SIGNS, SIGNS)])
def test_thresholds_imply_each_other_as_numbers_do(narrow, wide):
    """The short way for whole numbers says what all candidates would."""
    y = Variable("y")

    def query(sign: str, number: int) -> FastQuery:
        return FastQuery(Ask(), Core((Pattern(Variable("x"), P, y),), cmp(y, sign, number)))

    for a, b in itertools.product(range(1, 4), repeat=2):
        values = [n / 2 for n in range(-200, 200) if TESTS[narrow](n / 2, float(a))]
        expected = all(TESTS[wide](value, float(b)) for value in values)
        assert implies(query(narrow, a), query(wide, b)) is expected, (narrow, a, wide, b)


def test_joined_a_property_that_one_leaves_free_is_free():
    limited, free = supply_of([Advertisement.values({P: 2})]), supply_of([Advertisement.properties([P])])
    assert excludes(limited, asked("?x ex:p 3"))
    assert not excludes(joined([limited, free]), asked("?x ex:p 3"))


def test_joined_the_values_of_all_count_and_no_others():
    both = joined([supply_of([Advertisement.values({P: value})]) for value in (2, 3)])
    assert not excludes(both, asked("?x ex:p 3"))
    assert excludes(both, asked("?x ex:p 4"))


def test_joined_values_beside_a_schema_in_one_registration_still_count():
    """The paper's second criterion holds within one registration, whatever another one says of other schemas."""
    limited = supply_of([Advertisement.schemas(["http://example.org/"]), Advertisement.values({P: 2})])
    assert excludes(joined([limited, supply_of([Advertisement.schemas(["urn:s:"])])]), asked("?x ex:p 3"))
