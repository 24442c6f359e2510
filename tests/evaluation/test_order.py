"""The order of terms agrees with `<` wherever that is defined, and is total."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from triplewire.evaluation.order import Descending, total_key, value_key
from triplewire.rdf.literals.values import less
from triplewire.rdf.terms import BlankNode, Literal, NamedNode
from triplewire.testing.strategies.terms import terms


@settings(max_examples=500)
@given(terms(), terms())
def test_it_agrees_with_less_than(a, b):
    found = less(a, b)
    if found:
        assert value_key(a) < value_key(b)
    if found is False and less(b, a) is False:
        assert value_key(a) == value_key(b)


@settings(max_examples=300)
@given(st.lists(terms(), max_size=8))
def test_it_is_total(found):
    in_order = sorted(found, key=total_key)
    backwards = found[::-1]
    assert sorted(backwards, key=total_key) == in_order
    assert sorted(found, key=lambda term: Descending(total_key(term))) == in_order[::-1]


def test_the_order_of_kinds():
    in_order = [None, BlankNode("b"), NamedNode("urn:a"), Literal("x")]
    mixed = [in_order[at] for at in (2, 0, 3, 1)]
    assert sorted(mixed, key=value_key) == in_order
