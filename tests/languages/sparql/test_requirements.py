"""The fast lane is exact and the requirements are sound, both against Oxigraph."""

from __future__ import annotations

from collections import Counter

import pytest
from pyoxigraph import NamedNode, Quad, Store
from tests.languages.sparql.naive import solutions
from tests.languages.sparql.small_queries import Generator

from triplewire.algebra.queries import FastQuery, Query, Select, cores_of
from triplewire.languages.sparql import SparqlLanguage
from triplewire.languages.sparql.parsing.parser import parse_query
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.trees import walk
from triplewire.rdf.terms import Triple

SPARQL = SparqlLanguage()
EVENT = NamedNode("urn:event")


def answered(text: str, triples: list[Triple]) -> Counter[frozenset[tuple[str, str]]]:
    store = Store()
    for triple in triples:
        store.add(Quad(triple.subject, triple.predicate, triple.object))
        store.add(Quad(triple.subject, triple.predicate, triple.object, EVENT))
    found = store.query(text)
    return Counter(
        frozenset((v.value, str(row[v])) for v in found.variables if row[v] is not None)  # type: ignore[union-attr]
        for row in found  # type: ignore[union-attr]
    )


def matched(query: FastQuery, triples: list[Triple]) -> Counter[frozenset[tuple[str, str]]]:
    assert isinstance(query.form, Select)
    names = query.form.variables
    found = solutions(query.core, triples, EVENT)
    return Counter(frozenset((n.name, str(s[n])) for n in names if n in s) for s in found)


def is_satisfied(query: Query, triples: list[Triple]) -> bool:
    return any(solutions(core, triples, EVENT) for core in cores_of(query))


def has_graph_in_graph(text: str) -> bool:
    """Where Oxigraph ignores the outer GRAPH, against section 18.6 of SPARQL 1.1."""
    graphs = [node for node in walk(parse_query(text)) if isinstance(node, ast.Graph)]
    return any(isinstance(node, ast.Graph) for graph in graphs for node in walk(graph.group))


@pytest.mark.parametrize("seed", range(8))
def test_the_fast_lane_gives_exactly_what_sparql_gives(seed: int) -> None:
    generator = Generator(seed)
    for _ in range(250):
        text, triples = generator.fast_query(), generator.triples()
        query = SPARQL.parse(text)
        if isinstance(query, FastQuery) and not has_graph_in_graph(text):
            assert matched(query, triples) == answered(text, triples), (text, triples)


@pytest.mark.parametrize("seed", range(8))
def test_a_query_with_a_solution_has_a_core_that_matches(seed: int) -> None:
    generator = Generator(seed)
    for _ in range(250):
        text, triples = generator.general_query(), generator.triples()
        query = SPARQL.parse(text)
        if answered(text, triples):
            assert is_satisfied(query, triples), (text, triples, cores_of(query))
