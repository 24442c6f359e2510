"""Solutions in one shape: as rows, for pandas, rdflib and notebooks, and to and from SPARQL's JSON form."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
import rdflib
from hypothesis import given
from pyoxigraph import BaseDirection
from pyoxigraph import Triple as TripleTerm

from triplewire.errors import InputError
from triplewire.rdf.solutions import Solutions, Triples
from triplewire.rdf.sparql_json import answer_of, json_binding, json_term, solution_of, term_of
from triplewire.rdf.terms import XSD, BlankNode, Literal, NamedNode, Triple
from triplewire.testing.strategies.terms import terms

ANN = {"name": Literal("Ann"), "age": Literal("7", datatype=XSD["integer"])}
BOB = {"name": Literal("Bob", language="en")}


def test_they_are_a_list_that_knows_its_variables():
    found = Solutions([ANN, BOB], ("name", "age", "home"))
    assert found == [ANN, BOB]
    assert found.variables == ("name", "age", "home")
    assert Solutions([BOB, ANN]).variables == ("name", "age")


def test_pandas_gets_plain_values_and_none_where_nothing_is_bound():
    row = {
        "i": Literal("07", datatype=XSD["int"]),
        "d": Literal("1.50", datatype=XSD["decimal"]),
        "f": Literal("INF", datatype=XSD["double"]),
        "b": Literal("true", datatype=XSD["boolean"]),
        "s": Literal("text"),
        "bad": Literal("abc", datatype=XSD["integer"]),
        "iri": NamedNode("urn:a"),
        "blank": BlankNode("b"),
    }
    frame = Solutions([row, {}]).to_pandas()
    assert list(frame.columns) == list(row)
    assert [frame[name][0] for name in row] == [7, Decimal("1.5"), math.inf, True, "text", "abc", "urn:a", "_:b"]
    assert all(frame[name].isna()[1] for name in row)


def test_rdflib_gets_its_own_kind_of_result():
    result = Solutions([ANN, BOB], ("name", "age")).to_rdflib()
    assert [str(name) for name in result.vars] == ["name", "age"]
    first, second = result
    assert first.age == rdflib.Literal("7", datatype=rdflib.XSD.integer)
    assert (second.name, second.age) == (rdflib.Literal("Bob", lang="en"), None)


def test_triples_become_an_rdflib_graph():
    made = Triples([Triple(NamedNode("urn:s"), NamedNode("urn:p"), Literal("o"))]).to_rdflib()
    assert list(made) == [(rdflib.URIRef("urn:s"), rdflib.URIRef("urn:p"), rdflib.Literal("o"))]


def test_a_notebook_shows_what_strangers_wrote_as_text():
    shown = Solutions([{"x": Literal("<script>alert(1)</script>")}])._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_a_notebook_says_how_many_rows_it_leaves_out():
    shown = Solutions([{"x": Literal(str(n))} for n in range(105)])._repr_html_()
    assert "and 5 more" in shown
    assert shown.count("<td>") == 100


@given(terms())
def test_a_term_goes_to_json_and_back(term):
    assert term_of(json_term(term)) == term


def test_what_rdf_1_2_adds_goes_to_json_and_back():
    directed = Literal("abc", language="ar", direction=BaseDirection.RTL)
    quoted = TripleTerm(NamedNode("urn:s"), NamedNode("urn:p"), directed)
    row = {"d": directed, "t": quoted}
    assert solution_of(json_binding(row)) == row


def test_a_document_is_rows_or_yes_or_no():
    document = b'{"head":{"vars":["x","y"]},"results":{"bindings":[{"x":{"type":"uri","value":"urn:a"}}]}}'
    found = answer_of(document)
    assert found == [{"x": NamedNode("urn:a")}]
    assert found.variables == ("x", "y")
    assert answer_of(b'{"head":{},"boolean":true}') is True
    assert answer_of(b'{"head":{},"boolean":false}') is False


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"head":{},"results":{"bindings":[{"x":{"type":"uri"}}]}}',
        b'{"head":{},"results":{"bindings":[{"x":{"type":"uri","value":"not an iri"}}]}}',
        b'{"head":{},"results":{"bindings":[{"x":{"type":"thing","value":"a"}}]}}',
        b'{"head":{},"results":{"bindings":[{"x":3}]}}',
    ],
)
def test_another_document_is_an_error_that_says_so(document):
    with pytest.raises(InputError, match="wanted"):
        answer_of(document)
