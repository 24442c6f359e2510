"""For random datasets and queries over the whole grammar, the evaluator says what Oxigraph says."""

from __future__ import annotations

from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.views.generating import QueryWriter, World, store_of
from tests.views.oracle import as_multiset, by_oxigraph, is_certain

from triplewire.errors import InputError
from triplewire.evaluation.answers import evaluate
from triplewire.evaluation.datasets import OxigraphDataset
from triplewire.languages.sparql.parsing.parser import parse_query


@settings(max_examples=400)
@given(st.integers(0, 2**40))
def test_the_evaluator_agrees_with_oxigraph(seed: int):
    world = World(Random(seed))
    quads = world.quads()
    text = QueryWriter(world, quads).query()
    try:
        query = parse_query(text)
    except InputError:
        assume(False)
    assume(is_certain(text))
    store = store_of(quads)
    assert as_multiset(evaluate(query, OxigraphDataset(store))) == by_oxigraph(store, text)
