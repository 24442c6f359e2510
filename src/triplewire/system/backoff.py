"""Exponential backoff with jitter. Pure: failures are counted elsewhere, and chance is handed in."""

from __future__ import annotations

from msgspec import Struct

# Far beyond any longest delay, and far below what a float can hold.
_MOST_DOUBLINGS = 60


class Backoff(Struct, frozen=True):
    """Delays in seconds: the first, doubled with every failure in a row, up to the longest.

    >>> [Backoff(first=1, longest=5).delay(failures) for failures in (1, 2, 3, 4, 5000)]
    [1.0, 2.0, 4.0, 5.0, 5.0]
    """

    first: float
    longest: float

    def delay(self, failures: int, chance: float = 1.0) -> float:
        """How long to wait after that many failures in a row.

        `chance`, from 0 to 1, spreads a delay over its upper half, so that those who failed together do not come back
        together.
        """
        whole = min(self.longest, self.first * 2.0 ** min(failures - 1, _MOST_DOUBLINGS))
        return whole * (0.5 + chance / 2)
