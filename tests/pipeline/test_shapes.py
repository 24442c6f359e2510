"""Shapes: what an event is told, and which shapes are taken. Nothing here needs Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from triplewire.errors import InputError, LimitExceeded, RefusedFeature
from triplewire.pipeline import shapes
from triplewire.pipeline.shapes import Shapes, read_shapes

PREFIXES = """@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <urn:> .
"""
PAPERS = """:paper a sh:NodeShape ; sh:targetClass :Paper ;
    sh:property [ sh:path :year ; sh:datatype xsd:integer ; sh:minCount 1 ; sh:message "a year" ] ;
    sh:property [ sh:path :by ; sh:node [ sh:property [ sh:path :name ; sh:minCount 1 ] ] ] .
"""
TYPED = b"<urn:p> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:Paper> <urn:e> .\n"


def shapes_in(folder: Path, text: str) -> bytes:
    (folder / "shapes.ttl").write_text(PREFIXES + text)
    return read_shapes(str(folder / "shapes.ttl"))


def test_an_event_that_conforms_has_no_problems(tmp_path):
    ready = Shapes(shapes_in(tmp_path, PAPERS))
    year = b'<urn:p> <urn:year> "1"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:e> .\n'
    assert ready.problems(TYPED + year) == []
    assert ready.problems(b"<urn:q> <urn:year> <urn:o> <urn:e> .") == []


def test_problems_name_focus_node_path_value_and_message(tmp_path):
    ready = Shapes(shapes_in(tmp_path, PAPERS))
    event = TYPED + b'<urn:p> <urn:year> "old" <urn:e> .\n<urn:p> <urn:by> _:b <urn:e> .\n'
    [name, year] = ready.problems(event)
    assert year == (
        'a year: focus node <urn:p>, path <urn:year>, value "old", '
        "by <http://www.w3.org/ns/shacl#DatatypeConstraintComponent>"
    )
    assert "focus node <urn:p>, path <urn:by>, value _:b" in name
    # The same each time, so that doing it again adds nothing.
    assert Shapes(shapes_in(tmp_path, PAPERS)).problems(event) == [name, year]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (':s sh:targetClass :C ; sh:sparql [ sh:select "SELECT $this { $this ?p ?o }" ] .', "sparql"),
        (':s sh:targetClass :C ; sh:js [ sh:jsFunctionName "f" ] .', "js"),
        (":s sh:targetClass :C ; sh:rule [ ] .", "rule"),
        (":s sh:target [ ] .", "target"),
        (":c a sh:ConstraintComponent ; sh:parameter [ ] .", "parameter"),
        ("<urn:x> owl:imports <http://127.0.0.1:1/shapes> . :s sh:targetClass :C .", "imports"),
    ],
)
def test_what_is_more_than_the_core_is_refused_by_name(tmp_path, text, word):
    with pytest.raises(RefusedFeature, match=rf"shapes\.ttl: wanted the core of SHACL.*found <[^>]*{word}") as refused:
        shapes_in(tmp_path, text)
    assert refused.value.feature.endswith(word)


@pytest.mark.parametrize(
    "text",
    [
        ":s sh:targetClass :C ; sh:node :s .",
        ":s sh:targetClass :C ; sh:or ( :t ) . :t sh:not :u . :u sh:property :s .",
        ":l <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> :l . :s sh:in :l .",
    ],
)
def test_shapes_that_lead_back_to_themselves_are_refused(tmp_path, text):
    with pytest.raises(InputError, match="below itself"):
        shapes_in(tmp_path, text)


def test_two_ways_to_one_shape_are_no_cycle(tmp_path):
    assert shapes_in(tmp_path, ":s sh:targetClass :C ; sh:node :t ; sh:not :t , :u . :u sh:node :t . :t sh:class :D .")


def test_a_file_without_shapes_or_with_too_many_is_refused(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="wanted shapes, found nothing of SHACL's"):
        shapes_in(tmp_path, ":s :p :o .")
    monkeypatch.setattr(shapes, "MOST_TRIPLES", 2)
    with pytest.raises(LimitExceeded, match="wanted shapes of at most 2 triples"):
        shapes_in(tmp_path, PAPERS)


def test_a_regular_expression_that_takes_for_ever_is_a_problem_of_the_event(tmp_path):
    ready = Shapes(
        shapes_in(tmp_path, ':s sh:targetSubjectsOf :p ; sh:property [ sh:path :p ; sh:pattern "^(a+)+$" ] .'), 0.2
    )
    assert ready.problems(b'<urn:s> <urn:p> "' + b"a" * 60 + b'b" <urn:e> .') == [
        "the event could not be validated: wanted at most 0.2 s for an event, found more than that"
    ]
    assert ready.problems(b'<urn:s> <urn:p> "aaa" <urn:e> .') == []


def test_an_event_that_rdflib_has_no_words_for_is_told_so(tmp_path):
    ready = Shapes(shapes_in(tmp_path, PAPERS))
    [problem] = ready.problems(b"<urn:s> <urn:p> <<( <urn:a> <urn:b> <urn:c> )>> <urn:e> .")
    assert problem.startswith("the event could not be validated: wanted a term of RDF 1.1")
