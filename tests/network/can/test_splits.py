"""Where a zone is cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.network.can.shapes import BOXES, POINTS

from triplewire.network.can.geometry.space import SPACE, Box, Dimension, Interval, Point, exactly
from triplewire.network.can.geometry.splits import Split, choose_split


def test_the_dimension_that_balances_best_is_cut_at_the_median():
    points = [(b"<g>", b"<s%d>" % number, b"<p>", b'"%d"' % (number // 3)) for number in range(4)]
    assert choose_split(SPACE, points) == Split(Dimension.SUBJECT, b"<s2")


def test_between_equals_the_dimension_with_fewer_borders_is_cut():
    zone = Box(graph=Interval(b"<g", b"<h"), subject=Interval(b"<s"))
    points = [(b"<g%d>" % number, b"<s%d>" % number, b"<p>", b'"%d"' % number) for number in range(4)]
    assert choose_split(zone, points) == Split(Dimension.OBJECT, b'"2')


def test_equal_values_stay_together():
    points = [(b"", b"<s>", b"<p>", value) for value in (b"1", b"2", b"2", b"2", b"2", b"3", b"3")]
    assert choose_split(SPACE, points) == Split(Dimension.OBJECT, b"3")


def test_without_data_a_zone_is_cut_in_the_middle():
    assert choose_split(SPACE, []) == Split(Dimension.GRAPH, b"\x7f")
    assert choose_split(SPACE, [(b"a", b"b", b"c", b"d")]) == Split(Dimension.GRAPH, b"\x7f")


def test_a_single_point_cannot_be_cut():
    assert choose_split(Box(*map(exactly, (b"g", b"s", b"p", b"o"))), [(b"g", b"s", b"p", b"o")]) is None


@given(BOXES, st.lists(POINTS, max_size=12), POINTS)
def test_halves_are_disjoint_not_empty_and_make_the_zone(zone: Box, points: list[Point], point: Point):
    split = choose_split(zone, [found for found in points if found in zone])
    if split is None:
        assert all(side == exactly(side.lower) for side in zone)
        return
    lower, upper = split.halves(zone)
    assert not lower.is_empty
    assert not upper.is_empty
    assert (point in lower) + (point in upper) == (point in zone)
    assert lower.union(upper) == zone
    assert lower.adjoins(upper)


@given(st.sets(POINTS, min_size=2, max_size=12))
def test_data_at_more_than_one_point_is_parted(points: set[Point]):
    split = choose_split(SPACE, sorted(points))
    assert split is not None
    lower, _ = split.halves(SPACE)
    assert 0 < sum(point in lower for point in points) < len(points)
