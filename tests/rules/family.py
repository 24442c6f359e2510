"""A small schema with everything in it: two hierarchies, diamonds, containers, literals; and triples to draw from."""

from __future__ import annotations

from hypothesis import strategies as st

from triplewire.rdf.terms import XSD, Literal, NamedNode, Namespace, Triple
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE, member

EX = Namespace("http://example.org/")
FAMILY = Schema.parse("""
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix tw: <urn:triplewire:> .
@prefix ex: <http://example.org/> .

ex:Being a rdfs:Class .
ex:Person rdfs:subClassOf ex:Being .
ex:Worker rdfs:subClassOf ex:Person .
ex:Parent rdfs:subClassOf ex:Person .
ex:Nurse rdfs:subClassOf ex:Worker , ex:Parent .
ex:Thing a rdfs:Class .
ex:People rdfs:subClassOf rdf:Bag ; tw:elementClass ex:Person .
ex:Queue rdfs:subClassOf rdf:Seq ; tw:elementClass ex:Being .

ex:knows rdfs:domain ex:Being ; rdfs:range ex:Being .
ex:likes rdfs:subPropertyOf ex:knows ; rdfs:domain ex:Person ; rdfs:range ex:Person .
ex:loves rdfs:subPropertyOf ex:likes , ex:owes .
ex:owes rdfs:domain ex:Person ; rdfs:range ex:Person .
ex:owns rdfs:domain ex:Person ; rdfs:range ex:Thing .
ex:team rdfs:domain ex:Person ; rdfs:range ex:People .
ex:name rdfs:domain ex:Being ; rdfs:range xsd:string .
ex:age rdfs:domain ex:Person ; rdfs:range xsd:int .
ex:loose a rdf:Property .
""")

CLASSES = ("Being", "Person", "Worker", "Parent", "Nurse", "Thing", "People", "Queue")
NODES = tuple(EX[name] for name in ("ann", "bob", "cat", "dan", "mug"))
VALUES = (Literal("Ann"), Literal("Bob"), Literal("7", datatype=XSD["integer"]), Literal("x", datatype=XSD["int"]))

nodes = st.sampled_from(NODES)
types = st.builds(Triple, nodes, st.just(TYPE), st.sampled_from([EX[name] for name in CLASSES]))
links = st.builds(
    Triple, nodes, st.sampled_from([EX[name] for name in ("knows", "likes", "loves", "owes", "owns", "team")]), nodes
)
values = st.builds(Triple, nodes, st.sampled_from([EX["name"], EX["age"], EX["knows"]]), st.sampled_from(VALUES))
members = st.builds(Triple, nodes, st.sampled_from([member(1), member(2), member(3)]), nodes)
strangers = st.sampled_from(
    [
        Triple(EX["ann"], EX["loose"], EX["bob"]),
        Triple(EX["ann"], EX["unheard"], EX["bob"]),
        Triple(EX["ann"], TYPE, EX["unheard"]),
        Triple(EX["ann"], TYPE, Literal("Person")),
        Triple(EX["ann"], NamedNode("urn:unheard"), EX["bob"]),
    ]
)
"""Mostly what may conform: types three times as often as the rest."""
triples = st.one_of(types, types, types, links, links, values, members)
