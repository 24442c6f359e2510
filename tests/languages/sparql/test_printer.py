"""Reading what was printed gives the same tree, for trees of every shape."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from pyoxigraph import Store
from tests.languages.sparql.trees import QUERIES, in_normal_form

from triplewire.languages.sparql import SparqlLanguage
from triplewire.languages.sparql.lowering.lanes import canonical_text, compile_query
from triplewire.languages.sparql.parsing.parser import parse_query
from triplewire.languages.sparql.printing.printer import print_query
from triplewire.languages.sparql.syntax import ast

SPARQL = SparqlLanguage()
RELAXED = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))


@RELAXED
@given(QUERIES.map(in_normal_form))
def test_printing_and_reading_gives_the_same_tree_which_oxigraph_accepts(tree: ast.Query) -> None:
    text = print_query(tree)
    assert parse_query(text) == tree
    Store().query(text)


@RELAXED
@given(QUERIES.map(in_normal_form))
def test_printing_and_parsing_gives_the_same_algebra_and_canonical_text_is_canonical(tree: ast.Query) -> None:
    compiled = compile_query(tree)
    assert SPARQL.parse(SPARQL.print(compiled)) == compiled
    text = canonical_text(tree)
    assert canonical_text(parse_query(text)) == text


def test_the_base_is_said_where_iris_are_made_and_nowhere_else() -> None:
    text = 'BASE <http://example.org/> SELECT (IRI("b") AS ?b) WHERE { }'
    assert print_query(parse_query(text)) == text
    assert parse_query(print_query(parse_query(text))) == parse_query(text)
    assert print_query(parse_query("BASE <http://example.org/> ASK { <a> ?p ?o }")).startswith("ASK")


def test_canonical_text_forgets_names_and_nothing_else() -> None:
    one, same, other = (
        canonical_text(parse_query(text))
        for text in (
            "SELECT ?a { ?a <urn:p>+ ?b . _:x <urn:q> ?b }",
            "SELECT ?b { ?b <urn:p>+ ?a . _:z <urn:q> ?a }",
            "SELECT ?b { ?a <urn:p>+ ?b . _:z <urn:q> ?b }",
        )
    )
    assert one == same != other
