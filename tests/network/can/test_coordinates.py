"""The order of terms, and what lies between two byte strings."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.network.can.shapes import VALUES

from triplewire.network.can.geometry.coordinates import (
    after_prefix,
    coordinate,
    iri_prefix,
    midpoint,
    next_coordinate,
    separator,
    string_prefix,
)
from triplewire.rdf.terms import XSD, BlankNode, DefaultGraph, Literal, NamedNode, Triple

EX = "http://example.org/"


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (NamedNode(EX + "é"), f"<{EX}é>"),
        (BlankNode("b1"), "_:b1"),
        (Literal("plain"), '"plain"'),
        (Literal("chat", language="fr"), '"chat"@fr'),
        (Literal("07", datatype=XSD["integer"]), '"07"^^<http://www.w3.org/2001/XMLSchema#integer>'),
        (Literal('a "quoted"\nline \\'), '"a \\"quoted\\"\\nline \\\\"'),
        (DefaultGraph(), ""),
        (
            Triple(NamedNode("a:a"), NamedNode("a:b"), Triple(NamedNode("a:a"), NamedNode("a:b"), Literal("c"))),
            '<<( <a:a> <a:b> <<( <a:a> <a:b> "c" )>> )>>',
        ),
    ],
)
def test_a_coordinate_is_the_canonical_ntriples_text(term, text):
    assert coordinate(term) == text.encode()


@given(st.text(), st.text())
def test_iris_are_ordered_by_their_code_points(one: str, other: str):
    one, other = ("".join(c for c in text if c.isalnum()) for text in (one, other))
    assume(not one.startswith(other) and not other.startswith(one))
    assert (coordinate(NamedNode(EX + one)) < coordinate(NamedNode(EX + other))) == (one < other)


def test_numbers_are_not_ordered_by_value():
    assert coordinate(Literal(10)) < coordinate(Literal(9))


@given(st.text(), st.text())
def test_prefixes_of_strings_and_iris_are_prefixes_of_coordinates(prefix: str, rest: str):
    assert coordinate(Literal(prefix + rest, language="en")).startswith(string_prefix(prefix))
    assert coordinate(NamedNode(EX + "a/b")).startswith(iri_prefix(EX + "a"))


@given(VALUES, st.none() | VALUES)
def test_a_midpoint_is_strictly_between_unless_nothing_is(lower: bytes, upper: bytes | None):
    assume(upper is None or lower < upper)
    middle = midpoint(lower, upper)
    if middle is None:
        assert upper == next_coordinate(lower)
    else:
        assert lower < middle
        assert upper is None or middle < upper


@given(VALUES, VALUES)
def test_nothing_is_between_a_value_and_the_next(value: bytes, other: bytes):
    assert not value < other < next_coordinate(value)


@given(VALUES, VALUES)
def test_after_a_prefix_is_above_all_that_have_it_and_below_all_else(prefix: bytes, other: bytes):
    after = after_prefix(prefix)
    assert (prefix <= other and (after is None or other < after)) == other.startswith(prefix)


@given(VALUES, VALUES)
def test_a_separator_parts_two_values(one: bytes, other: bytes):
    assume(one != other)
    below, above = sorted([one, other])
    assert below < separator(below, above) <= above
