"""Cores as words: by recipe, and as the naive twin writes them; values as the rows that they become."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.matching.segments.naive_encoding import encoded

from triplewire.algebra.queries import Core, cores_of
from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.kernels import layout
from triplewire.matching.segments.encoding import Encoder
from triplewire.rdf.literals.values import Kind, kind_of
from triplewire.rdf.literals.values import number as number_of
from triplewire.rdf.terms import XSD, Literal
from triplewire.testing import workloads
from triplewire.testing.strategies import events, fast_sparql, formulas, general_sparql, graphs

MANY = settings().max_examples > 100
INTEGER = XSD["integer"]
LANGUAGES = [("sparql", fast_sparql), ("sparql", general_sparql), ("formula", formulas), ("graph", graphs)]


def check(encoder: Encoder, core: Core) -> None:
    words, variables = encoder.encode(core)
    assert (list(memoryview(words).cast("i")), variables) == encoded(core, encoder)


def cores(text: str, language: str = "sparql") -> tuple[Core, ...]:
    return cores_of(Subscription.parse(text, language).query)


@settings(max_examples=1500 if MANY else 100)
@given(events(), st.data())
def test_any_core(event, data):
    encoder = Encoder()
    for language, drawn in [
        ("sparql", fast_sparql),
        ("sparql", general_sparql),
        ("formula", formulas),
        ("graph", graphs),
    ]:
        for core in cores(data.draw(drawn(event.triples)), language):
            check(encoder, core)
            check(encoder, core)


@pytest.mark.parametrize("name", ["mixed", "ranges", "substrings", "taxonomy", "graphs", "library"])
def test_workloads(name):
    encoder = Encoder()
    for row in getattr(workloads, name)(200, 1).rows():
        for core in cores(row.text, row.language):
            check(encoder, core)


@pytest.mark.parametrize(
    "condition",
    [
        "5 < ?n",
        "?n = 5",
        "!(?n > 5)",
        "?n IN (1, 2.5, <urn:a>)",
        "?n NOT IN (1)",
        "?n = <urn:a>",
        "<urn:a> != ?n",
        'CONTAINS(?n, "x")',
        'CONTAINS(?n, "x"@en)',
        '?n < "2020-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>',
        "?n > ?m || ?m = 3",
        "<urn:triplewire:isA>(?n, <urn:C>)",
    ],
)
def test_each_condition(condition):
    encoder = Encoder()
    for constant in ("urn:a", "urn:b"):
        text = f"ASK {{ GRAPH <urn:g> {{ ?s <urn:p> ?n ; <urn:q> ?m }} FILTER({condition}) }}"
        for core in cores(text.replace("urn:a", constant)):
            check(encoder, core)


@settings(max_examples=1000 if MANY else 200)
@given(st.one_of(st.integers(), st.integers(-(10**17), 10**17)), st.sampled_from(["", "+", "0", "-0"]))
def test_an_integer_is_written_as_its_value_says(number, sign):
    """A short cut for integers of few digits must come out where the way by the value does."""
    literal = Literal(f"{sign}{number}", datatype=INTEGER)
    row = Encoder().against(literal, layout.LESS, 0)
    if kind_of(literal) is not Kind.NUMERIC:
        assert row[0] == layout.EXACT
        return
    exact = number_of(literal)
    assert isinstance(exact, int)
    assert row[0] == layout.NUMBER
    assert struct.unpack("<d", struct.pack("<ii", row[2], row[3])) == (float(exact),)
    assert (row[4] >> 8 != 0) == (float(exact) != exact)


@pytest.mark.parametrize("digits", ["٥", "²", "1_000", " 5", "", "0x5"])
def test_what_only_looks_like_digits_has_no_value(digits):
    assert Encoder().against(Literal(digits, datatype=INTEGER), layout.LESS, 0)[0] == layout.EXACT


def test_the_digits_of_another_type_are_no_number():
    assert Encoder().against(Literal("5"), layout.LESS, 0)[0] == layout.EXACT
    assert Encoder().against(Literal("5"), layout.EQUAL, 0)[0] == layout.TERM
