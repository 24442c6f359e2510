"""A stream that asks its source itself, on a thread of its own, so that signals find the main one at leisure."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from triplewire.errors import NodeRefused, NodeUnreachable, StreamStopped
from triplewire.pipeline.jobs.stream.stop_signal import StopSignal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOOK_SECONDS = 0.5


def followed(spark: SparkSession, stop: StopSignal, follow: Callable[[], None]) -> None:
    """Follow until it returns. What it raises is raised here, save that a source is away when the stream stops."""
    from pyspark import InheritableThread

    problems: list[BaseException] = []

    def act() -> None:
        try:
            follow()
        except BaseException as problem:  # noqa: BLE001  raised again where it is waited for
            problems.append(problem)

    thread = InheritableThread(target=act, session=spark, name="following", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_LOOK_SECONDS)
    except KeyboardInterrupt:
        while thread.is_alive():
            spark.interruptAll()
            thread.join(_LOOK_SECONDS)
        raise
    if problems and not (stop.asked and isinstance(problems[0], NodeUnreachable | NodeRefused | StreamStopped)):
        raise problems[0]
