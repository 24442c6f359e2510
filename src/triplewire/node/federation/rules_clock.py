"""The clock of rules across super-peers: it goes on where the last process left it, and never goes back.

The time during which no process ran does not count, so that nobody is late who could not be heard.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from triplewire.node.overlay.super_peer_clock import SuperPeerClock


class RulesClock:
    """To be read a few times a second. `start` is the last time that is in the log."""

    def __init__(self, start: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._start = start
        self._clock = SuperPeerClock(clock)

    def now(self) -> float:
        return self._start + self._clock.now()
