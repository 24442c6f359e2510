"""Aggregates that take values back say the same as those that never had them, and as Oxigraph."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Store
from tests.views.generating import NUMBERS

from triplewire.evaluation.aggregates import accumulator
from triplewire.languages.sparql.syntax.ast import Aggregate
from triplewire.rdf.literals.kept import as_kept
from triplewire.rdf.terms import XSD, Literal, NamedNode, Quad
from triplewire.testing.strategies.terms import terms

NAMES = ("COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT")
VALUES = st.lists(st.one_of(st.none(), terms(), st.sampled_from(NUMBERS), st.sampled_from(NUMBERS)), max_size=6)
NUMERIC = st.lists(st.sampled_from([as_kept(number) for number in NUMBERS]), max_size=6)


@settings(max_examples=300)
@given(st.sampled_from(NAMES), st.booleans(), VALUES, VALUES, st.randoms(use_true_random=False))
def test_what_is_taken_back_leaves_no_trace(name, distinct, kept, gone, random):
    aggregate = Aggregate(name, None, distinct)
    plain, changed = accumulator(aggregate), accumulator(aggregate)
    for value in kept:
        plain.add(value)
    steps = [*kept, *gone]
    random.shuffle(steps)
    for value in steps:
        changed.add(value)
    for value in gone:
        changed.remove(value)
    assert changed.result() == plain.result()


@settings(max_examples=200)
@given(st.sampled_from(("COUNT", "SUM", "AVG")), st.booleans(), NUMERIC)
def test_numbers_are_added_up_as_oxigraph_does(name, distinct, values):
    found = accumulator(Aggregate(name, None, distinct))
    for value in values:
        found.add(value)
    place = NamedNode("urn:p")
    store = Store()
    store.extend(Quad(NamedNode(f"urn:{number}"), place, value) for number, value in enumerate(values))
    word = "DISTINCT " if distinct else ""
    (row,) = store.query(f"SELECT ({name}({word}?v) AS ?result) {{ ?s <urn:p> ?v }}")
    assert found.result() == row["result"]


@pytest.mark.parametrize(
    ("values", "total"),
    [
        ((str(2**63 - 1), "1"), None),
        ((str(2**63 - 1), "1", "-1"), str(2**63 - 1)),
    ],
)
def test_only_a_total_can_overflow(values, total):
    found = accumulator(Aggregate("SUM", None))
    for value in values:
        found.add(Literal(value, datatype=XSD["integer"]))
    result = found.result()
    assert (result and result.value) == total
