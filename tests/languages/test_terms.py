"""IRIs and literals: read as pyoxigraph's Turtle parser reads them, printed so that they are read back."""

from __future__ import annotations

import re

import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire.errors import SyntaxProblem
from triplewire.languages.graph.tokens import QNAME
from triplewire.languages.scanner import Scanner
from triplewire.languages.terms import TermReader, printed_literal
from triplewire.rdf.terms import XSD, Literal, NamedNode

PREFIXES = {"ex": "http://example.org/", "": "urn:empty:", "xsd": str(XSD)}


def read(text: str) -> NamedNode | Literal | None:
    scanner = Scanner(text)
    terms = TermReader(scanner, QNAME, PREFIXES)
    term = terms.iri() or terms.literal()
    assert term is None or scanner.at_end, f"{scanner.here()} was left"
    return term


def read_by_turtle(text: str) -> object:
    declared = "".join(f"PREFIX {prefix}: <{namespace}>\n" for prefix, namespace in PREFIXES.items())
    (quad,) = pyoxigraph.parse(f"{declared}<urn:s> <urn:p> {text} .", pyoxigraph.RdfFormat.TURTLE)
    return quad.object


@pytest.mark.parametrize(
    "text",
    [
        *("<urn:a>", "<http://example.org/\\u00e9>", "<http://example.org/é#x?y=%20>"),
        *("ex:a", "ex:", ":", ":a", "ex:a.b", "ex:a:b", "ex:1", "ex:_-", "ex:a-", "ex:%41", "ex:a\\,b\\/c", "ex:é·"),
        *('"a"', "'a'", '""', '"it\'s"', "'\"'", r'"\t\b\n\r\f\"\'\\ \u00e9 \U0001F600"', '"# ^ < >"'),
        *('"a"@en', '"a"@en-GB', '"a"@en--ltr', '"a"^^<urn:d>', '"a"^^ex:d', '"5"^^xsd:integer', '"a"^^xsd:string'),
        *("0", "007", "+1", "-1", "1.5", ".5", "-.5", "1e0", "1.e1", ".1E+2", "-1.5e-3", "true", "false"),
    ],
)
def test_reads_as_turtle_does(text: str) -> None:
    assert read(text) == read_by_turtle(text)


@pytest.mark.parametrize(("text", "left"), [("ex:-a", "-a"), ("ex:a.", "."), ("5.", "."), ("ex:a..", "..")])
def test_what_cannot_belong_to_a_term_is_left(text: str, left: str) -> None:
    scanner = Scanner(text)
    terms = TermReader(scanner, QNAME, PREFIXES)
    assert (terms.iri() or terms.literal()) is not None
    assert text[scanner.offset :] == left


@pytest.mark.parametrize("text", ["", "truely", "?x", "(", "^^", "@en", "-", ".", "e5", "<urn:a", "<urn: a>", "٣"])
def test_what_is_no_term_is_not_taken(text: str) -> None:
    scanner = Scanner(text)
    terms = TermReader(scanner, QNAME, PREFIXES)
    assert (terms.iri() or terms.literal()) is None
    assert scanner.offset == 0


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("<a>", "an absolute IRI"),
        ("<>", "an absolute IRI"),
        ("<urn:\\u0020>", "an absolute IRI"),
        ("no:a", "a declared prefix"),
        ('"a', "the closing quote"),
        ('"a\nb"', "the closing quote"),
        ('"a\\', "the closing quote"),
        (r'"\x41"', "an escape"),
        (r'"\u00g0"', "an escape"),
        (r'"\uDC00"', "an escape"),
        ('"a"^^', "a datatype"),
        ('"a"^^"b"', "a datatype"),
        ('"a"@abcdefghi', "a language tag"),
    ],
)
def test_what_is_wrong_is_said(text: str, wanted: str) -> None:
    with pytest.raises(SyntaxProblem, match=f"wanted {re.escape(wanted)}"):
        read(text)


_datatypes = st.sampled_from([XSD["integer"], XSD["decimal"], XSD["double"], XSD["boolean"], NamedNode("urn:d")])
_lexical = st.one_of(st.text(), st.from_regex(r"[+-]?[0-9]*\.?[0-9]*([eE][+-]?[0-9]*)?|true|false", fullmatch=True))


@given(_lexical, _datatypes)
def test_a_printed_literal_is_read_back(value: str, datatype: NamedNode) -> None:
    literal = Literal(value, datatype=datatype)
    assert read(printed_literal(literal)) == literal
    assert read_by_turtle(printed_literal(literal)) == literal


@given(st.text(), st.sampled_from([None, "en", "de-at"]))
def test_a_printed_string_is_read_back(value: str, language: str | None) -> None:
    literal = Literal(value, language=language)
    assert read(printed_literal(literal)) == literal
