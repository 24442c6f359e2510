"""How soon a file that appears in a watched folder is a notification: from its renaming to the end of its commit."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from msgspec import Struct
from pyspark.sql import SparkSession

from triplewire.pipeline.jobs.stream import Folder, StopSignal, StreamRequest, stream
from triplewire.pipeline.jobs.stream.sinks import rows_of
from triplewire.pipeline.lake.commit_names import CommitName
from triplewire.pipeline.lake.event_lake import Lake

_WARM = 2


class Latency(Struct):
    """Seconds from file to notification, of micro-batches that begin so often."""

    every_seconds: float
    files: int
    median: float
    worst: float


class _Watch:
    """A sink that notes when each event's notification was there."""

    def __init__(self) -> None:
        self.seen: dict[str, float] = {}
        self.changed = threading.Condition()

    def deliver(self, spark: SparkSession, lake: Lake, commit: CommitName, stop: StopSignal) -> int:
        found = [row["event"] for row in rows_of(lake, commit)]
        with self.changed:
            for name in found:
                self.seen.setdefault(name, time.monotonic())
            self.changed.notify_all()
        return len(found)

    def wait_for(self, name: str, running: threading.Thread) -> float:
        with self.changed:
            while not self.changed.wait_for(lambda: name in self.seen, timeout=1.0):
                if not running.is_alive():
                    raise RuntimeError(f"wanted a notification of {name}, found that the stream has ended")
            return self.seen[name]


def latency(spark: SparkSession, home: Path, every_seconds: float, files: int) -> Latency:
    """Let files appear one after the other, at moments that have nothing to do with the stream's own."""
    (home / "in").mkdir(parents=True)
    (home / "every.rq").write_text("ASK { ?s ?p ?o }")
    watch, stop = _Watch(), StopSignal()
    request = StreamRequest(
        source=Folder(str(home / "in")),
        subscriptions=(str(home / "every.rq"),),
        out=str(home / "lake"),
        sinks=(watch,),
        every_seconds=every_seconds,
    )
    running = threading.Thread(target=stream, args=(spark, request, None, stop), daemon=True)
    running.start()
    taken = []
    for number in range(_WARM + files):
        begun = _appear(home / "in", number)
        seconds = watch.wait_for(f"urn:{number}", running) - begun
        if number >= _WARM:
            taken.append(seconds)
        # Not in step with the micro-batches: each file appears at another moment of their interval.
        time.sleep(every_seconds * (number % 7) / 7)
    stop.ask()
    running.join()
    return Latency(every_seconds, files, sorted(taken)[len(taken) // 2], max(taken))


def _appear(folder: Path, number: int) -> float:
    draft = folder / f".{number}.nq"
    draft.write_text(f"<urn:s> <urn:p> <urn:o> <urn:{number}> .\n")
    begun = time.monotonic()
    draft.rename(folder / f"{number}.nq")
    return begun
