"""A small schema with a class tree, a property tree, a bag and a list; and rules on it, as text."""

from __future__ import annotations

from triplewire.languages.rdftl import parse_rules, parse_updates
from triplewire.languages.rdftl.syntax import Update
from triplewire.rdf.terms import Namespace
from triplewire.rules.analysis import Analysis
from triplewire.rules.schema import Schema

EX = Namespace("http://example.org/")
SCHEMA = Schema.parse("""
    @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    @prefix tw: <urn:triplewire:> .
    @prefix ex: <http://example.org/> .
    ex:Book rdfs:subClassOf ex:Work . ex:Journal rdfs:subClassOf ex:Work .
    ex:Person a rdfs:Class .
    ex:Shelf rdfs:subClassOf rdf:Bag ; tw:elementClass ex:Work .
    ex:Queue rdfs:subClassOf rdf:Seq ; tw:elementClass ex:Work .
    ex:title rdfs:domain ex:Work ; rdfs:range xsd:string .
    ex:note rdfs:domain ex:Work ; rdfs:range xsd:string .
    ex:by rdfs:domain ex:Work ; rdfs:range ex:Person .
    ex:editedBy rdfs:subPropertyOf ex:by ; rdfs:domain ex:Work ; rdfs:range ex:Person .
    ex:likes rdfs:domain ex:Person ; rdfs:range ex:Work .
    ex:knows rdfs:domain ex:Person ; rdfs:range ex:Person .
    ex:shelf rdfs:domain ex:Person ; rdfs:range ex:Shelf .
    ex:queue rdfs:domain ex:Person ; rdfs:range ex:Queue .
    """)
LETS = """
    USING NAMESPACE ex http://example.org/
    LET $shelf := resource(http://example.org/ann)/target(shelf)
    LET $queue := resource(http://example.org/ann)/target(queue)
"""


def analysed(*rules: str) -> Analysis:
    """The analysis of rules that are called r1, r2 and so on."""
    return Analysis(parse_rules(LETS + "".join(f"{rule};;\n" for rule in rules)), SCHEMA)


def updates(*texts: str) -> tuple[Update, ...]:
    return parse_updates(LETS + "".join(f"{text};;\n" for text in texts))
