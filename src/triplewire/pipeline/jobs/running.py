"""A run of tasks on Spark, watched while it goes on, and cancelled if the caller is interrupted."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Container, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from triplewire.pipeline.failures import told_by
from triplewire.pipeline.interrupts import deferred_interrupts
from triplewire.pipeline.jobs.gauges import Gauge, share_done
from triplewire.pipeline.sources.reading import Reject
from triplewire.pipeline.tally import Counts, progress_in
from triplewire.pipeline.tasks import REPORT_COLUMNS, Order, Report, running

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")

_LOOK_SECONDS = 0.2


class Watcher(Protocol):
    """Who is told how a run goes on."""

    def begin(self, doing: str, total_bytes: int) -> None:
        """A run begins that has so many bytes to read."""

    def see(self, counts: Counts) -> None:
        """This much is done, all in all."""

    def end(self) -> None:
        """The run is over, well or not."""


class Nobody:
    """A watcher for those who do not watch."""

    def begin(self, doing: str, total_bytes: int) -> None: ...
    def see(self, counts: Counts) -> None: ...
    def end(self) -> None: ...


class Done(msgspec.Struct, frozen=True):
    """What the tasks of a run have done together."""

    reports: list[Report]

    @property
    def counts(self) -> Counts:
        return sum((report.counts for report in self.reports), Counts())

    @property
    def quarantined(self) -> dict[str, str]:
        return {name: why for report in self.reports for name, why in report.quarantined.items()}

    def without(self, known: Container[str]) -> Done:
        """The same, save for subscriptions that are known to be quarantined."""
        return Done(
            [
                msgspec.structs.replace(
                    report, quarantined={name: why for name, why in report.quarantined.items() if name not in known}
                )
                for report in self.reports
            ]
        )


def quarantine_rejects(quarantined: Mapping[str, str]) -> list[Reject]:
    """What a run keeps of subscriptions that exceeded their budget: each once, however many workers found out."""
    return [Reject(None, None, None, name, f"quarantined: {why}") for name, why in quarantined.items()]


def run_order(spark: SparkSession, order: Order, watcher: Watcher, doing: str) -> Done:
    """Carry out an order, one Spark task for each of its tasks."""
    if not order.tasks:
        return Done([])
    frame = spark.range(0, len(order.tasks), 1, len(order.tasks)).mapInArrow(running(order), REPORT_COLUMNS)
    total = sum(split.end - split.start for task in order.tasks for split in task)
    watcher.begin(doing, total)
    try:
        rows = watched(spark, frame.collect, lambda: watcher.see(progress_in(Path(order.staging))))
    finally:
        watcher.end()
    return Done([msgspec.msgpack.decode(row.report, type=Report) for row in rows])


def run_step(spark: SparkSession, watcher: Watcher, doing: str, gauge: Gauge, action: Callable[[], T]) -> T:
    """Run a Spark action as a step of a run that a watcher is shown."""
    group = _new_group()
    watcher.begin(doing, gauge.total)
    try:
        done = _watched(spark, group, action, lambda: watcher.see(gauge.read(share_done(spark, group))))
        # Spark's own count may lag behind the end.
        watcher.see(gauge.read(1.0))
        return done
    finally:
        watcher.end()


def watched(spark: SparkSession, action: Callable[[], T], look: Callable[[], None]) -> T:
    """Run a Spark action on a thread of its own and look how it goes on. An interrupt cancels it."""
    return _watched(spark, _new_group(), action, look)


def _new_group() -> str:
    return f"triplewire-{uuid.uuid4().hex[:8]}"


def _watched(spark: SparkSession, group: str, action: Callable[[], T], look: Callable[[], None]) -> T:
    from pyspark import InheritableThread

    outcome: list[Any] = []

    def act() -> None:
        spark.sparkContext.setJobGroup(group, "triplewire", interruptOnCancel=True)
        try:
            outcome.append(action())
        except BaseException as error:  # noqa: BLE001  raised again where it is waited for
            outcome.append(error)

    thread = InheritableThread(target=act, name=group, daemon=True)
    thread.start()
    try:
        with deferred_interrupts() as pressed:
            while thread.is_alive():
                thread.join(_LOOK_SECONDS)
                if pressed.is_set():
                    raise KeyboardInterrupt
                look()
    except BaseException:
        spark.sparkContext.cancelJobGroup(group)
        thread.join()
        raise
    [result] = outcome
    if isinstance(result, BaseException):
        raise told_by(result) from None
    return result  # type: ignore[no-any-return]


def versions() -> tuple[str, str]:
    """Of Triplewire and of Spark."""
    return version("triplewire"), version("pyspark")
