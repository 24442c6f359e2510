"""Parse, print, parse: the same query. For generated text in each language, and from each language into SPARQL."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import triplewire.languages  # noqa: F401  makes the languages known
from triplewire.algebra.queries import FastQuery, GeneralQuery
from triplewire.algebra.subscriptions import language_named
from triplewire.testing import workloads
from triplewire.testing.strategies import canonical_events, events, fast_sparql, formulas, general_sparql, graphs

MANY = settings().max_examples > 100


def check_round_trip(language: str, text: str) -> None:
    spoken = language_named(language)
    query = spoken.parse(text)
    printed = spoken.print(query)
    assert spoken.parse(printed) == query, f"{text}\nwas printed as\n{printed}"
    assert spoken.print(spoken.parse(printed)) == printed


@settings(max_examples=1500 if MANY else 150)
@given(events(), st.data())
def test_fast_sparql(event, data):
    text = data.draw(fast_sparql(event.triples))
    check_round_trip("sparql", text)


@settings(max_examples=800 if MANY else 80)
@given(canonical_events(), st.data())
def test_general_sparql(event, data):
    text = data.draw(general_sparql(event.triples))
    assert isinstance(language_named("sparql").parse(text), FastQuery | GeneralQuery)
    check_round_trip("sparql", text)


@settings(max_examples=1500 if MANY else 150)
@given(events(), st.data())
def test_formulas(event, data):
    check_round_trip("formula", data.draw(formulas(event.triples)))


def test_a_conjunction_that_distributes_into_the_same_alternative_twice():
    check_round_trip(
        "formula", 'S: t(S, <urn:p>, O) ^ (S = <urn:a> v O contains "x" ^ O = 0) ^ (O contains "x" v O = 0)'
    )


@settings(max_examples=1500 if MANY else 150)
@given(events(), st.data())
def test_graphs(event, data):
    check_round_trip("graph", data.draw(graphs(event.triples)))


@settings(max_examples=800 if MANY else 80)
@given(events(), st.data())
def test_every_formula_and_graph_is_also_sparql(event, data):
    language = data.draw(st.sampled_from(("formula", "graph")))
    text = data.draw((formulas if language == "formula" else graphs)(event.triples))
    query = language_named(language).parse(text)
    printed = language_named("sparql").print(query)
    assert language_named("sparql").parse(printed) == query, printed


@pytest.mark.parametrize("name", ["mixed", "ranges", "library", "gtopss", "taxonomy", "substrings", "graphs"])
def test_workloads(name):
    for row in getattr(workloads, name)(60, 0, seed=3).rows():
        check_round_trip(row.language, row.text)
