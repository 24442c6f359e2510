"""Time, handed in: what the wall clock says, and how much time has passed, which are two things.

The wall clock may jump; it dates events and nothing else. Whatever waits or expires uses `monotonic` (row F8), which
goes on over a restart of the process, but not over one of the machine: `era` tells the two apart.

What the folder keeps by date (when an event came, when a lease ends) is compared with the dates of later processes, by
a `MonotonicDate` that does not jump. The first process after a start of the machine asks the wall clock, and those
after it go on from its answer. A wall clock that was set back in between does not count: the date is never before the
newest event's.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol
from uuid import uuid4

import msgspec
from msgspec import Struct

from triplewire.store.disk import Connection
from triplewire.store.tables import log, metadata

# The name under which versions before this one kept it, too.
_NAME = "steady"


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


class Offset(Struct, frozen=True):
    """What to add to monotonic time to get the date, and the era in which that is right."""

    era: str
    seconds: float


class MonotonicDate:
    """Unix seconds, by the wall clock at the start of the era and by monotonic time since."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._offset = Offset(clock.era(), clock.now().timestamp() - clock.monotonic())

    def time(self) -> float:
        return self._offset.seconds + self._clock.monotonic()

    def resume(self, tx: Connection) -> None:
        """Go on from where an earlier process left it."""
        kept = metadata.get(tx, _NAME)
        known = None if kept is None else msgspec.json.decode(kept, type=Offset)
        if known is not None and known.era == self._offset.era:
            self._offset = known
            return
        newest = log.at(tx, log.head(tx))
        if newest is not None and newest.accepted > self.time():
            self._offset = Offset(self._offset.era, newest.accepted - self._clock.monotonic())

    def save(self, tx: Connection) -> None:
        """Let later processes of this era go on from here."""
        metadata.put(tx, _NAME, msgspec.json.encode(self._offset))
