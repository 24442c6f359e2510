"""Regions: in each dimension a union of intervals. All boxes that they make together are what a step asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from math import prod

from triplewire.network.can.geometry.space import Box, Point
from triplewire.network.queries.bounds.intervals import Intervals

Region = tuple[Intervals, ...]
"""Graph, subject, predicate, object."""


def points_in(points: Iterable[Point], region: Region) -> Iterator[Point]:
    """Those of some points that lie in a region."""
    narrow = [(at, side) for at, side in enumerate(region) if not side.is_everything]
    return (point for point in points if all(point[at] in side for at, side in narrow)) if narrow else iter(points)


def simplified(region: Region, most: int) -> Region:
    """A region of at most so many boxes: the longest unions become the interval that encloses them."""
    sides = list(region)
    while prod(map(len, sides)) > most:
        longest = max(range(len(sides)), key=lambda at: len(sides[at]))
        sides[longest] = sides[longest].hull
    return tuple(sides)


def boxes_of(region: Region) -> list[Box]:
    """The boxes of a region; no two of them overlap."""
    return [Box(*sides) for sides in product(*(side.parts for side in region))]


def hull_of(region: Region) -> Box | None:
    """The box around a region; None if nothing is in it."""
    return Box(*(side.hull.parts[0] for side in region)) if all(side.parts for side in region) else None
