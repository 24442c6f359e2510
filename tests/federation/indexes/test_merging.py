"""Schemas of many are one as far as they fit; what does not is left out, with the reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire.federation.indexes.merging import merged
from triplewire.rules.schema import Schema

PREFIXES = """
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix ex: <http://example.org/> .
"""


def schema(text: str) -> Schema:
    return Schema.parse(PREFIXES + text)


AGENT = schema("ex:Person rdfs:subClassOf ex:Agent . ex:name rdfs:domain ex:Agent ; rdfs:range xsd:string .")


def test_what_fits_is_one_schema():
    more = schema("ex:Nurse rdfs:subClassOf ex:Person . ex:name rdfs:range rdfs:Literal .")
    found = merged([("ann", AGENT), ("bob", more)])
    assert found.schema == AGENT.merge(more)
    assert not found.left_out


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ex:Agent rdfs:subClassOf ex:Person .", "http://example.org/Agent"),
        ("ex:name rdfs:range xsd:integer .", "no value of <http://example.org/name>"),
        ("ex:name rdfs:range ex:Agent .", "no value of <http://example.org/name>"),
        ("ex:name a rdfs:Class .", "is a class and a property"),
    ],
)
def test_what_does_not_fit_is_left_out_with_the_reason(text: str, reason: str):
    other = schema("ex:age rdfs:domain ex:Person ; rdfs:range xsd:integer .")
    found = merged([("ann", AGENT), ("bob", schema(text)), ("cid", other)])
    assert found.schema == AGENT.merge(other)
    assert list(found.left_out) == ["bob"]
    assert reason in found.left_out["bob"]


def test_a_range_says_less_than_another_and_fits():
    found = merged([("ann", AGENT), ("bob", schema("ex:size rdfs:range xsd:int , xsd:integer ."))])
    assert not found.left_out


def test_nobody_is_blamed_for_what_he_says_himself():
    """One node takes it, and does what it says; so nothing is worse where others hear of it."""
    odd = schema("ex:name rdfs:range xsd:integer , xsd:string ; rdfs:domain ex:Agent .")
    assert merged([("ann", odd)]).schema == odd
    assert merged([("ann", odd), ("bob", schema("ex:Nurse rdfs:subClassOf ex:Agent ."))]).left_out == {}


def test_who_comes_first_stays():
    one, other = schema("ex:size rdfs:range xsd:string ."), schema("ex:size rdfs:range xsd:integer .")
    assert merged([("ann", one), ("bob", other)]).schema == one
    assert merged([("ann", other), ("bob", one)]).schema == other
    assert merged([("ann", other)], one).left_out.keys() == {"ann"}


SAYINGS = st.sampled_from(
    [
        "ex:A rdfs:subClassOf ex:B .",
        "ex:B rdfs:subClassOf ex:C .",
        "ex:C rdfs:subClassOf ex:A .",
        "ex:p rdfs:subPropertyOf ex:q .",
        "ex:q rdfs:subPropertyOf ex:p .",
        "ex:p rdfs:range xsd:string .",
        "ex:p rdfs:range xsd:integer .",
        "ex:p rdfs:range ex:A .",
        "ex:A a rdf:Property .",
    ]
)


@given(st.lists(SAYINGS, max_size=8))
def test_whatever_they_say_the_whole_is_a_schema_of_those_that_fit(texts: list[str]):
    parts = [(str(number), schema(text)) for number, text in enumerate(texts)]
    found = merged(parts)
    taken = [part for name, part in parts if name not in found.left_out]
    assert found.schema.triples == frozenset().union(*(part.triples for part in taken))
    # Nobody is left out without a reason: with all that came before him it is still wrong.
    for name in found.left_out:
        again = merged(
            [*((other, part) for other, part in parts if other not in found.left_out), (name, dict(parts)[name])]
        )
        assert name in again.left_out
