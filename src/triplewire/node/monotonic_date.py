"""The monotonic date, which does not jump: the wall clock once, and then the time that has passed (row F8).

What the folder keeps by date (when an event came, when a lease ends) is compared with the dates of later processes. So
the first process after a start of the machine asks the wall clock, and those after it go on from its answer. A wall
clock that was set back in between does not count: the date is never before the newest event's.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from triplewire.store.clock import Clock
from triplewire.store.disk import Connection
from triplewire.store.tables import facts, log

# The name under which versions before this one kept it, too.
_FACT = "steady"


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
        kept = facts.get(tx, _FACT)
        known = None if kept is None else msgspec.json.decode(kept, type=Offset)
        if known is not None and known.era == self._offset.era:
            self._offset = known
            return
        newest = log.at(tx, log.head(tx))
        if newest is not None and newest.accepted > self.time():
            self._offset = Offset(self._offset.era, newest.accepted - self._clock.monotonic())

    def save(self, tx: Connection) -> None:
        """Let later processes of this era go on from here."""
        facts.put(tx, _FACT, msgspec.json.encode(self._offset))
