"""Splits: where a zone is cut in two when a newcomer joins.

The cut is at the median of the data, in the dimension in which that balances best. A dimension in which the data cannot
be parted is out; where no dimension parts it, because there is none or all of it is at one point, the cut is at the
midpoint of the borders. Between equals the dimension with fewer borders wins, so that zones do not become slices.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from msgspec import Struct

from triplewire.network.can.geometry.coordinates import midpoint, separator
from triplewire.network.can.geometry.space import Dimension, Interval, Point, Zone


class Split(Struct, frozen=True, array_like=True):
    """A cut: what is below the border in that dimension is the lower half, the rest the upper."""

    dimension: Dimension
    border: bytes

    def halves(self, zone: Zone) -> tuple[Zone, Zone]:
        """The lower and the upper half of a zone, which must have the border strictly inside."""
        side = zone[self.dimension]
        return (
            zone.with_side(self.dimension, Interval(side.lower, self.border)),
            zone.with_side(self.dimension, Interval(self.border, side.upper)),
        )


def choose_split(zone: Zone, points: Sequence[Point]) -> Split | None:
    """Where to split a zone with these points in it; None if the zone is a single point."""
    return _at_median(zone, points) or _at_middle(zone)


def _at_median(zone: Zone, points: Sequence[Point]) -> Split | None:
    found = []
    for dimension in Dimension:
        values = sorted(point[dimension] for point in points)
        cut = _median_cut(values)
        if cut is not None:
            split = Split(dimension, separator(values[cut - 1], values[cut]))
            found.append((abs(len(values) - 2 * cut), zone[dimension].bounds, dimension, split))
    return min(found)[-1] if found else None


def _median_cut(values: Sequence[bytes]) -> int | None:
    """How many values are below the border that balances best; None if all values are equal."""
    if not values or values[0] == values[-1]:
        return None
    middle = values[len(values) // 2]
    # Equal values stay together: the border is just below or just above those in the middle.
    first = bisect_left(values, middle)
    after = bisect_left(values, middle + b"\0")
    return min((cut for cut in (first, after) if 0 < cut < len(values)), key=lambda cut: abs(len(values) - 2 * cut))


def _at_middle(zone: Zone) -> Split | None:
    for dimension in sorted(Dimension, key=lambda at: zone[at].bounds):
        border = midpoint(zone[dimension].lower, zone[dimension].upper)
        if border is not None:
            return Split(dimension, border)
    return None
