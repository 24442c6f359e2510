"""The progress of a run on Spark, on standard error: events a second, matches, rejects and time left."""

from __future__ import annotations

import time

from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from triplewire.cli.screen import diagnostics
from triplewire.pipeline.progress import Counts

_LINE_SECONDS = 10.0


class ProgressBar:
    """A watcher that draws. Where there is no terminal it writes a line now and then."""

    def __init__(self) -> None:
        self._console = diagnostics()
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._started = self._last_line = 0.0
        self._doing = ""

    def begin(self, doing: str, total_bytes: int) -> None:
        self._doing, self._started = doing, time.monotonic()
        self._last_line = self._started
        if not self._console.is_terminal:
            return
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[counts]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
        )
        self._task = self._progress.add_task(doing, total=max(total_bytes, 1), counts="")
        self._progress.start()

    def see(self, counts: Counts) -> None:
        words = counts_line(counts, time.monotonic() - self._started)
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=counts.bytes, counts=words)
        elif time.monotonic() - self._last_line > _LINE_SECONDS:
            self._last_line = time.monotonic()
            self._console.print(f"{self._doing}: {words}")

    def end(self) -> None:
        if self._progress is not None:
            self._progress.stop()
        self._progress = self._task = None


def counts_line(counts: Counts, seconds: float) -> str:
    """
    >>> counts_line(Counts(10_000, 12_000, 1), 2.0)
    '10,000 events · 5,000/s · 12,000 matches · 1 rejects'
    """
    rate = counts.events / seconds if seconds > 0 else 0.0
    return f"{counts.events:,} events · {rate:,.0f}/s · {counts.matches:,} matches · {counts.rejects:,} rejects"
