"""Counts: how many quadruples the boxes have that are asked for again and again.

A count is kept from the first question on and follows every change. It is in memory only: the first question after
a start counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from triplewire.store.space.regions import Point, Region, encloses, touches

# Zones come and go; the boxes that were asked for last are the ones that are asked for again.
_MOST = 64


class Counts:
    """Counts by region, those that were asked for last at the end."""

    def __init__(self, counted: Callable[[Region], int]) -> None:
        self._counted = counted
        self._counts: dict[Region, int] = {}

    def of(self, region: Region) -> int:
        count = self._counts.pop(region, None)
        if count is None:
            count = self._counted(region)
            if len(self._counts) == _MOST:
                del self._counts[next(iter(self._counts))]
        self._counts[region] = count
        return count

    def added(self, points: Sequence[Point]) -> None:
        for region in self._counts:
            self._counts[region] += _within(region, points)

    def removed(self, region: Region, count: int) -> None:
        """What was in a region is gone. A count that this changes in part is taken anew when it is asked for."""
        for counted in list(self._counts):
            if encloses(counted, region):
                self._counts[counted] -= count
            elif encloses(region, counted):
                self._counts[counted] = 0
            elif touches(counted, region):
                del self._counts[counted]


def _within(region: Region, points: Sequence[Point]) -> int:
    """How many points are in there, one dimension after the other: most sides of most boxes are open."""
    for at, (lower, upper) in enumerate(region):
        if upper is not None:
            points = [point for point in points if lower <= point[at] < upper]
        elif lower:
            points = [point for point in points if lower <= point[at]]
    return len(points)
