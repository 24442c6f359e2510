"""Relative IRIs: the file's URL is their base, unless another is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import InvalidTerm, SyntaxProblem
from triplewire.rdf.events import Event
from triplewire.rdf.terms import NamedNode

XML = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:p="urn:">
<rdf:Description rdf:about="s"><p:p>1</p:p></rdf:Description></rdf:RDF>"""
RELATIVE = {
    "a.ttl": "<s> <urn:p> '1' .",
    "a.trig": "{ <s> <urn:p> '1' }",
    "a.jsonld": '{"@id": "s", "urn:p": "1"}',
    "a.rdf": XML,
}


def subject(file: Path, base: str | None = None) -> str:
    [event] = Event.parse(file, None, base=base)
    found = event.triples[0].subject
    assert isinstance(found, NamedNode)
    return found.value


@pytest.fixture(params=RELATIVE)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "of mine" / str(request.param)
    path.parent.mkdir()
    path.write_text(RELATIVE[path.name])
    return path


def test_a_files_url_is_its_base(file: Path) -> None:
    assert subject(file) == (file.parent / "s").as_uri()


def test_a_base_that_is_given_counts_instead(file: Path) -> None:
    assert subject(file, "http://example.org/data/") == "http://example.org/data/s"


def test_a_base_in_the_document_counts_more(tmp_path: Path) -> None:
    file = tmp_path / "a.ttl"
    file.write_text("@base <http://example.org/> . <s> <urn:p> '1' .")
    assert subject(file, "http://example.com/") == "http://example.org/s"


def test_the_way_to_the_file_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.ttl").write_text("<> <urn:p> '1' .")
    monkeypatch.chdir(tmp_path / "folder")
    assert subject(Path("../a.ttl")) == subject(tmp_path / "folder" / ".." / "a.ttl") == (tmp_path / "a.ttl").as_uri()


@pytest.mark.parametrize(
    ("form", "text"), [("turtle", RELATIVE["a.ttl"]), ("jsonld", RELATIVE["a.jsonld"]), ("rdfxml", XML)]
)
def test_a1_text_without_a_file_needs_a_base(form: str, text: str) -> None:
    with pytest.raises(SyntaxProblem, match=r"wanted an absolute IRI, or a base \(base, --base\)"):
        Event.parse(text.encode(), form)


@pytest.mark.parametrize("form", ["nquads", "ntriples"])
def test_a1_line_formats_have_no_base(form: str) -> None:
    with pytest.raises(SyntaxProblem, match=f"as {form} has no other"):
        Event.parse(b"<s> <urn:p> <urn:o> .", form, base="http://example.org/")


def test_a_base_must_be_absolute() -> None:
    with pytest.raises(InvalidTerm, match="wanted an absolute IRI as base, found 'data/'"):
        Event.parse(b"<s> <urn:p> <urn:o> .", "turtle", base="data/")


def test_other_files_of_rdf_have_their_url_as_base_too(tmp_path: Path) -> None:
    taxonomy = tmp_path / "classes.ttl"
    taxonomy.write_text("<#A> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <#B> .")
    found = Taxonomy.parse(taxonomy).ancestors(NamedNode(taxonomy.as_uri() + "#A"))
    assert {node.value for node in found} == {taxonomy.as_uri() + "#B"}
