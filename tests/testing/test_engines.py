"""The same cases on every engine."""

from __future__ import annotations

import pytest

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.rdf.events import Event
from triplewire.rdf.terms import Literal, NamedNode

XSD = "http://www.w3.org/2001/XMLSchema#"
EVENT = f"""
<urn:a> <urn:n> "01"^^<{XSD}integer> <urn:e> .
<urn:a> <urn:n> "1"^^<{XSD}int> <urn:e> .
<urn:a> <urn:n> "1"^^<{XSD}integer> <urn:e> .
<urn:a> <urn:bad> "abc"^^<{XSD}integer> <urn:e> .
<urn:a> <urn:knows> <urn:a> <urn:e> .
<urn:a> <urn:knows> _:b <urn:e> .
<urn:a> <urn:name> "Nejdl"@en <urn:e> .
<urn:a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:C> <urn:e> .
"""
TAXONOMY = "<urn:C> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:D> ."

# A query, and how many solutions it has on the event above.
CASES = {
    "a term is itself and nothing else": ("SELECT ?x { ?x <urn:n> 1 }", 1),
    "a form is part of a term": ("SELECT ?x { ?x <urn:n> 01 }", 1),
    "filters compare by value": ("SELECT ?y { ?x <urn:n> ?y FILTER(?y = 1) }", 3),
    "numbers are promoted": ("SELECT ?y { ?x <urn:n> ?y FILTER(?y < 1.5e0) }", 3),
    "ill-typed literals match by term": (f'SELECT ?x {{ ?x <urn:bad> "abc"^^<{XSD}integer> }}', 1),
    "A1: ill-typed literals have no value": ("SELECT ?x { ?x <urn:bad> ?y FILTER(?y < 5 || ?y >= 5) }", 0),
    "an error or true is true": ("SELECT ?x { ?x <urn:bad> ?y FILTER(?y < 5 || isLITERAL(?y)) }", 1),
    "an error and true is an error": ("SELECT ?x { ?x <urn:bad> ?y FILTER(!(?y < 5 && isLITERAL(?y))) }", 0),
    "an error and false is false": ("SELECT ?x { ?x <urn:bad> ?y FILTER(!(?y < 5 && isIRI(?y))) }", 1),
    "a variable twice in one pattern": ("SELECT ?x { ?x <urn:knows> ?x }", 1),
    "a blank node in a query is a variable": ("SELECT ?x { ?x <urn:knows> _:any }", 2),
    "language tags count": ('SELECT ?x { ?x <urn:name> "Nejdl" }', 0),
    "a plain text is found in a tagged one": ('SELECT ?x { ?x <urn:name> ?n FILTER(CONTAINS(?n, "ej")) }', 1),
    "the event is its own named graph": ("SELECT ?g { GRAPH ?g { <urn:a> <urn:bad> ?y } }", 1),
    "and has no other": ("SELECT ?x { GRAPH <urn:other> { ?x <urn:bad> ?y } }", 0),
    "types come with the event, classes from the taxonomy": (
        "SELECT ?x { ?x <urn:bad> ?y FILTER(<urn:triplewire:isA>(?x, <urn:D>)) }",
        1,
    ),
    "no class is its own descendant": ("SELECT ?c { ?x a ?c FILTER(<urn:triplewire:isA>(?c, <urn:C>)) }", 0),
    "OPTIONAL": ("SELECT ?x ?y { ?x <urn:bad> ?z OPTIONAL { ?x <urn:none> ?y } }", 1),
    "MINUS": ("SELECT ?y { ?x <urn:knows> ?y MINUS { ?x <urn:knows> <urn:a> } }", 0),
    "NOT EXISTS": ("SELECT ?y { ?x <urn:knows> ?y FILTER NOT EXISTS { ?y <urn:knows> ?z } }", 1),
}


@pytest.mark.parametrize("name", CASES)
def test_semantics(engine, name):
    text, solutions = CASES[name]
    (event,) = Event.parse(EVENT)
    subscription = Subscription.parse(text, id="s")
    assert len(engine([subscription], event, Taxonomy.parse(TAXONOMY)).get("s", ())) == solutions


def test_solutions_hold_the_events_own_terms(engine):
    (event,) = Event.parse(EVENT)
    subscription = Subscription.parse("SELECT ?y { ?x <urn:n> ?y FILTER(?y = 1) }", id="s")
    found = {row["y"] for row in engine([subscription], event, None)["s"]}
    integer, small = NamedNode(f"{XSD}integer"), NamedNode(f"{XSD}int")
    assert found == {Literal("01", datatype=integer), Literal("1", datatype=integer), Literal("1", datatype=small)}
