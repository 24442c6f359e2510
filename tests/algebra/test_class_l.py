"""The class L of Chirita et al.: definitions 1 and 2 as a shape."""

from __future__ import annotations

import pytest

from triplewire.algebra.class_l import is_in_class_l
from triplewire.algebra.constraints import ALWAYS, Comparator, ComparisonTest, Condition, Constraint, IntegerTest
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Ask, Core, FastQuery, GeneralQuery, Query, Select
from triplewire.languages.formula.parser import parse_formula
from triplewire.languages.graph.parser import parse_graph
from triplewire.rdf.terms import XSD, Literal, NamedNode

X, Y, Z = (Variable(name) for name in "XYZ")
P = NamedNode("urn:p")
FIVE = Literal("5", datatype=XSD["integer"])


def query_with(*patterns: Pattern, constraint: Constraint = ALWAYS) -> FastQuery:
    return FastQuery(Select((X,), distinct=True), Core(patterns, constraint))


@pytest.mark.parametrize(
    "text",
    [
        "X: t(X, <urn:p>, Y)",
        'X, Y: t(X, <urn:p>, Y) ^ t(X, <urn:q>, "a") ^ t(X, <urn:q>, 5) ^ t(X, <urn:q>, <urn:a>)',
        'X: t(X, <urn:p>, Y) ^ (Y = <urn:a> v Y contains "a" v Y > 5 ^ Y <= 7 v X = <urn:x>)',
    ],
)
def test_formulas_of_definitions_1_and_2_are_in_l(text: str) -> None:
    assert is_in_class_l(parse_formula(text))


@pytest.mark.parametrize(
    "constraint",
    ["Y != 5", "Y != <urn:a>", 'Y = "a"', "Y > 4.2", 'Y < "2004-06-01"^^xsd:date', 'Y contains "a"@en'],
)
def test_our_extensions_are_not(constraint: str) -> None:
    assert not is_in_class_l(parse_formula(f"X: t(X, <urn:p>, Y) ^ (Y = 1 v {constraint})"))


@pytest.mark.parametrize("constant", ["4.2", "true", '"a"@en', '"abc"^^xsd:integer'])
def test_constants_of_other_types_are_not(constant: str) -> None:
    assert not is_in_class_l(parse_formula(f"X: t(X, <urn:p>, {constant})"))


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(query_with(), id="no triple"),
        pytest.param(query_with(Pattern(P, P, X)), id="a constant subject"),
        pytest.param(query_with(Pattern(X, Y, Z)), id="a predicate variable"),
        pytest.param(query_with(Pattern(X, P, Y), Pattern(Y, P, Z)), id="two subjects"),
        pytest.param(query_with(Pattern(X, P, Y), Pattern(X, P, Y)), id="an object variable twice"),
        pytest.param(query_with(Pattern(X, P, X)), id="the subject as object"),
        pytest.param(FastQuery(Select((Z,)), Core((Pattern(X, P, Y),))), id="an unbound projection"),
        pytest.param(FastQuery(Ask(), Core((Pattern(X, P, Y),))), id="ASK"),
        pytest.param(FastQuery(Select((X,)), Core((Pattern(X, P, Y),), ALWAYS, (Z,))), id="GRAPH"),
        pytest.param(GeneralQuery(Select((X,)), (), None, "", "", (X,)), id="the general lane"),
        pytest.param(parse_graph("?x <urn:p> ?y(<= <urn:C>)"), id="a taxonomy"),
        pytest.param(parse_graph("?x <urn:p> ?y(> 5)"), id="a comparison without L's types"),
        pytest.param(
            query_with(Pattern(X, P, Y), constraint=Constraint(((Condition(IntegerTest(Y), False),),))),
            id="a negation",
        ),
        pytest.param(
            query_with(
                Pattern(X, P, Y),
                constraint=Constraint(
                    ((Condition(IntegerTest(Y)),), (Condition(ComparisonTest(Comparator.LESS, Y, FIVE)),))
                ),
            ),
            id="typed in another alternative only",
        ),
    ],
)
def test_other_shapes_are_not(query: Query) -> None:
    assert not is_in_class_l(query)


def test_whether_repeats_are_dropped_makes_no_difference() -> None:
    assert is_in_class_l(FastQuery(Select((X,)), Core((Pattern(X, P, Y),))))
