"""Datasets: after a change, before it, both at once."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st
from tests.views.generating import World, store_of

from triplewire.evaluation.datasets import DEFAULT_GRAPH, Dataset, OxigraphDataset
from triplewire.rdf.terms import NamedNode, Quad
from triplewire.views.graphs import Before, Either, QuadSet, Remembered


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


@given(st.integers(0, 2**40))
def test_what_is_remembered_is_what_is_there(seed: int):
    world = World(Random(seed))
    store, like = OxigraphDataset(store_of(world.quads(60))), world.quad()
    remembered = Remembered(store)
    assert set(remembered.named_graphs()) == set(store.named_graphs())
    for mask in (*range(16), *range(16)):
        terms = [term if mask >> place & 1 else None for place, term in enumerate(like)]
        assert sorted(map(str, remembered.match(*terms))) == sorted(map(str, store.match(*terms)))


def test_small_answers_are_remembered_and_large_ones_are_read_as_they_are_wanted():
    read: list[int] = []

    class Counted:
        def match(self, subject, predicate, obj, graph):
            for number in range(3 if subject is not None else 1_000):
                read.append(number)
                yield Quad(NamedNode(f"urn:s{number}"), NamedNode("urn:p"), NamedNode("urn:o"))

        def named_graphs(self):
            return ()

    remembered = Remembered(Counted())
    one = NamedNode("urn:s")
    assert list(remembered.match(one, None, None, DEFAULT_GRAPH)) == list(
        remembered.match(one, None, None, DEFAULT_GRAPH)
    )
    assert len(read) == 3
    next(iter(remembered.match(None, None, None, DEFAULT_GRAPH)))
    assert len(read) < 100
    assert len(list(remembered.match(None, None, None, DEFAULT_GRAPH))) == 1_000
