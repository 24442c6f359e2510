"""`stream`: files that arrive in a folder, micro-batch by micro-batch, exactly once into the lake.

Spark's file source keeps the list of files that were seen, in a checkpoint inside the lake; each micro-batch is matched
by the same tasks as a batch run, and published as one commit under the micro-batch's number. A driver that is killed at
any moment repeats its last micro-batch when it comes back: if the commit was decided, it is skipped, else nothing of it
was visible.

Subscriptions are looked at before every micro-batch; what changed takes effect with it, and its row in `runs` says
which index was used.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

from msgspec import Struct

from triplewire.errors import InputError, TriplewireError
from triplewire.pipeline.jobs.matching import described, publish
from triplewire.pipeline.jobs.running import Nobody, Watcher, run_order, told_by
from triplewire.pipeline.jobs.subscribing import Read, Subscribed, read_all, read_taxonomy, subscribe
from triplewire.pipeline.lake.folder import Lake, checked_name, open_lake, require_room
from triplewire.pipeline.placement import place
from triplewire.pipeline.sources.files import SourceFile, source_file
from triplewire.pipeline.sources.reading import Reject
from triplewire.pipeline.sources.splits import plan
from triplewire.pipeline.tasks import Order

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

_FILES_SCHEMA = "path string, modificationTime timestamp, length long, content binary"
_LOOK_SECONDS = 1


class StreamRequest(Struct, frozen=True, kw_only=True):
    """What to watch, and where to. Under its `name` a stream resumes. `drain` ends when nothing new is left."""

    events: str
    subscriptions: tuple[str, ...]
    out: str
    taxonomy: str | None = None
    strict: bool = False
    append: bool = False
    name: str = "stream"
    every_seconds: float = 5.0
    files_at_once: int = 1_000
    drain: bool = False


class Streamed(Struct, frozen=True):
    """What a stream has done while it was watched."""

    lake: str
    batches: int
    events: int
    matches: int
    rejects: int


def stream_files(spark: SparkSession, request: StreamRequest, watcher: Watcher | None = None) -> Streamed:
    """Stream until drained, or until interrupted."""
    _require_folder(request.events)
    checked_name(request.name)
    with open_lake(Path(request.out)) as lake:
        if not request.append:
            require_room(lake, request.name)
        batches = _Batches(lake, request, watcher or Nobody())
        query = _started(spark, request, lake, batches)
        _await(query, batches)
        return batches.summary()


class _Batches:
    """What is done with each micro-batch."""

    def __init__(self, lake: Lake, request: StreamRequest, watcher: Watcher) -> None:
        self._lake = lake
        self._request = request
        self._watcher = watcher
        self._index = WatchedIndex(request, lake)
        self._done = Streamed(str(lake.root), 0, 0, 0, 0)
        self.failure: BaseException | None = None

    def summary(self) -> Streamed:
        return self._done

    def __call__(self, files: DataFrame, number: int) -> None:
        try:
            self._take(files, number)
        except BaseException as error:
            # What crosses Spark on its way back to the caller loses its type and gains a stack.
            self.failure = error
            raise

    def _take(self, files: DataFrame, number: int) -> None:
        commit = f"{self._request.name}-{number:08}"
        if self._lake.has(commit):
            return
        started = datetime.now(UTC)
        paths = sorted(_local(row.path) for row in files.select("path").collect())
        found, missing = _looked_at(paths)
        subscribed = self._index.current()
        spark = files.sparkSession
        tasks = plan(found, spark.sparkContext.defaultParallelism)
        index = place(spark, subscribed.index)
        with self._lake.drafting(commit) as staging:
            order = Order(tasks, index, str(staging.resolve()), self._request.name, self._request.strict)
            done = run_order(spark, order, self._watcher, f"micro-batch {number}")
        rejects = [*missing, *(subscribed.rejects if self._index.is_new else [])]
        subscribed = Subscribed(subscribed.index, rejects)
        run = described(self._request.name, "stream", number, subscribed, done, paths, started)
        publish(self._lake, commit, run, done, rejects)
        so_far = self._done
        self._done = Streamed(
            so_far.lake,
            so_far.batches + 1,
            so_far.events + run.events,
            so_far.matches + run.matches,
            so_far.rejects + run.rejects,
        )


class WatchedIndex:
    """The index of subscription files, built again when they change.

    Failure policy: files that were good and cannot be read now leave the last index in force; the reason is a reject.
    """

    def __init__(self, request: StreamRequest, lake: Lake) -> None:
        self._request = request
        self._lake = lake
        self._seen: tuple[tuple[str, int, int], ...] | None = None
        self._subscribed: Subscribed | None = None
        self.is_new = False
        self.current()

    def current(self) -> Subscribed:
        """The index for the micro-batch that begins now."""
        seen = self._stamps()
        self.is_new = seen != self._seen
        if self.is_new:
            self._subscribed = self._read()
            self._seen = seen
        assert self._subscribed is not None
        return self._subscribed

    def _read(self) -> Subscribed:
        strict = self._request.strict
        try:
            read: Read = read_all(self._request.subscriptions, strict=strict)
            return subscribe(read, read_taxonomy(self._request.taxonomy), self._lake.indexes, strict=strict)
        except TriplewireError as problem:
            if self._subscribed is None or strict:
                raise
            return Subscribed(self._subscribed.index, [Reject(None, None, None, None, f"subscriptions: {problem}")])

    def _stamps(self) -> tuple[tuple[str, int, int], ...]:
        named = [*self._request.subscriptions, *([self._request.taxonomy] if self._request.taxonomy else [])]
        paths = [file for name in map(Path, named) for file in ([name, *name.iterdir()] if name.is_dir() else [name])]
        return tuple(
            (str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in sorted(paths) if path.exists()
        )


def _started(spark: SparkSession, request: StreamRequest, lake: Lake, batches: _Batches) -> StreamingQuery:
    reader = spark.readStream.format("binaryFile").schema(_FILES_SCHEMA)
    reader = reader.option("recursiveFileLookup", "true").option("maxFilesPerTrigger", str(request.files_at_once))
    # Only names are read here: what the files hold is read by the tasks.
    names = reader.load(str(Path(request.events).resolve())).select("path")
    writer = names.writeStream.queryName(request.name).foreachBatch(batches)
    writer = writer.option("checkpointLocation", str((lake.streams / request.name).resolve()))
    if request.drain:
        return writer.trigger(availableNow=True).start()
    return writer.trigger(processingTime=f"{request.every_seconds} seconds").start()


def _await(query: StreamingQuery, batches: _Batches) -> None:
    from pyspark.errors import PySparkException

    try:
        while not query.awaitTermination(_LOOK_SECONDS):
            pass
    except KeyboardInterrupt:
        query.stop()
        raise
    except PySparkException as error:
        query.stop()
        raise batches.failure or told_by(error) from None


def _local(url: str) -> str:
    return unquote(urlparse(url).path)


def _looked_at(paths: list[str]) -> tuple[list[SourceFile], list[Reject]]:
    found, missing = [], []
    for path in paths:
        try:
            found.append(source_file(Path(path)))
        except (OSError, InputError) as problem:
            missing.append(Reject(path, None, None, None, str(problem)))
    return found, missing


def _require_folder(name: str) -> None:
    path = Path(name)
    if path.is_file():
        raise InputError("wanted a folder to watch, found a file", source=name)
    if not path.is_dir() and not any(letter in name for letter in "*?["):
        raise InputError("wanted a folder to watch, found nothing", source=name)


__all__ = ["StreamRequest", "Streamed", "stream_files"]
