"""The time that a super-peer is told.

It goes on by a second at most from one look to the next. A process that was suspended, or that did not get its turn for
a while, has not heard the others because it did not listen: by this clock they were not silent, and what has arrived
meanwhile is read before anybody is suspected. It is monotonic whatever the system's date does (row F8).
"""

from __future__ import annotations

import time
from collections.abc import Callable

_MOST = 1.0


class Pulse:
    """Look at it a few times a second."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen = clock()
        self._now = 0.0

    def now(self) -> float:
        seen = self._clock()
        self._now += min(max(seen - self._seen, 0.0), _MOST)
        self._seen = seen
        return self._now
