"""Zones as the overlay would have cut them: the fullest zone is split for each newcomer, at the median of its data.

With hundreds of nodes joins would take longer than all that is measured, so simulated spaces begin with their zones.
Where a zone is cut is decided by the overlay's own `choose_split`, on a sample of the workload.
"""

from __future__ import annotations

import heapq
from itertools import count

from triplewire.network.can.geometry.space import SPACE, Point, Zone
from triplewire.network.can.geometry.splits import choose_split


def tiling(nodes: int, sample: list[Point]) -> list[Zone]:
    """As many zones as nodes, with about as much of the sample in each."""
    order = count()
    # The fullest first, and of equals the oldest.
    zones: list[tuple[int, int, Zone, list[Point]]] = [(-len(sample), next(order), SPACE, sample)]
    while len(zones) < nodes:
        _, _, zone, points = heapq.heappop(zones)
        split = choose_split(zone, points)
        if split is None:
            raise ValueError(f"wanted {nodes} zones, found one that is a single point: {zone}")
        for half in split.halves(zone):
            inside = [point for point in points if point in half]
            heapq.heappush(zones, (-len(inside), next(order), half, inside))
    return [zone for _, _, zone, _ in sorted(zones, key=lambda entry: entry[1])]
