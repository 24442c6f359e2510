"""What people hold becomes events, or an error says what is wanted."""

from __future__ import annotations

import subprocess
import sys

import pytest
import rdflib

from triplewire import Event, Matcher, Subscription
from triplewire.errors import InputError
from triplewire.rdf.coercion import as_event, as_events

LINE = '<urn:s> <urn:p> "1" <urn:event:1> .'
[EVENT] = Event.parse(LINE)


@pytest.fixture
def graph() -> rdflib.Graph:
    made = rdflib.Graph(identifier=rdflib.URIRef("urn:event:1"))
    made.add((rdflib.URIRef("urn:s"), rdflib.URIRef("urn:p"), rdflib.Literal("1")))
    return made


def test_events_text_bytes_and_graphs_are_the_same_event(graph):
    assert as_event(EVENT) is EVENT
    assert as_event(LINE) == as_event(LINE.encode()) == as_event(graph) == EVENT


def test_a_file_is_read_by_its_suffix(tmp_path):
    (tmp_path / "one.trig").write_text('<urn:event:1> { <urn:s> <urn:p> "1" }')
    assert as_event(tmp_path / "one.trig") == as_event(str(tmp_path / "one.trig")) == EVENT


def test_text_in_another_format_is_read_when_named():
    assert as_event('GRAPH <urn:event:1> { <urn:s> <urn:p> "1" }', "trig") == EVENT


def test_every_graph_of_a_dataset_is_an_event(graph):
    dataset = rdflib.Dataset()
    for name in ("urn:event:1", "urn:event:2"):
        dataset.graph(rdflib.URIRef(name)).add((rdflib.URIRef("urn:s"), rdflib.URIRef("urn:p"), rdflib.Literal("1")))
    assert {event.graph.value for event in as_events(dataset)} == {"urn:event:1", "urn:event:2"}
    assert len(as_events([EVENT, graph, LINE])) == 3


def test_several_events_are_not_one():
    with pytest.raises(InputError, match="wanted one event, found 2"):
        as_event(LINE + "\n" + LINE.replace("event:1", "event:2"))


@pytest.mark.parametrize("given", [3, None, object()])
def test_anything_else_is_told_what_is_wanted(given):
    with pytest.raises(InputError, match=f"wanted an Event, an rdflib Graph.*found {type(given).__name__}"):
        as_events(given)


def test_a_matcher_takes_them_all(graph, tmp_path):
    matcher = Matcher()
    matcher.add("SELECT ?o { ?s <urn:p> ?o }", id="text")
    for given in (EVENT, graph, LINE, LINE.encode()):
        [match] = matcher.match(given)
        assert (match.subscription_id, match.solutions[0]["o"].value) == ("text", "1")
    assert len(matcher.match_events([graph, LINE.replace("event:1", "event:2")])) == 2


def test_a_query_as_text_gets_the_identifier_of_its_text():
    text = "ASK { ?s <urn:p> ?o }"
    matcher = Matcher()
    matcher.add(text)
    assert Subscription.parse(text).id in matcher


@pytest.mark.parametrize("given", [3, None, b"ASK {}", ["ASK {}"]])
def test_a_matcher_says_what_it_wants(given):
    with pytest.raises(InputError, match=f"wanted a Subscription, or a SPARQL query.*found {type(given).__name__}"):
        Matcher().add(given)


def test_a_subscription_keeps_its_own_identifier():
    with pytest.raises(InputError, match="which has one"):
        Matcher().add(Subscription.parse("ASK { ?s ?p ?o }", id="a"), id="b")


def test_rdflib_is_not_imported_to_find_out():
    program = """
import sys
from triplewire.rdf.coercion import as_events
as_events("<urn:s> <urn:p> 1 .", "turtle")
print("rdflib" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
