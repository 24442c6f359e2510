"""Terms as text, and back; what is no term is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.rules.family import EX, triples

from triplewire.errors import MessageRefused
from triplewire.federation.sites.terms import (
    delta_of,
    delta_text,
    inward,
    lookup_of,
    lookup_text,
    outward,
    term_of,
    text_of,
    triples_of,
)
from triplewire.languages.rdftl.syntax import Component
from triplewire.rdf.terms import BlankNode, Literal, NamedNode, Triple
from triplewire.rules.graphs import Lookup


@given(triples)
def test_triples_and_terms_survive(triple: Triple):
    assert triples_of(text_of([triple])) == (triple,)
    assert term_of(str(triple.object)) == triple.object
    lookup = Lookup(triple.subject, None, triple.object)
    assert lookup_of(lookup_text(lookup)) == lookup


def test_a_delta_survives():
    delta = {Component.WHOLE: EX["ann"], Component.TARGET: Literal('a "quoted"\nline', language="en")}
    assert delta_of(delta_text(delta)) == delta
    assert delta_of(delta_text(None)) is None


@pytest.mark.parametrize("text", ["", "ann", "<not an iri>", "<urn:a> . <urn:b> <urn:c> <urn:d>", "'x'"])
def test_what_is_no_term_is_refused(text: str):
    with pytest.raises(MessageRefused):
        term_of(text)


def test_a_predicate_is_an_iri():
    with pytest.raises(MessageRefused):
        lookup_of(("", '"x"', ""))


def test_a_blank_node_is_itself_at_home_only():
    name = outward(BlankNode("b"), "p")
    assert inward(name, "p") == BlankNode("b")
    assert inward(name, "q") == name == NamedNode("urn:triplewire:blank:p:b")
    assert inward(EX["ann"], "p") == outward(EX["ann"], "p") == EX["ann"]
