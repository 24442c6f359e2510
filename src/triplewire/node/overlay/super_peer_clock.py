"""The monotonic clock of a super-peer, which does not count suspensions of the process.

It advances by a second at most from one reading to the next. A process that was suspended, or starved, has missed the
acknowledgements of others because it did not read: by this clock they were not late, and what has arrived meanwhile is
read before a neighbour is suspected. It is monotonic whatever the system's date does (row F8).
"""

from __future__ import annotations

import time
from collections.abc import Callable

_MOST = 1.0


class SuperPeerClock:
    """To be read a few times a second."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen = clock()
        self._now = 0.0

    def now(self) -> float:
        seen = self._clock()
        self._now += min(max(seen - self._seen, 0.0), _MOST)
        self._seen = seen
        return self._now
