"""Time, handed in: what the wall clock says, and how much time has passed, which are two things.

The wall clock may jump; it dates events and nothing else. Whatever waits or expires uses `monotonic` (row F8), which
goes on over a restart of the process, but not over one of the machine: `era` tells the two apart.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol
from uuid import uuid4


class Clock(Protocol):
    """What the node needs of time."""

    def now(self) -> datetime:
        """The wall clock, with its time zone."""

    def monotonic(self) -> float:
        """Seconds since some moment. Never goes back within an era."""

    def era(self) -> str:
        """A name for the time during which `monotonic` counts from the same moment."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def era(self) -> str:
        return boot_id()


def boot_id() -> str:
    """Which start of this machine it is; where the system does not tell, each process is an era of its own."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return uuid4().hex
