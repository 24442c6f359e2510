"""Opaque terms: which terms the store rewrites, and the way there and back."""

from __future__ import annotations

import pytest

from triplewire.matching.general.opaque_terms import decoded, encoded, internal, is_opaque, is_rewritten
from triplewire.rdf.terms import XSD, BlankNode, Literal, NamedNode, Triple

REWRITTEN = [
    Literal("01", datatype=XSD["integer"]),
    Literal("+1", datatype=XSD["integer"]),
    Literal("1", datatype=XSD["int"]),
    Literal("1.0", datatype=XSD["decimal"]),
    Literal("1e0", datatype=XSD["double"]),
    Literal("1", datatype=XSD["boolean"]),
    Literal("2020-01-01T00:00:00+00:00", datatype=XSD["dateTime"]),
    Literal("PT60S", datatype=XSD["dayTimeDuration"]),
    Triple(BlankNode("b"), NamedNode("urn:p"), Literal("01", datatype=XSD["integer"])),
]
KEPT = [
    Literal("1", datatype=XSD["integer"]),
    Literal("01"),
    Literal("01", language="en"),
    Literal("abc", datatype=XSD["integer"]),
    Literal("99999999999999999999999999", datatype=XSD["integer"]),
    Literal("01", datatype=NamedNode("urn:my-datatype")),
    NamedNode("urn:triplewire:term:01"),
    BlankNode("b"),
]


@pytest.mark.parametrize("term", REWRITTEN, ids=str)
def test_what_the_store_rewrites_has_a_stand_in(term):
    assert is_rewritten(term)
    assert is_opaque(encoded(term))
    assert decoded(encoded(term)) == term


@pytest.mark.parametrize("term", KEPT, ids=str)
def test_what_the_store_keeps_stands_for_itself(term):
    assert not is_rewritten(term)
    assert encoded(term) == term
    assert decoded(term) == term


def test_any_text_survives():
    literal = Literal("2020-01-01T00:00:00.000Z", datatype=XSD["dateTimeStamp"])
    assert decoded(encoded(literal)) == literal
    odd = Triple(NamedNode("urn:é%20"), NamedNode("urn:p"), Literal('01"\\\n%', datatype=XSD["int"]))
    assert decoded(encoded(odd)) == odd


def test_a_function_of_ours_is_no_term():
    assert not is_opaque(internal("value"))
