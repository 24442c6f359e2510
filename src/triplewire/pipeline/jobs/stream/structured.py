"""Folders and topics, by Structured Streaming: Spark keeps what was seen in a checkpoint inside the lake."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

from msgspec import Struct

from triplewire.pipeline.assembly import assembly, quads_of, sorted_out
from triplewire.pipeline.jobs.arriving import Arrived, arrived
from triplewire.pipeline.jobs.running import told_by
from triplewire.pipeline.jobs.stream.asking import Apart, Folder, StreamRequest, Topic
from triplewire.pipeline.jobs.stream.batches import MicroBatches
from triplewire.pipeline.jobs.stream.filling import by_files, by_rows
from triplewire.pipeline.jobs.stream.stopping import Stopping, StopSign
from triplewire.pipeline.lake.folder import Lake
from triplewire.pipeline.sources.kafka import Per, kafka_events

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamReader

_FILES_SCHEMA = "path string, modificationTime timestamp, length long, content binary"
_LOOK_SECONDS = 1
# Spark would pass over a file that is a week older than the newest. It remembers paths for as long.
_ANY_AGE = "36500d"

Take = Callable[["DataFrame", int], None]


class Flow(Struct, frozen=True):
    """A stream of rows, and what is done with each micro-batch of them."""

    rows: DataFrame
    take: Take


def run_structured(
    spark: SparkSession,
    request: StreamRequest,
    source: Folder | Topic,
    lake: Lake,
    batches: MicroBatches,
    stop: StopSign,
) -> None:
    """Stream until drained, or until asked to stop."""
    checkpoint = str((lake.streams / request.name).resolve())
    flow = _flow(spark, source, request.apart, batches, checkpoint)
    writer = flow.rows.writeStream.queryName(request.name).foreachBatch(flow.take)
    writer = writer.option("checkpointLocation", checkpoint)
    if request.drain:
        query = writer.trigger(availableNow=True).start()
    else:
        query = writer.trigger(processingTime=f"{request.every_seconds} seconds").start()
    _await(spark, query, batches, stop)


def _flow(
    spark: SparkSession, source: Folder | Topic, apart: Apart | None, batches: MicroBatches, checkpoint: str
) -> Flow:
    if apart is not None:
        quads = _lines(spark, source) if isinstance(source, Folder) else _messages(spark, source, "quad")
        take = _put_together(batches, apart, checkpoint, source.identity)
        return Flow(assembly(quads, gap=apart.gap, delay=apart.delay), take)
    if isinstance(source, Folder):
        return Flow(_names(spark, source), _files(batches))
    return Flow(_messages(spark, source, "event"), _events(batches, source.identity))


def _watching(spark: SparkSession, folder: Folder) -> DataStreamReader:
    reader = spark.readStream.option("recursiveFileLookup", "true").option("maxFileAge", _ANY_AGE)
    return reader.option("maxFilesPerTrigger", str(folder.files_at_once))


def _names(spark: SparkSession, folder: Folder) -> DataFrame:
    """Only names are read here: what the files hold is read by the tasks."""
    reader = _watching(spark, folder).format("binaryFile").schema(_FILES_SCHEMA)
    return reader.load(str(Path(folder.path).resolve())).select("path")


def _lines(spark: SparkSession, folder: Folder) -> DataFrame:
    """The lines of files of N-Quads. The time of a quad is that of its file."""
    rows = _watching(spark, folder).format("text").load(str(Path(folder.path).resolve()))
    return quads_of(
        rows.selectExpr("value", "_metadata.file_path AS source", "_metadata.file_modification_time AS time")
    )


def _messages(spark: SparkSession, topic: Topic, per: Per) -> DataFrame:
    return kafka_events(spark, topic.servers, topic.name, per=per, options=topic.reading)


def _files(batches: MicroBatches) -> Take:
    def take(names: DataFrame, number: int) -> None:
        batches.take(number, by_files(sorted(_local(row.path) for row in names.collect())))

    return take


def _events(batches: MicroBatches, identity: str) -> Take:
    def take(rows: DataFrame, number: int) -> None:
        with _kept(rows):
            batches.take(number, by_rows(arrived(rows), [identity], []))

    return take


def _put_together(batches: MicroBatches, apart: Apart, checkpoint: str, identity: str) -> Take:
    def take(rows: DataFrame, number: int) -> None:
        found = sorted_out(rows, number, checkpoint, gap=apart.gap)
        late = found.rejects.selectExpr(
            "source AS file",
            "CAST(NULL AS long) AS line",
            "event",
            "CAST(NULL AS string) AS subscription",
            "concat_ws(': ', reason, trim(TRAILING '\n' FROM quad)) AS reason",
        )
        with _kept(rows):
            batches.take(number, by_rows(Arrived(found.events, late), [identity], []), lambda: _work_through(rows))

    return take


@contextmanager
def _kept(rows: DataFrame) -> Iterator[None]:
    """Keep rows for the block: they are read twice there, for events and for rejects."""
    rows.persist()
    try:
        yield
    finally:
        rows.unpersist()


def _work_through(rows: DataFrame) -> None:
    """Let Spark's operators see a micro-batch whose outcome nobody needs: what they keep has to go on from it."""
    rows.write.format("noop").mode("overwrite").save()


def _await(spark: SparkSession, query: StreamingQuery, batches: MicroBatches, stop: StopSign) -> None:
    from pyspark.errors import PySparkException

    try:
        while not stop.asked:
            if query.awaitTermination(_LOOK_SECONDS):
                return
        batches.wait()
        query.stop()
    except KeyboardInterrupt:
        spark.sparkContext.cancelAllJobs()
        query.stop()
        raise
    except PySparkException as error:
        query.stop()
        if not isinstance(batches.failure, Stopping):
            raise batches.failure or told_by(error) from None


def _local(url: str) -> str:
    return unquote(urlparse(url).path)
