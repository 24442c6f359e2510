"""A folder as a stream where Structured Streaming cannot be used.

Spark Connect runs `foreachBatch` in its server, and Spark reads folders and keeps checkpoints in object storages only
with connectors of their own.

There is no checkpoint. Which files were read is in the lake: the inputs of each micro-batch's commit.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from triplewire.errors import InputError, UnknownFormat
from triplewire.pipeline.jobs.stream.follower_thread import followed
from triplewire.pipeline.jobs.stream.micro_batches import MicroBatch, MicroBatches, not_again
from triplewire.pipeline.jobs.stream.request import Folder, StreamRequest
from triplewire.pipeline.jobs.stream.stop_signal import StopSignal
from triplewire.pipeline.sources.files import find_files

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
        new = [path for path in _oldest_first(source) if not known.knows(path)]
        for start in range(0, len(new), source.files_at_once):
            batches.take_files(new[start : start + source.files_at_once], source.reading)
        if request.drain:
            return
        stop.wait(max(0.0, request.every_seconds - (time.monotonic() - began)))


def _oldest_first(source: Folder) -> list[str]:
    try:
        found = find_files([source.path], source.reading)
    except UnknownFormat:
        raise
    except InputError:
        # A folder that is still empty is a stream that has not begun.
        return []
    return [file.path for file in sorted(found, key=lambda file: (file.modified, file.path))]
