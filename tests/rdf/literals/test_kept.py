"""Literals as Oxigraph's store keeps them, also where that is known without asking it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Quad, Store

from triplewire.rdf.literals.kept import as_kept
from triplewire.rdf.terms import RDF, XSD, Literal


def by_the_store(literal: Literal) -> Literal:
    store = Store()
    store.add(Quad(RDF["value"], RDF["value"], literal))
    [quad] = store
    return quad.object


@pytest.mark.parametrize("datatype", ["integer", "int", "decimal", "boolean", "string"])
@pytest.mark.parametrize(
    "text",
    [
        "0",
        "-0",
        "+1",
        "00",
        "01",
        "-1",
        "-01",
        "1\n",
        " 1",
        "",
        "-",
        "1.0",
        "9" * 18,
        "9" * 19,
        "9" * 40,
        "-" + "9" * 18,
    ],
)
def test_numbers(text: str, datatype: str):
    literal = Literal(text, datatype=XSD[datatype])
    assert as_kept(literal) == by_the_store(literal)


@given(st.integers(-(2**80), 2**80))
def test_integers_of_any_size(value: int):
    literal = Literal(str(value), datatype=XSD["integer"])
    assert as_kept(literal) == by_the_store(literal)
