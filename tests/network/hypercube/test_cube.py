"""The numbers of HyperCuP for every N: each super-peer once, N-1 messages, ceil(log2 N) hops, from every root."""

from __future__ import annotations

from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire.network.hypercube.cube import Cube

SIZES = range(1, 201)
cubes = st.integers(min_value=2, max_value=5_000).map(Cube)


def broadcast(cube: Cube, root: int) -> dict[int, int]:
    """Who is reached in how many hops; fails if anybody is reached twice."""
    hops = {root: 0}
    waiting = [(root, -1)]
    for place, dimension in waiting:
        for higher, other in cube.onward(place, dimension):
            assert other not in hops, f"{other} is reached twice from {root} in a cube of {cube.size}"
            hops[other] = hops[place] + 1
            waiting.append((other, higher))
    return hops


@pytest.mark.parametrize("size", SIZES)
def test_a_broadcast_reaches_everybody_once_from_every_root(size: int) -> None:
    cube = Cube(size)
    for root in range(size):
        hops = broadcast(cube, root)
        assert set(hops) == set(range(size))
        assert max(hops.values()) <= (ceil(log2(size)) if size > 1 else 0)


@pytest.mark.parametrize("size", SIZES)
def test_labels_are_a_complete_prefix_code(size: int) -> None:
    labels = [Cube(size).label(place) for place in range(size)]
    assert sum(2.0 ** -len(label) for label in labels) == 1
    assert not any(a != b and b.startswith(a) for a in labels for b in labels)
    assert max(map(len, labels)) - min(map(len, labels)) <= 1


@given(cubes, st.data())
def test_a_dimension_is_where_labels_first_differ(cube: Cube, data: st.DataObject) -> None:
    place, other = data.draw(st.lists(st.integers(0, cube.size - 1), min_size=2, max_size=2, unique=True))
    first = next(i for i, (a, b) in enumerate(zip(cube.label(place), cube.label(other), strict=False)) if a != b)
    assert cube.dimension(place, other) == cube.dimension(other, place) == first


@given(cubes, st.data())
def test_a_chosen_neighbour_knows_who_has_chosen_it(cube: Cube, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, cube.size - 1))
    for dimension, other in enumerate(cube.neighbours(place)):
        assert cube.dimension(place, other) == dimension
        assert (place, dimension) in set(cube.choosers(other))
    for chooser, dimension in cube.choosers(place):
        assert cube.neighbour(chooser, dimension) == place


@given(cubes, st.data())
def test_the_way_back_is_the_way_there(cube: Cube, data: st.DataObject) -> None:
    """From every origin the paths of subscriptions form a tree: a second place on one has the rest of it in common."""
    place, other = data.draw(st.lists(st.integers(0, cube.size - 1), min_size=2, max_size=2, unique=True))
    dimensions = []
    while place != other:
        dimensions.append(cube.dimension(place, other))
        place = cube.next_towards(place, other)
    assert dimensions == sorted(set(dimensions))
    assert len(dimensions) <= ceil(log2(cube.size))


@given(cubes)
def test_a_newcomer_changes_nobody_elses_dimensions_but_the_split_one(cube: Cube) -> None:
    larger = Cube(cube.size + 1)
    changed = [place for place in range(cube.size) if cube.label(place) != larger.label(place)]
    assert len(changed) == 1
    assert larger.neighbour(cube.size, larger.dimensions(cube.size) - 1) == changed[0]
