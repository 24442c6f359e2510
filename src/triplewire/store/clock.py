"""Time, handed in: what the wall clock says, and how much time has passed, which are two things.

The wall clock may jump; it dates events and nothing else. Whatever waits or expires uses `monotonic` (row F8).
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """What the node needs of time."""

    def now(self) -> datetime:
        """The wall clock, with its time zone."""

    def monotonic(self) -> float:
        """Seconds since some moment. Never goes back."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()
