"""Short forms must lose nothing: read back as Turtle, they are the same term."""

from __future__ import annotations

import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire.cli.names import short, short_solution, shortened
from triplewire.rdf.prefixes import WELL_KNOWN
from triplewire.rdf.terms import XSD, Literal, NamedNode

PREFIXES = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in WELL_KNOWN.items())


def read_back(text: str):
    document = f"{PREFIXES} <urn:s> <urn:p> {text} ."
    (quad,) = pyoxigraph.parse(document, format=pyoxigraph.RdfFormat.TURTLE)
    return quad.object


TERMS = [
    NamedNode(WELL_KNOWN["dc"] + "creator"),
    NamedNode(WELL_KNOWN["dc"] + "a/b"),
    NamedNode(WELL_KNOWN["dc"]),
    NamedNode(WELL_KNOWN["foaf"] + "a.b."),
    NamedNode("http://example.org/ü"),
    Literal("2004", datatype=XSD["integer"]),
    Literal("+02", datatype=XSD["integer"]),
    Literal("abc", datatype=XSD["integer"]),
    Literal("2004"),
    Literal("true", datatype=XSD["boolean"]),
    Literal("1", datatype=XSD["boolean"]),
    Literal("1.0", datatype=XSD["decimal"]),
    Literal('say "hi"\n\\', language="en"),
    Literal('say "hi"\n\\', datatype=NamedNode("http://example.org/t")),
]


@pytest.mark.parametrize("term", TERMS, ids=str)
def test_a_short_form_reads_back_as_the_same_term(term):
    assert read_back(short(term)) == term


@given(st.sampled_from(list(WELL_KNOWN.values())), st.from_regex(r"[A-Za-z0-9_.~-]{0,8}", fullmatch=True))
def test_any_local_name_reads_back(namespace, local):
    term = NamedNode(namespace + local)
    assert read_back(short(term)) == term


def test_sentences_are_shortened_only_inside_angle_brackets():
    assert shortened("?a < 3 and <http://purl.org/dc/elements/1.1/date> > 2") == "?a < 3 and dc:date > 2"


def test_a_solution_reads_as_equations():
    assert short_solution({"x": NamedNode("urn:a"), "n": Literal("1")}) == '?x = <urn:a>, ?n = "1"'
