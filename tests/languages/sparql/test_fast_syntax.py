"""Every fast query has a SPARQL form, whatever language it was written in, and that form is read back as the query."""

from __future__ import annotations

import pytest
from pyoxigraph import Quad, Store

from triplewire.algebra.constraints import (
    ALWAYS,
    NEVER,
    Comparator,
    ComparisonTest,
    Condition,
    Constraint,
    IntegerTest,
    MembershipTest,
    TaxonomyRelation,
    TaxonomyTest,
    TextRelation,
    TextTest,
)
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Ask, Construct, Core, FastQuery, Form, Select
from triplewire.algebra.subscriptions import Subscription, language_named
from triplewire.languages.sparql import SparqlLanguage
from triplewire.rdf.terms import XSD, Literal, NamedNode

SPARQL = SparqlLanguage()
X, Y, BLANK = Variable("x"), Variable("y"), Variable("_:b")
P = NamedNode("urn:p")
PATTERNS = (Pattern(X, P, Y), Pattern(BLANK, P, X))
ONE = Literal("01", datatype=XSD["integer"])

TESTS = [
    IntegerTest(Y),
    ComparisonTest(Comparator.AT_MOST, Y, ONE),
    ComparisonTest(Comparator.NOT_EQUAL, ONE, Y),
    ComparisonTest(Comparator.EQUAL, X, Y),
    MembershipTest(Y, (ONE, P)),
    MembershipTest(Y, ()),
    TextTest(TextRelation.ENDS, Y, Literal('"\\\n', language="en")),
    *(TaxonomyTest(relation, X, NamedNode("urn:C")) for relation in TaxonomyRelation),
]
CONDITIONS = [Condition(test, holds) for test in TESTS for holds in (True, False)]
CONSTRAINTS = [
    ALWAYS,
    NEVER,
    *(Constraint(((condition,),)) for condition in CONDITIONS),
    Constraint((tuple(CONDITIONS),)),
    Constraint(tuple((condition,) for condition in CONDITIONS)),
    Constraint(((CONDITIONS[0], CONDITIONS[2]), (CONDITIONS[3],), (CONDITIONS[0],))),
    Constraint(((CONDITIONS[2],), ())),
]


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_a_constraint_is_read_back(constraint: Constraint) -> None:
    query = FastQuery(Ask(), Core(PATTERNS, constraint))
    assert SPARQL.parse(SPARQL.print(query)) == query


@pytest.mark.parametrize("graphs", [(), (X,), (Variable("g"),), (NamedNode("urn:event"), Variable("g"), X)])
@pytest.mark.parametrize("patterns", [(), PATTERNS])
@pytest.mark.parametrize(
    "form", [Select((Y, X)), Select((Y,), distinct=True), Ask(), Construct((Pattern(X, P, BLANK),)), Construct(())]
)
def test_forms_and_graphs_are_read_back(
    form: Form, patterns: tuple[Pattern, ...], graphs: tuple[Variable, ...]
) -> None:
    query = FastQuery(form, Core(patterns, ALWAYS, graphs))
    assert SPARQL.parse(SPARQL.print(query)) == query


def test_a_query_without_variables_projects_none() -> None:
    query = SPARQL.parse("SELECT * { <urn:a> <urn:p> [] }")
    assert isinstance(query, FastQuery)
    assert query.form == Select(())
    assert SPARQL.parse(SPARQL.print(query)) == query


def test_a_blank_node_that_is_tested_gets_a_name_in_sparql() -> None:
    constraint = Constraint(((Condition(ComparisonTest(Comparator.LESS, BLANK, ONE)),),))
    text = SPARQL.print(FastQuery(Select((X,)), Core(PATTERNS, constraint)))
    assert text == (
        "SELECT ?x WHERE { ?x <urn:p> ?y . ?blank_b <urn:p> ?x . "
        'FILTER(?blank_b < "01"^^<http://www.w3.org/2001/XMLSchema#integer>) }'
    )


def test_l_type_z_in_sparql_holds_for_well_formed_integers_only() -> None:
    """L's type Z: `"abc"^^xsd:integer` is none, `1.0` is none, `"1"^^xsd:byte` is one."""
    query = FastQuery(Select((Y,)), Core((Pattern(X, P, Y),), Constraint(((Condition(IntegerTest(Y)),),))))
    values = [
        Literal("5", datatype=XSD["integer"]),
        Literal("1", datatype=XSD["byte"]),
        Literal("abc", datatype=XSD["integer"]),
        Literal("1.0", datatype=XSD["decimal"]),
        Literal("5"),
        P,
    ]
    store = Store()
    store.extend(Quad(P, P, value) for value in values)
    found = store.query(SPARQL.print(query))
    assert {row["y"].value for row in found} == {"5", "1"}  # type: ignore[union-attr]


def test_the_language_is_registered() -> None:
    assert language_named("sparql").suffix == ".rq"
    subscription = Subscription.parse("ask { ?s a <urn:C> }")
    assert subscription.lane == "fast"
    assert str(subscription) == "ASK { ?s <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:C> . }"
