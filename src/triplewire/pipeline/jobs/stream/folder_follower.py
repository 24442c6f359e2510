"""A folder as a stream where Structured Streaming cannot be used: Spark Connect runs `foreachBatch` in its server.

There is no checkpoint. Which files were read is in the lake: the inputs of each micro-batch's commit.
"""

from __future__ import annotations

import glob
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from triplewire.pipeline.jobs.stream.follower_thread import followed
from triplewire.pipeline.jobs.stream.micro_batches import MicroBatch, MicroBatches, not_again
from triplewire.pipeline.jobs.stream.request import Folder, StreamRequest
from triplewire.pipeline.jobs.stream.stop_signal import StopSignal
from triplewire.rdf.documents import visible_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def follow_folder(
    spark: SparkSession, request: StreamRequest, source: Folder, batches: MicroBatches, stop: StopSignal
) -> None:
    """Stream until drained, or until asked to stop."""
    followed(spark, stop, lambda: _follow(request, source, batches, stop))


def _follow(request: StreamRequest, source: Folder, batches: MicroBatches, stop: StopSignal) -> None:
    known = batches.committed
    if known.next:
        # A driver that was killed may have committed it, and not have delivered it.
        batches.take(MicroBatch(known.next - 1, known.last, not_again))
    while not stop.asked:
        began = time.monotonic()
        new = [path for path in _oldest_first(source.path) if not known.knows(path)]
        for start in range(0, len(new), source.files_at_once):
            batches.take_files(new[start : start + source.files_at_once], source.reading)
        if request.drain:
            return
        stop.wait(max(0.0, request.every_seconds - (time.monotonic() - began)))


def _oldest_first(watched: str) -> list[str]:
    """Every file that is there. One that vanishes meanwhile comes first, to be found lacking."""
    return [path for _, path in sorted((_modified(Path(path)), path) for path in _files(watched))]


def _files(watched: str) -> Iterator[str]:
    root = str(Path(watched).resolve())
    for path in [Path(root)] if Path(root).is_dir() else map(Path, glob.glob(root, recursive=True)):  # noqa: PTH207
        yield from map(str, visible_files(path) if path.is_dir() else [path])


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
