"""Boxes: what touches what, and cutting them apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.network.can.shapes import BOUNDS, BOXES, POINTS, VALUES

from triplewire.network.can.geometry.coordinates import coordinate, iri_prefix
from triplewire.network.can.geometry.space import (
    SPACE,
    Box,
    Dimension,
    Interval,
    Point,
    between,
    bounds_of,
    bounds_of_point,
    exactly,
    point_of,
    starting_with,
)
from triplewire.rdf.terms import Literal, NamedNode, Quad


def _node(name: str) -> NamedNode:
    return NamedNode(f"http://example.org/{name}")


def test_a_quadruple_is_a_point():
    quad = Quad(_node("s"), _node("p"), Literal("o"), _node("g"))
    assert point_of(quad) == tuple(map(coordinate, (_node("g"), _node("s"), _node("p"), Literal("o"))))


def test_the_space_begins_at_the_empty_string_and_has_no_end():
    assert SPACE.lower == (b"", b"", b"", b"")
    assert (b"", b"", b"", b"") in SPACE
    assert (b"\xff" * 50,) * 4 in SPACE


def test_a_zone_is_touched_by_constants_prefixes_and_ranges():
    zone = Box(subject=Interval(b"<http://example.org/m"))
    assert zone.touches(bounds_of(subject=exactly(b"<http://example.org/x>")))
    assert not zone.touches(bounds_of(subject=exactly(b"<http://example.org/a>")))
    assert zone.touches(bounds_of(subject=starting_with(iri_prefix("http://example.org/"))))
    assert not zone.touches(bounds_of(subject=starting_with(iri_prefix("ftp:"))))
    assert zone.touches(bounds_of(subject=between(b"<a", b"<http://example.org/m")))
    assert not zone.touches(bounds_of(subject=between(b"<a", b"<http://example.org/l")))
    assert zone.touches(bounds_of(object=exactly(b'"5"')))


@given(BOXES, BOUNDS, POINTS)
def test_a_zone_with_a_matching_point_is_touched(zone: Box, bounds: Box, point: Point):
    if point in zone and point in bounds:
        assert zone.touches(bounds)
    assert (point in zone) == zone.touches(bounds_of_point(point))


@given(BOXES, BOUNDS)
def test_what_touches_shares_the_lower_corner_of_the_intersection(zone: Box, bounds: Box):
    shared = zone.intersection(bounds)
    assert zone.touches(bounds) == (not shared.is_empty)
    assert shared.is_empty or (shared.lower in zone and shared.lower in bounds)


@given(VALUES, VALUES, VALUES)
def test_sides_of_a_pattern_hold_what_they_say(one: bytes, other: bytes, value: bytes):
    assert (value in exactly(one)) == (value == one)
    assert (value in starting_with(one)) == value.startswith(one)
    assert (value in between(one, other)) == (one <= value <= other)


@given(BOXES, BOXES, POINTS)
def test_pieces_without_a_box_are_disjoint_and_all_there_is(zone: Box, hole: Box, point: Point):
    pieces = zone.without(hole)
    assert sum(point in piece for piece in pieces) == (point in zone and point not in hole)
    assert not any(piece.is_empty for piece in pieces)


@given(BOXES, BOXES)
def test_boxes_that_share_a_face_adjoin_each_other_and_share_no_point(one: Box, other: Box):
    assert one.adjoins(other) == other.adjoins(one)
    if one.adjoins(other):
        assert not one.touches(other)


@given(BOXES, BOXES, POINTS, st.sampled_from(Dimension))
def test_a_union_is_exactly_both(one: Box, other: Box, point: Point, dimension: Dimension):
    other = one.with_side(dimension, other[dimension])
    union = one.union(other)
    if union is not None:
        assert (point in union) == (point in one or point in other)
        assert not one.touches(other)
    assert (union is not None) == one.adjoins(other)
