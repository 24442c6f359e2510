"""Greedy routing to a point, by comparisons only: the order of terms has no distances.

A zone is closer to a point than another if it is at least as close in every dimension, on the same side, and closer in
one. Of the zones that adjoin one which does not contain the point, at least one is closer: go to the border nearest to
the point, in all dimensions, and cross it in one. Every hop is to a closer zone than the last, and a message carries
the last. So it never comes to the same zone twice, also where tables are stale, and a route has fewer hops than there
are zones. Where nobody closer is known, because tables are stale, the message is dropped, and its origin repeats it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from triplewire.network.can.geometry.space import Box, Interval, Point, Zone

T = TypeVar("T")


def is_closer(zone: Zone, other: Zone, point: Point) -> bool:
    """Whether a zone is closer to a point than another."""
    comparisons = [_compare(mine, theirs, value) for mine, theirs, value in zip(zone, other, point, strict=True)]
    return None not in comparisons and any(comparisons)


def next_zone(position: Zone, point: Point, zones: Iterable[tuple[Zone, T]]) -> tuple[Zone, T] | None:
    """The zone to go to from a position: a closer one, and of those one that is right in most dimensions."""
    closer = [found for found in zones if is_closer(found[0], position, point)]
    return max(closer, key=lambda found: (_reached(found[0], point), found[0].lower), default=None)


def _reached(zone: Box, point: Point) -> int:
    return sum(value in side for value, side in zip(point, zone, strict=True))


def _compare(side: Interval, other: Interval, value: bytes) -> bool | None:
    """Whether the first is closer to a value than the second; None if it is farther away or on the other side."""
    if value in side:
        return value not in other
    if value < side.lower:
        return side.lower < other.lower if value < other.lower and side.lower <= other.lower else None
    if other.upper is None or side.upper is None or other.upper > value or side.upper < other.upper:
        return None
    return side.upper > other.upper
