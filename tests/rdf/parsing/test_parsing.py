"""Malformed and hostile RDF in each format: a clear error with line and column, or a refusal by name."""

from __future__ import annotations

import pytest

from triplewire.errors import InvalidTerm, LimitExceeded, RefusedFeature, SyntaxProblem
from triplewire.rdf.documents import Document
from triplewire.rdf.formats import FORMATS, JSONLD, NQUADS, NTRIPLES, RDFXML, TRIG, TURTLE, Format
from triplewire.rdf.parsing.quads import parse_quads
from triplewire.rdf.terms import Quad

RDF_XML = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n{}\n</rdf:RDF>'
DESCRIPTION = '<rdf:Description rdf:about="{}">\n <rdf:value>o</rdf:value></rdf:Description>'

WELL_FORMED = {
    NQUADS: '<urn:s> <urn:p> "o" .',
    NTRIPLES: '<urn:s> <urn:p> "o" .',
    TRIG: '<urn:s> <urn:p> "o" .',
    TURTLE: "<urn:s> <urn:p> 'o' .",
    JSONLD: '{"@id": "urn:s", "urn:p": "o"}',
    RDFXML: RDF_XML.format('<rdf:Description rdf:about="urn:s" xmlns="urn:"><p>o</p></rdf:Description>'),
}


def parse(form: Format, text: str, base: str | None = None) -> list[Quad]:
    return list(parse_quads(Document(text.encode(), "message"), form, base=base))


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_each_format_gives_the_same_triple(form: Format) -> None:
    assert [str(quad.triple) for quad in parse(form, WELL_FORMED[form])] == ['<urn:s> <urn:p> "o"']


@pytest.mark.parametrize(
    ("form", "text", "line", "column"),
    [
        (NQUADS, '<urn:s> <urn:p> "o" .\n<urn:s> <urn:p> .', 2, 17),
        (NQUADS, '<urn:s> <urn:p> "éé" <<', 1, 22),
        (NQUADS, '<urn:s> <urn:p> "\\ud800" .', 1, 18),
        (NTRIPLES, '<urn:s> <urn:p> "o" <urn:g> .', 1, 21),
        (TURTLE, "<urn:s> <urn:p>\n  missing:prefix .", 2, 3),
        (TURTLE, "<urn:s> <urn:p> 'never closed", 1, 17),
        (TRIG, "<urn:g> {\n <urn:s> <urn:p> }", 2, 18),
        (JSONLD, '{"@id": "urn:s",\n "urn:p": tru}', 2, 11),
        (JSONLD, "", 1, 1),
        (JSONLD, '{"@id": "urn:s",\n  "@type": 3}', 2, 4),
        (RDFXML, RDF_XML.format("<rdf:value>"), 3, 3),
        (RDFXML, RDF_XML.format('<rdf:Description rdf:ID="1 2"/>'), 2, 31),
        (RDFXML, RDF_XML.format("<x:unbound/>"), 2, 12),
        (RDFXML, RDF_XML.format(DESCRIPTION.format("urn:s") * 2_000 + "\n<x:unbound/>"), 2003, 12),
    ],
)
def test_a1_malformed_rdf_is_refused_with_line_and_column(form: Format, text: str, line: int, column: int) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        parse(form, text)
    problem = caught.value
    assert (problem.line, problem.column, problem.source) == (line, column, "message")
    assert str(problem).startswith(f"message:{line}:{column}: ")
    assert "Parser error at" not in problem.message
    assert problem.around in text


@pytest.mark.parametrize(
    ("form", "text", "line"),
    [
        (NQUADS, '\n<s> <urn:p> "o" .', 2),
        (TURTLE, '\n<s> <urn:p> "o" .', 2),
        (TRIG, '\n<s> <urn:p> "o" .', 2),
        (JSONLD, '{\n"@id": "s", "urn:p": "o"}', 2),
        (JSONLD, '{"@id": "urn:s",\n "urn:p": {"@id": ""}}', 2),
        (JSONLD, '{"@id": "urn:s",\n "urn:p": {"@value": "x", "@type": "t"}}', 2),
        (JSONLD, '{"@context": {"@vocab": ""}, "@id": "urn:s", "p": 1}', 1),
        (RDFXML, RDF_XML.format(DESCRIPTION.format("s")), 2),
    ],
)
def test_a1_relative_iris_need_a_base(form: Format, text: str, line: int) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        parse(form, text)
    assert caught.value.line == line
    if form is not NQUADS:
        assert len(parse(form, text, base="http://example.org/")) == 1


def test_a_base_must_be_an_iri() -> None:
    with pytest.raises(InvalidTerm, match="wanted an absolute IRI as base, found 'here'"):
        parse(TURTLE, WELL_FORMED[TURTLE], base="here")


def test_a_base_of_the_document_itself_counts() -> None:
    text = '{"@context": {"@base": "http://example.org/"}, "@id": "s", "urn:p": "o"}'
    assert str(parse(JSONLD, text)[0].subject) == "<http://example.org/s>"


def test_a1_nul_and_ill_typed_literals_are_rdf() -> None:
    [quad] = parse(NQUADS, '<urn:s> <urn:p> "\\u0000" .')
    assert quad.object.value == "\0"
    assert len(parse(NQUADS, '<urn:s> <urn:p> "abc"^^<http://www.w3.org/2001/XMLSchema#integer> .')) == 1


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (TURTLE, "<urn:s> <urn:p> " + "(" * 100_000 + ")" * 100_000 + " ."),
        (TRIG, "<urn:g> { <urn:s> <urn:p> " + "[ <urn:p> " * 100_000 + "1" + "]" * 100_000 + "}"),
        (NQUADS, "<urn:s> <urn:p> " + "<<( <urn:s> <urn:p> " * 100_000 + "<urn:o>" + ")>>" * 100_000 + " ."),
        (JSONLD, '{"@id":"urn:s","urn:p":' * 100_000 + "1" + "}" * 100_000),
        (JSONLD, "[" * 100_000),
        (RDFXML, RDF_XML.format("<rdf:Description><rdf:value>" * 100_000)),
    ],
)
def test_a3_deep_documents_are_refused_before_the_parser_sees_them(form: Format, text: str) -> None:
    with pytest.raises(LimitExceeded) as caught:
        parse(form, text)
    assert caught.value.limit == "depth"


def test_a4_a_doctype_that_names_another_file_is_refused() -> None:
    with pytest.raises(RefusedFeature, match="DOCTYPE"):
        parse(RDFXML, "<!DOCTYPE rdf:RDF SYSTEM 'x.dtd'>" + WELL_FORMED[RDFXML])


def test_a10_a_remote_context_is_refused() -> None:
    with pytest.raises(RefusedFeature, match=r"remote JSON-LD contexts are refused, found 'http://127\.0\.0\.1:9/c'"):
        parse(JSONLD, '{"@context": "http://127.0.0.1:9/c", "a": "b"}')


def test_a_byte_order_mark_inside_is_not_dropped() -> None:
    with pytest.raises(SyntaxProblem):
        parse(NQUADS, '\ufeff<urn:s> <urn:p> "o" .')


def test_an_encoding_that_xml_declares_must_be_utf8() -> None:
    with pytest.raises(SyntaxProblem, match="UTF-8"):
        parse(RDFXML, '<?xml version="1.0" encoding="ISO-8859-1"?>' + WELL_FORMED[RDFXML])
