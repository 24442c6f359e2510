"""Spark Classic and Spark Connect: the few things that a session of each says in another way.

Classic has its driver in this process, with a context; Connect has it in a server at `sc://HOST:PORT`, and has no
context, no RDDs and no broadcasts. Everything else in this package is the same for both.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CONNECT = "pyspark.sql.connect."
# More than any session splits a range of so many numbers into.
_NUMBERS = 1 << 20
_AGAIN_SECONDS = 0.5
_carrying = threading.Lock()
_carried: WeakKeyDictionary[SparkSession, set[str]] = WeakKeyDictionary()

ShareDone = Callable[[], float]


def is_connect(spark: SparkSession) -> bool:
    """Whether a session is one of Spark Connect."""
    return type(spark).__module__.startswith(_CONNECT)


def is_here(spark: SparkSession) -> bool:
    """Whether tasks run on this machine, as this user."""
    master = str(spark.conf.get("spark.master", ""))
    return not is_connect(spark) and (master == "local" or master.startswith("local["))


def parallelism(spark: SparkSession) -> int:
    """How many tasks keep all cores busy, as `spark.default.parallelism` says, or else as many as there are."""
    if not is_connect(spark):
        return int(spark.sparkContext.defaultParallelism)
    asked = spark.conf.get("spark.default.parallelism", None)
    if asked is not None:
        return int(asked)
    from pyspark.sql import functions as F  # noqa: N812  as everybody names it

    # Nothing that a client may ask for says it, but a range has that many partitions unless it is told otherwise.
    return spark.range(_NUMBERS).select(F.spark_partition_id().alias("part")).distinct().count()


def carry(spark: SparkSession, name: str, write: Callable[[Path], None]) -> None:
    """Have Spark bring a file to its executors, once a session. `write` makes it; tasks find it by its name.

    Spark unpacks what ends in `.tar` or `.tgz` into the folder that all files share: give it another ending.
    """
    with _carrying:
        if is_connect(spark):
            _upload(spark, name, write)
        else:
            _serve(spark, name, write)


def _upload(spark: SparkSession, name: str, write: Callable[[Path], None]) -> None:
    known = _carried.setdefault(spark, set())
    if name not in known:
        with tempfile.TemporaryDirectory(prefix="triplewire-carry-") as folder:
            write(Path(folder) / name)
            spark.addArtifacts(str(Path(folder) / name), file=True)
        known.add(name)


def _serve(spark: SparkSession, name: str, write: Callable[[Path], None]) -> None:
    """The driver hands it out from where it lies, which goes with the session."""
    from pyspark import SparkFiles

    path = Path(SparkFiles.getRootDirectory()) / name
    if path.exists():
        return
    try:
        write(path)
        spark.sparkContext.addFile(str(path))
    except BaseException:
        path.unlink(missing_ok=True)
        raise


@contextmanager
def named_work(spark: SparkSession, name: str) -> Iterator[None]:
    """Let what this thread asks of Spark in the block carry a name, by which it can be watched and interrupted."""
    spark.addTag(name)
    if not is_connect(spark):
        spark.sparkContext.setJobGroup(name, "triplewire", interruptOnCancel=True)
    try:
        yield
    finally:
        spark.removeTag(name)


@contextmanager
def watched_work(spark: SparkSession, name: str, thread: threading.Thread) -> Iterator[ShareDone]:
    """Give a function that tells which share of the tasks of `thread`'s named work are done, as far as planned."""
    if not is_connect(spark):
        yield lambda: _share(_stages(spark, name))
        return
    counts: Any = _TaskCounts(thread)
    spark.registerProgressHandler(counts)
    try:
        yield counts.share
    finally:
        spark.removeProgressHandler(counts)


def interrupt(spark: SparkSession, name: str, thread: threading.Thread) -> None:
    """Interrupt a thread's named work until it has ended: between two calls there is nothing to interrupt."""
    while thread.is_alive():
        spark.interruptTag(name)
        thread.join(_AGAIN_SECONDS)


class _TaskCounts:
    """Counts the tasks of one thread's operations. Connect tells every operation of a session, on its own thread."""

    def __init__(self, thread: threading.Thread) -> None:
        self._thread = thread
        self._operations: dict[str | None, tuple[int, int]] = {}

    def __call__(self, stages: Iterable[Any] | None, inflight_tasks: int, operation_id: str | None, done: bool) -> None:
        if threading.current_thread() is self._thread:
            known = list(stages or ())
            counts = sum(stage.num_completed_tasks for stage in known), sum(stage.num_tasks for stage in known)
            self._operations[operation_id] = counts

    def share(self) -> float:
        return _share(list(self._operations.values()))


def _share(counts: Iterable[tuple[int, int]]) -> float:
    done, planned = map(sum, zip((0, 0), *counts, strict=True))
    return done / planned if planned else 0.0


def _stages(spark: SparkSession, group: str) -> Iterator[tuple[int, int]]:
    tracker = spark.sparkContext.statusTracker()
    for number in tracker.getJobIdsForGroup(group):
        job = tracker.getJobInfo(number)
        for stage in map(tracker.getStageInfo, job.stageIds if job else ()):
            if job is not None and stage is not None:
                # A stage whose output was there already never runs, and its job succeeds without it.
                over = job.status == "SUCCEEDED"
                yield (stage.numTasks if over else stage.numCompletedTasks), stage.numTasks
