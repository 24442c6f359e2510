"""Terms in place of variables."""

from __future__ import annotations

import pytest
from hypothesis import given
from pyoxigraph import QuerySolutions
from tests.languages.sparql import corpus
from tests.languages.sparql.test_printer import RELAXED
from tests.languages.sparql.test_updates import dataset
from tests.languages.sparql.trees import TEXTS
from tests.languages.text_pairs import text_pairs

from triplewire.algebra.patterns import Variable
from triplewire.errors import InputError
from triplewire.languages.sparql import parse_dataset_query, parse_update, print_dataset_query, print_update
from triplewire.languages.sparql.syntax.ast import Term
from triplewire.languages.sparql.syntax.substitution import substituted
from triplewire.rdf.terms import XSD, Literal, NamedNode

TERMS: dict[Variable, Term] = {
    Variable("i"): NamedNode("urn:i"),
    Variable("l"): Literal("it's"),
    Variable("n"): Literal("5", datatype=XSD["integer"]),
    Variable("b"): Variable("_:b"),
}
UPDATES = ("INSERT", "DELETE")


def bound(text: str) -> str:
    """The text with the terms, printed, after it was read again."""
    if text.startswith(UPDATES):
        operations = parse_update(corpus.with_prologue(text), forced={name.name for name in TERMS})
        printed = print_update(substituted(operations, TERMS))
        return print_update(parse_update(printed))
    query = parse_dataset_query(corpus.with_prologue(text))
    printed = print_dataset_query(substituted(query, TERMS))
    return print_dataset_query(parse_dataset_query(printed))


@pytest.mark.parametrize(("text", "expected"), text_pairs("sparql/substituted.txt"))
def test_substituted(text: str, expected: str) -> None:
    assert corpus.shortened(bound(text)) == expected


@pytest.mark.parametrize(("text", "message"), text_pairs("sparql/substituted_refused.txt"))
def test_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        bound(text)
    assert message in str(refused.value)


def test_without_terms_nothing_changes() -> None:
    query = parse_dataset_query("SELECT ?x { ?x ?p ?y }")
    assert substituted(query, {}) is query


@RELAXED
@given(TEXTS)
def test_no_value_is_taken_for_syntax(value: str) -> None:
    operations = parse_update("INSERT DATA { <urn:a> <urn:p> ?x }", forced={"x"})
    (operation,) = parse_update(print_update(substituted(operations, {Variable("x"): Literal(value)})))
    assert [quad.object for quad in operation.quads] == [Literal(value)]  # type: ignore[union-attr]


@pytest.mark.parametrize("term", [NamedNode("urn:b"), Literal("2", datatype=XSD["integer"]), NamedNode("urn:none")])
@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("SELECT ?s ?o { ?s <urn:p> ?o }", "SELECT ?s ?o { ?s <urn:p> ?o FILTER(sameTerm(?o, TERM)) }"),
        (
            "SELECT ?s { ?s <urn:p> ?o OPTIONAL { ?o <urn:p> ?z } }",
            "SELECT ?s { ?s <urn:p> ?o OPTIONAL { ?o <urn:p> ?z } FILTER(sameTerm(?o, TERM)) }",
        ),
        ("SELECT ?s { ?s ?p ?x FILTER(?x = ?o) }", "SELECT ?s { VALUES ?o { TERM } ?s ?p ?x FILTER(?x = ?o) }"),
        (
            "SELECT ?s ?o (COUNT(*) AS ?n) { ?s <urn:p> ?o } GROUP BY ?s ?o",
            "SELECT ?s ?o (COUNT(*) AS ?n) { ?s <urn:p> ?o FILTER(sameTerm(?o, TERM)) } GROUP BY ?s ?o",
        ),
        ("SELECT ?s ?g { GRAPH ?g { ?s ?p ?o } }", "SELECT ?s ?g { GRAPH ?g { ?s ?p ?o FILTER(sameTerm(?o, TERM)) } }"),
    ],
)
def test_the_answers_are_those_that_have_the_term(text: str, chosen: str, term: NamedNode | Literal) -> None:
    """To bind a variable that the pattern binds anyway is to choose rows."""
    query = parse_dataset_query(text)
    bound_text = print_dataset_query(substituted(query, {Variable("o"): term}))
    assert rows(bound_text) == rows(chosen.replace("TERM", str(term)))


def rows(text: str) -> list[str]:
    found = dataset().query(text)
    assert isinstance(found, QuerySolutions)
    names = [variable.value for variable in found.variables]
    return sorted(str([(name, str(row[name])) for name in names]) for row in found)
