"""Graphs named by blank nodes: an IRI that the document alone decides."""

from __future__ import annotations

import json

import pytest

from triplewire.errors import LimitExceeded
from triplewire.rdf.events import Event
from triplewire.rdf.limits import Limits
from triplewire.rdf.terms import BlankNode, NamedNode, Triple

GENID = "urn:triplewire:.well-known/genid/"
ABOUT_THE_GRAPH = """{ "@context": {"p": "urn:p"}, "@graph": [
  {"p": "saying something of the graph below", "@graph": [{"@id": "urn:s", "p": 1}]}
]}"""


def names(text: str, form: str) -> list[str]:
    return [event.graph.value for event in Event.parse(text.encode(), form)]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("nquads", '<urn:s> <urn:p> "1" _:g .\n<urn:s> <urn:p> "1" _:h .\n'),
        ("trig", "_:g { <urn:s> <urn:p> 1 } [] { <urn:s> <urn:p> 1 }"),
        (
            "jsonld",
            json.dumps([{"@graph": [{"@id": "urn:s", "urn:p": 1}], "@id": name} for name in ("_:g", "_:h")]),
        ),
    ],
)
def test_each_blank_graph_is_an_event_of_its_own(form: str, text: str) -> None:
    found = names(text, form)
    assert len(set(found)) == 2
    assert all(name.startswith(GENID) for name in found)


@pytest.mark.parametrize("text", ["_:g { <urn:s> <urn:p> 1 }", "[] { <urn:s> <urn:p> [ <urn:q> 2 ] }"])
def test_the_same_document_gives_the_same_event_again(text: str) -> None:
    assert Event.parse(text.encode(), "trig") == Event.parse(text.encode(), "trig")


def test_two_documents_share_no_name() -> None:
    assert names("_:g { <urn:s> <urn:p> 1 }", "trig") != names("_:g { <urn:s> <urn:p> 2 }", "trig")
    assert names("_:g { <urn:s> <urn:p> 1 }", "trig") != names("_:h { <urn:s> <urn:p> 1 }", "trig")


def test_what_is_said_about_the_graph_is_still_said_about_it() -> None:
    about, graph = Event.parse(ABOUT_THE_GRAPH.encode(), "jsonld", graph="urn:about")
    assert about.triples[0].subject == graph.graph
    assert graph.graph.value.startswith(GENID)


def test_triple_terms_speak_of_it_too() -> None:
    text = "_:g { <urn:s> <urn:p> 1 } <urn:a> <urn:says> <<( _:g <urn:p> _:other )>> ."
    graph, about = Event.parse(text.encode(), "trig", graph="urn:about")
    said = about.triples[0].object
    assert isinstance(said, Triple)
    assert said.subject == graph.graph
    assert isinstance(said.object, BlankNode)


def test_other_names_stay_as_they_are() -> None:
    first, second = Event.parse(b"<urn:e> { <urn:s> <urn:p> _:x } _:g { <urn:s> <urn:p> _:x }", "trig")
    assert first.graph == NamedNode("urn:e")
    assert first.triples == second.triples


def test_limits_hold_and_name_the_line() -> None:
    text = "_:g {\n<urn:s> <urn:p> 1, 2 ,\n3 }"
    with pytest.raises(LimitExceeded) as caught:
        Event.parse(text.encode(), "trig", limits=Limits(quads=2))
    assert caught.value.line == 3
