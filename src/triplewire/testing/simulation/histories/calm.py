"""When nothing was being done to the network."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from triplewire.testing.simulation.histories.history import Ended, Mended, Record, Troubled

Interval = tuple[float, float]


class Calm:
    """The intervals without trouble. Loss, delay and repetition are weather, not trouble: they are never over.

    Whether it is trouble that others join and leave is for the caller to say.

    >>> calm = Calm([Troubled(10, "cut", lasts=True), Mended(30, "cut"), Troubled(40, "crash")])
    >>> calm.intervals
    [(0.0, 10), (30, 40), (40, inf)]
    >>> calm.lasted(5, between=(4, 12)), calm.lasted(10, between=(4, 45))
    (True, True)
    >>> calm.lasted(5, between=(10, 33))
    False
    """

    def __init__(self, records: Iterable[Record], *, minds_churn: bool = True) -> None:
        self.intervals: list[Interval] = []
        since: float | None = 0.0
        lasting = 0
        for record in records:
            if not _is_trouble(record, minds_churn):
                continue
            if since is not None and record.time > since:
                self.intervals.append((since, record.time))
            lasting += _change(record)
            since = None if lasting else record.time
        if since is not None:
            self.intervals.append((since, inf))

    def lasted(self, seconds: float, between: Interval) -> bool:
        """Whether, between two moments, there was calm for so long in one piece."""
        start, end = between
        return any(min(until, end) - max(since, start) >= seconds for since, until in self.intervals)


def _is_trouble(record: Record, minds_churn: bool) -> bool:
    if isinstance(record, Ended):
        return minds_churn
    return isinstance(record, Mended) or (isinstance(record, Troubled) and (minds_churn or not record.is_churn))


def _change(record: Record) -> int:
    if isinstance(record, Troubled):
        return int(record.lasts)
    return -1 if isinstance(record, Mended) else 0
