"""What others offer: newer versions replace older ones, and lookups and actions go where there may be something."""

from __future__ import annotations

import pytest
from tests.rules.family import EX, FAMILY

from triplewire.federation.indexes.network_index import NetworkIndex, Offer, Versions, may_have
from triplewire.federation.indexes.whole_schema import WholeSchema
from triplewire.rdf.terms import NamedNode
from triplewire.rules.graphs import Lookup
from triplewire.rules.vocabulary import MEMBERSHIP, TYPE, member

KNOWS, PERSON = EX["knows"], EX["Person"]


def nodes(*some: NamedNode) -> frozenset[NamedNode]:
    return frozenset(some)


def test_an_offer_is_made_when_it_has_changed():
    index = NetworkIndex("a", WholeSchema("a", FAMILY))
    first = index.offer(nodes(KNOWS), nodes(), nodes())
    assert first == Offer("a", 1, (KNOWS.value,))
    assert index.offer(nodes(KNOWS), nodes(), nodes()) is None
    second = index.offer(nodes(), nodes(), nodes())
    assert second is not None
    assert second.version == 2


def test_an_old_offer_does_not_replace_a_new_one_and_nobody_tells_us_our_own():
    index = NetworkIndex("a", WholeSchema("a", FAMILY))
    index.include(Offer("b", 2, (KNOWS.value,)))
    index.include(Offer("b", 1))
    index.include(Offer("a", 9, (KNOWS.value,)))
    lookup = Lookup(None, KNOWS, None)
    assert list(index.readable(lookup, ["a", "b", "c"])) == ["b"]
    assert index.versions == Versions({"a": 0, "b": 2})


def test_an_exchange_gives_what_is_newer():
    index = NetworkIndex("a", WholeSchema("a", FAMILY))
    index.offer(nodes(KNOWS), nodes(), nodes())
    index.include(Offer("b", 2))
    index.include(Offer("c", 5))
    assert [offer.super_peer for offer in index.newer_than(Versions({"a": 1, "b": 1}))] == ["b", "c"]


def test_what_actions_see_of_another_group():
    index = NetworkIndex("a", WholeSchema("a", FAMILY))
    index.include(Offer("b", 1, (), (KNOWS.value, PERSON.value), (PERSON.value,)))
    view = index.view("b")
    assert view is not None
    assert view.declared.is_property(KNOWS)
    assert view.schema.is_class(PERSON)
    assert not view.schema.is_property(KNOWS)
    assert index.view("c") is None


@pytest.mark.parametrize(
    ("lookup", "expected"),
    [
        (Lookup(None, KNOWS, None), True),
        (Lookup(None, EX["likes"], None), False),
        (Lookup(EX["ann"], TYPE, PERSON), True),
        (Lookup(EX["ann"], TYPE, EX["Thing"]), False),
        (Lookup(EX["ann"], TYPE, None), True),
        (Lookup(None, member(3), None), True),
        (Lookup(EX["ann"], None, None), True),
    ],
)
def test_who_may_have_triples_for_a_lookup(lookup: Lookup, expected: bool):
    assert may_have(lookup, frozenset({KNOWS, PERSON, MEMBERSHIP})) is expected
    assert not may_have(lookup, frozenset())
