"""A large graph as an event for each of its subjects."""

from __future__ import annotations

from triplewire.rdf.events import Event
from triplewire.rdf.parsing.reading_options import ReadingOptions

VOCABULARY = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:A a owl:Class ; rdfs:label "A" ; rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom [ owl:unionOf (:B :C) ] ] .
:p a owl:ObjectProperty .
:B rdfs:subClassOf :A .
[] a owl:AllDifferent ; owl:members (:A :B) .
_:x :knows _:y . _:y :knows _:x .
"""


def subjects(text: str, form: str = "turtle") -> list[Event]:
    return list(ReadingOptions().subjects(text.encode(), form))


def by_size(events: list[Event]) -> list[int]:
    return [len(event) for event in events]


def test_a_subject_has_what_its_blank_nodes_say() -> None:
    assert by_size(subjects(VOCABULARY)) == [10, 1, 1, 6, 2]


def test_everything_that_is_said_is_in_some_event() -> None:
    [whole] = Event.parse(VOCABULARY.encode(), "turtle")
    assert sum(by_size(subjects(VOCABULARY))) == len(whole)


def test_the_same_data_gives_the_same_events() -> None:
    assert subjects(VOCABULARY) == subjects(VOCABULARY)


def test_of_a_new_version_only_what_changed_is_new() -> None:
    before, after = subjects(VOCABULARY), subjects(VOCABULARY.replace('"A"', '"a"'))
    assert [event in before for event in after] == [False, True, True, True, True]


def test_an_addition_elsewhere_changes_no_other_event() -> None:
    added = "<urn:new> <urn:p> [ <urn:p> 1 ] ." + VOCABULARY
    assert set(subjects(VOCABULARY)) < set(subjects(added))


def test_a_shared_blank_node_is_told_of_in_each_event() -> None:
    assert by_size(subjects("<urn:a> <urn:p> _:x . <urn:b> <urn:p> _:x . _:x <urn:q> 1 .")) == [2, 2]


def test_graphs_are_kept_apart() -> None:
    events = subjects("<urn:g> { <urn:a> <urn:p> 1 } <urn:h> { <urn:a> <urn:p> 1 } _:b { <urn:a> <urn:p> 1 }", "trig")
    assert len({event.graph for event in events}) == 3
    assert events == subjects(
        "<urn:g> { <urn:a> <urn:p> 1 } <urn:h> { <urn:a> <urn:p> 1 } _:b { <urn:a> <urn:p> 1 }", "trig"
    )
