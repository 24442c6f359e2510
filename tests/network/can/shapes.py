"""Strategies for the shapes of the space."""

from __future__ import annotations

from hypothesis import strategies as st

from triplewire.network.can.geometry.space import Bounds, Box, Interval, Point, between, exactly, starting_with

# Few letters, the extreme bytes among them, so that borders meet and values repeat.
VALUES = st.lists(st.sampled_from([b"\0", b"a", b"b", b"\x7f", b"\xfe", b"\xff"]), max_size=4).map(b"".join)
POINTS = st.tuples(VALUES, VALUES, VALUES, VALUES)


def _interval(lower: bytes, upper: bytes | None) -> Interval:
    return Interval(lower, upper) if upper is None or lower < upper else Interval(upper, lower + b"\0")


INTERVALS = st.builds(_interval, VALUES, st.none() | VALUES)
PATTERN_SIDES = st.one_of(
    st.just(Interval()), VALUES.map(exactly), VALUES.map(starting_with), st.builds(between, VALUES, st.none() | VALUES)
)
BOXES = st.builds(Box, INTERVALS, INTERVALS, INTERVALS, INTERVALS)
BOUNDS: st.SearchStrategy[Bounds] = st.builds(Box, PATTERN_SIDES, PATTERN_SIDES, PATTERN_SIDES, PATTERN_SIDES)


def owners(zones: dict[str, list[Box]], point: Point) -> list[str]:
    """The owners of all zones that a point is in."""
    return [owner for owner, parts in zones.items() for part in parts if point in part]
