"""Schemas: what they say, and what they refuse."""

from __future__ import annotations

import pytest
from tests.rules.selene import DC, EXT3, FIGURE_1, FIGURE_2, MERGED, SELENE

from triplewire.errors import InvalidTerm, SyntaxProblem, TaxonomyCycle
from triplewire.rdf.terms import RDF, RDFS, XSD, NamedNode
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import member

PREFIXES = """
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix ex: <http://example.org/> .
@prefix tw: <urn:triplewire:> .
"""


def schema(text: str) -> Schema:
    return Schema.parse(PREFIXES + text)


def ex(*names: str) -> frozenset[NamedNode]:
    return frozenset(NamedNode(f"http://example.org/{name}") for name in names)


def test_figures_merge_on_their_common_node() -> None:
    assert FIGURE_1.classes == {SELENE["LO"]}
    assert SELENE["LO"] in FIGURE_2.classes
    assert MERGED.classes == FIGURE_2.classes
    assert MERGED.properties == FIGURE_1.properties | FIGURE_2.properties


def test_arcs_hold_the_triples_that_example_2_names() -> None:
    assert {
        (SELENE["LO"], DC["type"], XSD["string"]),
        (SELENE["User"], EXT3["messages"], SELENE["Messages"]),
        (SELENE["Messages"], EXT3["updated_LOs"], SELENE["updated_LOs"]),
        (SELENE["updated_LOs"], RDFS["ContainerMembershipProperty"], SELENE["LO"]),
    } <= MERGED.arcs


def test_hierarchies_are_reflexive_transitive_and_without_resource() -> None:
    s = schema("ex:C rdfs:subClassOf ex:B . ex:B rdfs:subClassOf ex:A . ex:A rdfs:subClassOf rdfs:Resource .")
    assert s.superclasses(NamedNode("http://example.org/C")) == ex("A", "B", "C")
    assert s.subclasses(NamedNode("http://example.org/A")) == ex("A", "B", "C")
    assert RDFS["Resource"] not in s.classes


def test_subproperties_inherit_the_domain_and_range_that_they_do_not_say() -> None:
    s = schema("ex:p rdfs:subPropertyOf ex:q ; rdfs:range ex:C . ex:q rdfs:domain ex:A ; rdfs:range ex:B .")
    p = NamedNode("http://example.org/p")
    assert s.domain(p) == ex("A")
    assert s.range(p) == ex("C")
    assert s.superproperties(p) == ex("p", "q")
    assert s.subproperties(NamedNode("http://example.org/q")) == ex("p", "q")


def test_containers_and_what_they_hold() -> None:
    s = schema("ex:L rdfs:subClassOf rdf:Seq ; tw:elementClass ex:E . ex:M rdfs:subClassOf ex:L .")
    assert s.containers == ex("L", "M")
    assert s.elements(NamedNode("http://example.org/M")) == ex("E")
    assert RDF["Seq"] in s.superclasses(NamedNode("http://example.org/M"))


def test_ambient_vocabulary_belongs_to_every_schema() -> None:
    s = schema("")
    assert s.is_class(RDF["Bag"])
    assert s.is_property(RDF["type"])
    assert s.is_property(member(12))
    assert not s.is_property(RDF["_0"])
    assert not s.is_class(XSD["string"])


def test_a_schema_written_from_its_triples_is_the_same() -> None:
    assert Schema(MERGED.triples) == MERGED
    assert hash(Schema(MERGED.triples)) == hash(MERGED)
    assert schema("ex:A a rdfs:Class .") != schema("ex:B a rdfs:Class .")


def test_hierarchy_cycle_is_refused_by_name() -> None:
    with pytest.raises(TaxonomyCycle, match=r"example.org/A"):
        schema("ex:A rdfs:subClassOf ex:B . ex:B rdfs:subClassOf ex:A .")


def test_literal_as_class_is_refused_with_its_line() -> None:
    with pytest.raises(InvalidTerm, match=r"^7: wanted an IRI") as caught:
        schema('ex:A a rdfs:Class .\nex:p rdfs:domain "A" .')
    assert caught.value.line == 7


def test_broken_turtle_is_a_syntax_error() -> None:
    with pytest.raises(SyntaxProblem):
        schema("ex:A a")
