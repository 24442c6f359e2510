"""A date that does not jump: the wall clock once, and then the time that has passed (row F8)."""

from __future__ import annotations

from triplewire.store.clock import Clock


class Steady:
    """Unix seconds, by the wall clock at the start and by monotonic time since."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._offset = clock.now().timestamp() - clock.monotonic()

    def time(self) -> float:
        return self._offset + self._clock.monotonic()
