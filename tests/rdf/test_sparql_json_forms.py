"""SPARQL 1.1 Query Results JSON Format, section 3.2.2: how each kind of term is written."""

from __future__ import annotations

import pytest
from pyoxigraph import BaseDirection

from triplewire.rdf.sparql_json import json_binding, json_term
from triplewire.rdf.terms import XSD, BlankNode, Literal, NamedNode, Triple

A = NamedNode("http://example.org/a")


@pytest.mark.parametrize(
    ("term", "written"),
    [
        (A, {"type": "uri", "value": "http://example.org/a"}),
        (BlankNode("b0"), {"type": "bnode", "value": "b0"}),
        (Literal("plain"), {"type": "literal", "value": "plain"}),
        (Literal("chat", language="fr"), {"type": "literal", "value": "chat", "xml:lang": "fr"}),
        (
            Literal("a", language="ar", direction=BaseDirection.RTL),
            {"type": "literal", "value": "a", "xml:lang": "ar", "its:dir": "rtl"},
        ),
        (
            Literal("01", datatype=XSD["integer"]),
            {"type": "literal", "value": "01", "datatype": "http://www.w3.org/2001/XMLSchema#integer"},
        ),
        (
            Triple(A, A, Literal("x")),
            {
                "type": "triple",
                "value": {
                    "subject": {"type": "uri", "value": "http://example.org/a"},
                    "predicate": {"type": "uri", "value": "http://example.org/a"},
                    "object": {"type": "literal", "value": "x"},
                },
            },
        ),
    ],
)
def test_a_term_is_written_as_the_standard_says(term, written):
    assert json_term(term) == written


def test_an_unbound_variable_is_left_out_and_order_is_kept():
    assert list(json_binding({"y": A, "x": A})) == ["y", "x"]
