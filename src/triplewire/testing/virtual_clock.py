"""A clock that moves when it is told to: time passes, or the wall clock jumps."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import uuid4

_START = datetime(2024, 1, 1, tzinfo=UTC)


class VirtualClock:
    """Stands in for `triplewire.store.Clock`.

    >>> clock = VirtualClock()
    >>> clock.advance(2); clock.jump(3600); clock.monotonic(), clock.now().isoformat()
    (2.0, '2024-01-01T01:00:02+00:00')

    `flow` counts the seconds that pass by themselves: none, unless it is `time.monotonic` or another counter.
    """

    def __init__(self, start: datetime = _START, *, flow: Callable[[], float] = lambda: 0.0) -> None:
        self._wall = start
        self._passed = 0.0
        self._era = uuid4().hex
        self._flow = flow
        self._begun = flow()

    def now(self) -> datetime:
        return self._wall + timedelta(seconds=self._flow() - self._begun)

    def monotonic(self) -> float:
        return self._passed + self._flow() - self._begun

    def era(self) -> str:
        return self._era

    def advance(self, seconds: float) -> None:
        """Let time pass, for both."""
        self._wall += timedelta(seconds=seconds)
        self._passed += seconds

    def jump(self, seconds: float) -> None:
        """Set the wall clock forward or back, as an administrator or a time server does."""
        self._wall += timedelta(seconds=seconds)

    def reboot(self) -> None:
        """Begin another era, as a machine does that starts again: monotonic time counts from there."""
        self._wall, self._begun, self._passed = self.now(), self._flow(), 0.0
        self._era = uuid4().hex
