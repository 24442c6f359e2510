"""A run of tasks on Spark, watched while it goes on, and cancelled if the caller is interrupted."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Container
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from triplewire.pipeline.api_modes import ShareDone, interrupt, named_work, watched_work
from triplewire.pipeline.carrying.kernels import carry_kernels
from triplewire.pipeline.failures import explained_error
from triplewire.pipeline.interrupts import deferred_interrupts
from triplewire.pipeline.jobs.gauges import Gauge
from triplewire.pipeline.progress import Counts
from triplewire.pipeline.split_tasks import TaskReport

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")

_LOOK_SECONDS = 0.2


class ProgressListener(Protocol):
    """Receives the progress of a run."""

    def begin(self, doing: str, total_bytes: int) -> None:
        """A run begins that has so many bytes to read."""

    def see(self, counts: Counts) -> None:
        """This much is done, all in all."""

    def end(self) -> None:
        """The run is over, well or not."""


class NoListener:
    """A listener that shows nothing."""

    def begin(self, doing: str, total_bytes: int) -> None: ...
    def see(self, counts: Counts) -> None: ...
    def end(self) -> None: ...


class TaskResults(msgspec.Struct, frozen=True):
    """What the tasks of a run have done together."""

    reports: list[TaskReport]

    @property
    def counts(self) -> Counts:
        return sum((report.counts for report in self.reports), Counts())

    @property
    def quarantined(self) -> dict[str, str]:
        return {name: why for report in self.reports for name, why in report.quarantined.items()}

    def without(self, known: Container[str]) -> TaskResults:
        """The same, save for subscriptions that are known to be quarantined."""
        return TaskResults(
            [
                msgspec.structs.replace(
                    report, quarantined={name: why for name, why in report.quarantined.items() if name not in known}
                )
                for report in self.reports
            ]
        )


def run_step(spark: SparkSession, listener: ProgressListener, doing: str, gauge: Gauge, action: Callable[[], T]) -> T:
    """Run a Spark action as a step of a run that a listener is shown."""
    carry_kernels(spark)
    listener.begin(doing, gauge.total)
    try:
        done = _watched(spark, action, lambda share_done: listener.see(gauge.read(share_done())))
        # Spark's own count may lag behind the end.
        listener.see(gauge.read(1.0))
        return done
    finally:
        listener.end()


def _watched(spark: SparkSession, action: Callable[[], T], look: Callable[[ShareDone], None]) -> T:
    from pyspark import InheritableThread

    outcome: list[Any] = []
    name = f"triplewire-{uuid.uuid4().hex[:8]}"

    def act() -> None:
        try:
            with named_work(spark, name):
                outcome.append(action())
        except BaseException as error:  # noqa: BLE001  raised again where it is waited for
            outcome.append(error)

    thread = InheritableThread(target=act, session=spark, name=name, daemon=True)
    try:
        with deferred_interrupts() as pressed, watched_work(spark, name, thread) as share_done:
            thread.start()
            while thread.is_alive():
                thread.join(_LOOK_SECONDS)
                if pressed.is_set():
                    raise KeyboardInterrupt
                look(share_done)
    except BaseException:
        interrupt(spark, name, thread)
        raise
    [result] = outcome
    if isinstance(result, BaseException):
        raise explained_error(result) from None
    return result  # type: ignore[no-any-return]
