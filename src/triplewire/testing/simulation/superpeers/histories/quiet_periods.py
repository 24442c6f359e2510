"""Quiet periods: when no fault was active."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from triplewire.testing.simulation.history import FaultCleared, FaultInjected
from triplewire.testing.simulation.superpeers.histories.history import Record, SuperPeerLeft

Interval = tuple[float, float]


class QuietPeriods:
    """The intervals without injected faults. The fault model's loss, delay and duplication do not count: they never
    end.

    With `churn_is_fault`, joins and leaves count as faults.

    >>> cut, crash = FaultInjected(10, "cut", lasts=True), FaultInjected(40, "crash")
    >>> quiet_periods = QuietPeriods([cut, FaultCleared(30, "cut"), crash])
    >>> quiet_periods.intervals
    [(0.0, 10), (30, 40), (40, inf)]
    >>> quiet_periods.lasted(5, between=(4, 12)), quiet_periods.lasted(10, between=(4, 45))
    (True, True)
    >>> quiet_periods.lasted(5, between=(10, 33))
    False
    """

    def __init__(self, records: Iterable[Record], *, churn_is_fault: bool = True) -> None:
        self.intervals: list[Interval] = []
        since: float | None = 0.0
        active_faults = 0
        for record in records:
            if not _is_fault(record, churn_is_fault):
                continue
            if since is not None and record.time > since:
                self.intervals.append((since, record.time))
            active_faults += _change(record)
            since = None if active_faults else record.time
        if since is not None:
            self.intervals.append((since, inf))

    def lasted(self, seconds: float, between: Interval) -> bool:
        """Whether there was a quiet period of so many seconds between two times."""
        start, end = between
        return any(min(until, end) - max(since, start) >= seconds for since, until in self.intervals)


def _is_fault(record: Record, churn_is_fault: bool) -> bool:
    if isinstance(record, SuperPeerLeft):
        return churn_is_fault
    return isinstance(record, FaultCleared) or (
        isinstance(record, FaultInjected) and (churn_is_fault or not record.is_churn)
    )


def _change(record: Record) -> int:
    if isinstance(record, FaultInjected):
        return int(record.lasts)
    return -1 if isinstance(record, FaultCleared) else 0
