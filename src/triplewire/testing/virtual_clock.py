"""A clock that moves when it is told to: time passes, or the wall clock jumps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

_START = datetime(2024, 1, 1, tzinfo=UTC)


class VirtualClock:
    """Stands in for `triplewire.store.Clock`.

    >>> clock = VirtualClock()
    >>> clock.advance(2); clock.jump(3600); clock.monotonic(), clock.now().isoformat()
    (2.0, '2024-01-01T01:00:02+00:00')
    """

    def __init__(self, start: datetime = _START) -> None:
        self._wall = start
        self._passed = 0.0
        self._era = uuid4().hex

    def now(self) -> datetime:
        return self._wall

    def monotonic(self) -> float:
        return self._passed

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
        self._passed = 0.0
        self._era = uuid4().hex
