"""Datasets: after a change, before it, both at once."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st
from tests.views.generating import World, store_of

from triplewire.views.graphs import DEFAULT_GRAPH, Before, Dataset, Either, OxigraphDataset, QuadSet


def quads_of(dataset: Dataset) -> list[str]:
    everywhere = [*dataset.match(None, None, None, DEFAULT_GRAPH), *dataset.match(None, None, None, None)]
    return sorted(map(str, everywhere))


@given(st.integers(0, 2**40))
def test_the_state_before_a_change_is_seen_from_the_state_after_it(seed: int):
    world = World(Random(seed))
    quads = world.quads(60)
    added, removed = world.change(quads)
    after = OxigraphDataset(store_of((quads - removed) | added))
    before = Before(after, QuadSet(added), QuadSet(removed))
    assert quads_of(before) == sorted(map(str, quads))
    assert set(before.named_graphs()) == set(OxigraphDataset(store_of(quads)).named_graphs())
    assert quads_of(Either(after, QuadSet(removed))) == sorted(map(str, quads | added))


@given(st.integers(0, 2**40))
def test_a_set_of_quads_matches_as_a_store_does(seed: int):
    world = World(Random(seed))
    quads, like = world.quads(60), world.quad()
    few, store = QuadSet(quads), OxigraphDataset(store_of(quads))
    for mask in range(16):
        terms = [term if mask >> place & 1 else None for place, term in enumerate(like)]
        assert sorted(map(str, few.match(*terms))) == sorted(map(str, store.match(*terms)))
