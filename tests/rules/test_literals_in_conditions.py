"""Literals in conditions: one value is one node, however it is written, in data, conditions and translation alike."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import QueryBoolean
from tests.rules.family import EX

from triplewire.languages.rdftl import condition_query, parse_rule, parse_updates
from triplewire.languages.rdftl.syntax import (
    Compared,
    Comparison,
    Component,
    Condition,
    Delta,
    Exists,
    Not,
    Path,
    Resource,
    Target,
    Where,
)
from triplewire.rdf.terms import XSD, Literal, Triple
from triplewire.rules.analysis import Analysis
from triplewire.rules.execution import Rulebook, Runner
from triplewire.rules.literals import as_kept
from triplewire.rules.name_resolution import resolved
from triplewire.rules.paths import Evaluation
from triplewire.rules.repository import Repository
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE

THINGS = Schema.parse("""
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix ex: <http://example.org/> .
ex:Thing a rdfs:Class .
ex:value rdfs:domain ex:Thing ; rdfs:range rdfs:Literal .
ex:price rdfs:domain ex:Thing ; rdfs:range xsd:decimal .
ex:count rdfs:domain ex:Thing ; rdfs:range xsd:int .
ex:seen rdfs:domain ex:Thing ; rdfs:range xsd:string .
""")
NAMESPACE = "USING NAMESPACE ex http://example.org/\nUSING NAMESPACE xsd http://www.w3.org/2001/XMLSchema#\n"

# One value a line, as it may be written.
WRITTEN = {
    "decimal": ("9.5 9.50 09.5 +9.5", "10 10.0 10.", "0 0.0 -0.0", "-9.5 -9.50"),
    "integer": ("10 010 +10", "0 -0 00", "-10 -010"),
    "int": ("10 010", "0"),
    "double": ("9.5 9.50 9.5E0 95e-1", "10 1.0E1 1e1", "0 0.0", "-0.0 -0", "NaN", "INF +INF"),
    "float": ("9.5 9.50", "10 1e1", "0", "-0.0"),
    "boolean": ("true 1", "false 0"),
    "dateTime": (
        "2004-06-01T00:00:00Z 2004-06-01T00:00:00+00:00 2004-06-01T00:00:00.0Z 2004-05-31T24:00:00Z",
        "2004-06-01T02:00:00+02:00 2004-06-01T02:00:00.00+02:00",
        "2004-06-01T00:00:00 2004-06-01T00:00:00.000",
    ),
    "date": ("2004-06-01Z 2004-06-01+00:00", "2004-06-01", "2004-06-01+02:00"),
    "string": ("9.50", "9.5", "true", "a"),
}
ODD = [
    Literal("a", language="de"),
    Literal("a", language="DE"),
    Literal("a", language="en"),
    Literal("x", datatype=XSD["decimal"]),
    Literal("9.50", datatype=EX["money"]),
    Literal("9.5", datatype=EX["money"]),
]
LITERALS = [
    Literal(text, datatype=XSD[datatype])
    for datatype, values in WRITTEN.items()
    for value in values
    for text in value.split()
] + ODD
literals = st.sampled_from(LITERALS)
decimals = st.builds(
    lambda number, zeros: Literal(f"{number}{'0' * zeros}", datatype=XSD["decimal"]),
    st.decimals(-1000, 1000, places=2),
    st.integers(0, 3),
)
some_literals = st.one_of(literals, literals, decimals)

_INTEGERS = {XSD["integer"], XSD["int"]}
_FLOATS = {XSD["double"], XSD["float"]}
_MIDNIGHT = re.compile(r"2004-05-31T24:00:00")
_FRACTION = re.compile(r"\.0+(?=[Z+]|$)")


def identity(literal: Literal) -> Hashable:
    """What two literals have in common that are one node: datatype and value; of dates, the zone as well."""
    text, datatype = literal.value, literal.datatype
    if literal.language:
        return literal.language.lower(), text
    if datatype in _INTEGERS:
        return XSD["integer"], int(text)
    if datatype == XSD["decimal"]:
        return datatype, text if text == "x" else Decimal(text)
    if datatype in _FLOATS:
        number = float(text)
        return datatype, math.isnan(number) or number, math.copysign(1, number)
    if datatype == XSD["boolean"]:
        return datatype, text in ("true", "1")
    if datatype in (XSD["date"], XSD["dateTime"]):
        plain = _FRACTION.sub("", _MIDNIGHT.sub("2004-06-01T00:00:00", text))
        return datatype, plain.replace("+00:00", "Z")
    return datatype, text


def repository(*values: Literal) -> Repository:
    made = Repository(THINGS)
    made.load([Triple(EX["a"], TYPE, EX["Thing"]), *(Triple(EX["a"], EX["value"], value) for value in values)])
    return made


VALUE = Path(Resource(EX["a"]), (Target(EX["value"]),))
RELATIVE = Path(None, (Target(EX["value"]),))


def shapes(comparison: Comparison, literal: Literal) -> list[Condition]:
    """Whether some value compares so with the literal, asked in several ways."""
    here = Compared(RELATIVE, comparison, literal)
    return [
        Compared(VALUE, comparison, literal),
        Exists(Path(Resource(), (Where(here),))),
        Exists(Path(Resource(), (Where(Not(Not(here))),))),
        Exists(Path(Resource(EX["a"]), (Where(here), Target(EX["value"])))),
        Exists(Path(Resource(EX["a"]), (Target(EX["value"]), Where(Compared(Path(None), comparison, literal))))),
    ]


@settings(max_examples=500)
@given(st.lists(some_literals, max_size=3), st.sampled_from(Comparison), some_literals)
def test_a_literal_is_compared_by_what_is_kept_of_it(
    values: list[Literal], comparison: Comparison, literal: Literal
) -> None:
    graph = repository(*values)
    same = [identity(value) == identity(literal) for value in values]
    expected = any(same) if comparison is Comparison.EQUAL else not all(same)
    for condition in shapes(comparison, literal):
        answer = graph.store.query(condition_query(condition))
        assert isinstance(answer, QueryBoolean)
        assert (graph.holds(condition), bool(answer)) == (expected, expected), condition


@given(some_literals, st.sampled_from(Comparison), some_literals)
def test_delta_is_compared_like_any_other_node(found: Literal, comparison: Comparison, literal: Literal) -> None:
    delta = {Component.TARGET: as_kept(found)}
    condition = Compared(Path(Delta(Component.TARGET)), comparison, literal)
    graph = repository()
    expected = (identity(found) == identity(literal)) is (comparison is Comparison.EQUAL)
    answer = graph.store.query(condition_query(condition, (), delta))
    assert (Evaluation(graph, (), delta).holds(condition), bool(answer)) == (expected, expected)


@given(some_literals, some_literals)
def test_two_literals_are_kept_as_one_where_they_are_one_value(one: Literal, other: Literal) -> None:
    assert (as_kept(one) == as_kept(other)) == (identity(one) == identity(other))


@pytest.mark.parametrize("written", ["9.50", "9.5", "'9.500'^^xsd:decimal"])
@pytest.mark.parametrize(("comparison", "fires"), [("=", True), ("!=", False)])
def test_a_rule_compares_a_price_by_value(written: str, comparison: str, fires: bool) -> None:
    graph = repository()
    text = f"{NAMESPACE}ON INSERT (_, ex:price, _) IF $delta/target(ex:price) {comparison} {written}"
    rules = Rulebook(THINGS, [parse_rule(f"{text} DO INSERT ($delta, ex:seen, 'yes')", id="r")])
    outcome = Runner(graph, rules).run(
        parse_updates(f"{NAMESPACE}INSERT (resource(http://example.org/a), ex:price, 9.50);;")
    )
    assert bool(outcome.firings) is fires


def test_the_analysis_knows_that_one_literal_may_be_of_several_datatypes() -> None:
    """`5` is an xsd:integer as written, and what ex:count holds is an xsd:int that is kept as one."""
    counting = parse_rule(f"{NAMESPACE}ON INSERT (_, ex:count, _) IF True DO INSERT ($delta, ex:seen, 'y')", id="count")
    erasing = parse_rule(f"{NAMESPACE}ON INSERT (_, ex:seen, _) IF True DO DELETE (_, _, 5)", id="erase")
    adding = parse_rule(f"{NAMESPACE}ON INSERT (_, ex:seen, _) IF True DO INSERT ($delta, ex:count, 5)", id="add")
    rules = [resolved(rule, THINGS) for rule in (counting, erasing, adding)]
    assert not Analysis(rules, THINGS).commutes("erase", "add").holds
