"""Round trips: how long receipts take at present. A message is not repeated while its receipt may just be late.

Under load a receipt waits for the commits of others, and so for more than the usual pause. To repeat everything
then would add to the load, and make receipts later still.
"""

from __future__ import annotations

# The weight of the latest in the mean, and how many means a receipt may take.
_WEIGHT = 1 / 16
_MEANS = 2.0
# A node that fails delays receipts, too, and must not delay the repeats of later messages for long.
_MOST_PAUSES = 4.0


class RoundTrips:
    """A moving mean of the seconds from a message to its receipt, repeats included. `pause` is the usual one."""

    def __init__(self, pause: float) -> None:
        self._most = _MOST_PAUSES * pause
        self._mean = 0.0

    def took(self, seconds: float) -> None:
        """
        >>> trips = RoundTrips(1.0)
        >>> for _ in range(100):
        ...     trips.took(1.5)
        >>> round(trips.patience, 1)
        3.0
        """
        self._mean += _WEIGHT * (min(seconds, self._most) - self._mean)

    @property
    def patience(self) -> float:
        """How long to wait for a receipt at least, in seconds."""
        return min(_MEANS * self._mean, self._most)
