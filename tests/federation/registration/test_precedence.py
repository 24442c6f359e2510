"""Section 3.1: local precedence schemes over rules of several super-peers."""

from __future__ import annotations

import pytest
from tests.rules.family import FAMILY

from triplewire.federation.indexes.whole_schema import WholeSchema
from triplewire.federation.registration.precedence import LocalPrecedence, Scheme
from triplewire.federation.registration.records import RuleRecord, record_of
from triplewire.languages.rdftl import parse_rule
from triplewire.rules.name_resolution import resolved

PREAMBLE = "USING NAMESPACE ex http://example.org/ "
ANY, PERSON, NURSE = "resource()", "resource() AS INSTANCE OF Person", "resource() AS INSTANCE OF Nurse"
ANN = "resource(http://example.org/ann) AS INSTANCE OF Person"


def record(origin: str, number: int, time: float, event: str = PERSON, clauses: str = "") -> RuleRecord:
    text = f"RULE n{number} {clauses} {PREAMBLE} ON INSERT {event} IF True DO INSERT ($delta, ex:name, 'x')"
    return record_of(resolved(parse_rule(text), FAMILY), origin, number, time, "", None)


def order(scheme: Scheme, *records: RuleRecord) -> list[str]:
    precedence = LocalPrecedence("a", scheme, WholeSchema("a", FAMILY))
    precedence.follow({one.id: one for one in records})
    return [one.id for one in precedence.ordered(records, lambda one: one)]


def test_by_time():
    assert order(Scheme.TIMESTAMP, record("b", 1, 3.0), record("a", 1, 2.0), record("c", 1, 1.0)) == [
        "c.1",
        "a.1",
        "b.1",
    ]


def test_those_of_the_own_group_first():
    assert order(Scheme.OWN_FIRST, record("b", 1, 1.0), record("a", 1, 2.0)) == ["a.1", "b.1"]


@pytest.mark.parametrize(("more", "less"), [(ANN, NURSE), (NURSE, PERSON), (PERSON, ANY)])
def test_more_specific_first(more: str, less: str):
    assert order(Scheme.SPECIFIC, record("b", 1, 1.0, less), record("c", 1, 2.0, more)) == ["c.1", "b.1"]


def test_what_is_declared_holds_under_every_scheme():
    later = record("b", 2, 5.0, ANY, "PRECEDES n1")
    for scheme in Scheme:
        assert order(scheme, record("b", 1, 1.0, ANN), later) == ["b.2", "b.1"]


def test_a_rule_of_another_super_peer_is_named_by_its_global_identifier():
    assert order(Scheme.TIMESTAMP, record("a", 1, 1.0), record("b", 1, 2.0, clauses="PRECEDES 'a.1'")) == ["b.1", "a.1"]
    assert order(Scheme.TIMESTAMP, record("a", 1, 1.0), record("b", 1, 2.0, clauses="PRECEDES n1")) == ["a.1", "b.1"]


def test_of_two_that_contradict_each_other_the_later_one_is_left_out():
    precedence = LocalPrecedence("a", Scheme.TIMESTAMP, WholeSchema("a", FAMILY))
    one, other = record("a", 1, 1.0, clauses="PRECEDES 'b.1'"), record("b", 1, 2.0, clauses="PRECEDES 'a.1'")
    assert precedence.follow({other.id: other, one.id: one}) == ("b.1",)
    assert [each.id for each in precedence.ordered([other, one], lambda each: each)] == ["a.1", "b.1"]
