"""Greedy routing over tilings in which everybody knows its neighbours, and over stale ones."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.network.can.shapes import BOXES, POINTS
from tests.network.can.tilings import random_tiling, tilings

from triplewire.network.can.geometry.space import Box, Point
from triplewire.network.can.messaging.routing import is_closer, next_zone


def _route(zones: list[Box], start: Box, point: Point) -> list[Box]:
    """The zones on the way, the first among them."""
    path = [start]
    while point not in path[-1]:
        found = next_zone(path[-1], point, [(zone, None) for zone in zones if zone.adjoins(path[-1])])
        assert found is not None, "a neighbour is closer"
        path.append(found[0])
    return path


@given(tilings(), POINTS, st.randoms(use_true_random=False))
def test_a_route_arrives_and_comes_to_no_zone_twice(zones: list[Box], point: Point, rng: Random):
    path = _route(zones, rng.choice(zones), point)
    assert len(set(path)) == len(path)


@pytest.mark.parametrize("size", [16, 64, 256])
def test_routes_are_short(size: int):
    """At most twice what a regular grid of four dimensions would need from corner to corner."""
    rng = Random(size)
    zones = random_tiling(size, seed=size)
    longest = 0
    for _ in range(40):
        target = rng.choice(zones).lower
        longest = max(longest, len(_route(zones, rng.choice(zones), target)) - 1)
    assert longest <= 2 * 4 * (size**0.25)


@given(BOXES, BOXES, BOXES, POINTS)
def test_closer_is_a_strict_order_so_that_stale_tables_make_no_loop(one: Box, two: Box, three: Box, point: Point):
    assert not is_closer(one, one, point)
    if is_closer(one, two, point):
        assert not is_closer(two, one, point)
        if is_closer(two, three, point):
            assert is_closer(one, three, point)
