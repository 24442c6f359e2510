"""A folder as a stream where Structured Streaming cannot be used: without a connector Spark reads and writes
files only, and Spark Connect runs `foreachBatch` in its server.

There is no checkpoint. Which files were read is in the lake: the inputs of each micro-batch's commit.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from triplewire.pipeline.jobs.stream.follower_thread import followed
from triplewire.pipeline.jobs.stream.micro_batches import MicroBatch, MicroBatches, not_again
from triplewire.pipeline.jobs.stream.request import Folder, StreamRequest
from triplewire.pipeline.jobs.stream.stop_signal import StopSignal
from triplewire.pipeline.sources.files import list_sources

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
        found = sorted(list_sources(source.location, source.reading), key=lambda file: (file.modified, file.path))
        new = [file.path for file in found if not known.knows(file.path)]
        for start in range(0, len(new), source.files_at_once):
            batches.take_files(new[start : start + source.files_at_once], source.reading)
        if request.drain:
            return
        stop.wait(max(0.0, request.every_seconds - (time.monotonic() - began)))
