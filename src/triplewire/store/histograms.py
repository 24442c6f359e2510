"""How long something takes, counted in buckets, as Prometheus wants it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate

# Upper bounds in seconds, from a fast solid-state disk to one that hangs.
BOUNDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


class Histogram:
    """Counts by upper bound.

    >>> histogram = Histogram()
    >>> for seconds in (0.0001, 0.003, 99.0): histogram.note(seconds)
    >>> [(bound, count) for bound, count in histogram.cumulative() if count != 1]
    [('0.005', 2), ('0.01', 2), ('0.025', 2), ('0.05', 2), ('0.1', 2), ('0.25', 2), ('0.5', 2), ('1.0', 2), \
('2.5', 2), ('+Inf', 3)]
    """

    def __init__(self) -> None:
        self._counts = [0] * (len(BOUNDS) + 1)
        self.sum = 0.0

    def note(self, seconds: float) -> None:
        """Count one."""
        self._counts[bisect_left(BOUNDS, seconds)] += 1
        self.sum += seconds

    @property
    def count(self) -> int:
        return sum(self._counts)

    def cumulative(self) -> Iterator[tuple[str, int]]:
        """How many took at most so long, for each bound."""
        return zip((*map(str, BOUNDS), "+Inf"), accumulate(self._counts), strict=True)
