"""Folders and topics, by Structured Streaming: Spark keeps what was seen in a checkpoint inside the lake."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlparse

import msgspec
from msgspec import Struct

from triplewire.errors import InputError, LakeError, StreamStopped
from triplewire.pipeline.assembly import assembly_stream, quads_of, separate_batch
from triplewire.pipeline.failures import explained_error
from triplewire.pipeline.jobs.event_rows import EventRows, separate_rejects
from triplewire.pipeline.jobs.stream.committed_inputs import CommittedInputs, end_of
from triplewire.pipeline.jobs.stream.micro_batches import MicroBatch, MicroBatches, fill_from_rows
from triplewire.pipeline.jobs.stream.request import Assembly, Folder, StreamRequest, Topic
from triplewire.pipeline.jobs.stream.stop_signal import StopSignal
from triplewire.pipeline.lake.event_lake import Lake
from triplewire.pipeline.sources.kafka import KafkaCluster, Per, kafka_events
from triplewire.pipeline.sources.options import ReadOptions
from triplewire.pipeline.storage.location import Location

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamReader

_FILES_SCHEMA = "path string, modificationTime timestamp, length long, content binary"
_LOOK_SECONDS = 1
# Spark would pass over a file that is a week older than the newest. It remembers paths for as long.
_ANY_AGE = "36500d"

_FIRST_SOURCE = 2

Offsets = dict[str, dict[str, int]]
Take = Callable[["DataFrame", int], None]
Inputs = Callable[["DataFrame", int], list[str]]


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
    stop: StopSignal,
) -> None:
    """Stream until drained, or until asked to stop."""
    checkpoint = checkpoint_of(lake, request)
    flow = _flow(spark, source, request.assembly, batches, checkpoint)
    writer = flow.rows.writeStream.queryName(request.name).foreachBatch(flow.take)
    writer = writer.option("checkpointLocation", str(checkpoint))
    if request.drain:
        query = writer.trigger(availableNow=True).start()
    else:
        query = writer.trigger(processingTime=f"{request.every_seconds} seconds").start()
    _await(spark, query, batches, stop)


def checkpoint_of(lake: Lake, request: StreamRequest) -> Path:
    """Where Spark keeps how far the stream has come: in the lake, or where that is asked for.

    Spark writes it itself, and reads object storages only with connectors of their own.
    """
    if request.checkpoint is not None:
        return Location.of(request.checkpoint).local.absolute()
    if not lake.root.is_local:
        raise InputError(
            subject="a stream of a topic, or of quads that arrive apart, into a lake that is not on this machine",
            wanted="--checkpoint FOLDER",
            found="none",
        )
    return (lake.streams / request.name).local.resolve()


def _flow(
    spark: SparkSession, source: Folder | Topic, timing: Assembly | None, batches: MicroBatches, checkpoint: Path
) -> Flow:
    if isinstance(source, Topic):
        inputs = _ranges(source.cluster(spark), checkpoint)
        if timing is None:
            return Flow(_messages(spark, source, "event"), _events(batches, inputs))
        quads = _messages(spark, source, "quad")
    elif timing is None:
        return Flow(_names(spark, source), _files(batches, source.reading))
    else:
        quads, inputs = _lines(spark, source), _sources
    return Flow(
        assembly_stream(quads, gap=timing.gap, delay=timing.delay), _put_together(batches, timing, checkpoint, inputs)
    )


def _watching(spark: SparkSession, folder: Folder) -> DataStreamReader:
    reader = spark.readStream.option("recursiveFileLookup", "true").option("maxFileAge", _ANY_AGE)
    return reader.option("maxFilesPerTrigger", str(folder.files_at_once))


def _names(spark: SparkSession, folder: Folder) -> DataFrame:
    """Only names are read here: what the files hold is read by the tasks."""
    reader = _watching(spark, folder).format("binaryFile").schema(_FILES_SCHEMA)
    return reader.load(str(Location.of(folder.path).local.resolve())).select("path")


def _lines(spark: SparkSession, folder: Folder) -> DataFrame:
    """The lines of files of N-Quads. The time of a quad is that of its file."""
    rows = _watching(spark, folder).format("text").load(str(Location.of(folder.path).local.resolve()))
    return quads_of(
        rows.selectExpr("value", "_metadata.file_path AS source", "_metadata.file_modification_time AS time")
    )


def _messages(spark: SparkSession, topic: Topic, per: Per) -> DataFrame:
    return kafka_events(spark, topic.servers, topic.name, per=per, options=topic.reading, format=topic.format)


def _files(batches: MicroBatches, reading: ReadOptions) -> Take:
    def take(names: DataFrame, _: int) -> None:
        batches.take_files(sorted(_local(row.path) for row in names.collect()), reading)

    return take


def _events(batches: MicroBatches, inputs: Inputs) -> Take:
    def take(rows: DataFrame, number: int) -> None:
        with _kept(rows):
            named = inputs(rows, number)
            batches.take(
                MicroBatch(number, named, fill_from_rows(separate_rejects(rows), named, []), instead=_after_the_lake)
            )

    return take


def _put_together(batches: MicroBatches, timing: Assembly, checkpoint: Path, inputs: Inputs) -> Take:
    def take(rows: DataFrame, number: int) -> None:
        found = separate_batch(rows, number, str(checkpoint), gap=timing.gap)
        late = found.rejects.selectExpr(
            "source AS file",
            "CAST(NULL AS long) AS line",
            "event",
            "CAST(NULL AS string) AS subscription",
            "concat_ws(': ', reason, trim(TRAILING '\n' FROM quad)) AS reason",
        )
        with _kept(rows):
            named = inputs(rows, number)
            # Half an event may be in what Spark keeps, which nobody can make anew from the lake.
            known_by = [f"checkpoint {_query_id(checkpoint)}", *named]
            fill = fill_from_rows(EventRows(found.events, late), named, [])
            batches.take(MicroBatch(number, known_by, fill, lambda: _work_through(rows)))

    return take


def _sources(rows: DataFrame, _: int) -> list[str]:
    """The files that quads have come from."""
    return sorted(_local(row.source) for row in rows.where("payload IS NULL").select("source").distinct().collect())


def _ranges(cluster: KafkaCluster, checkpoint: Path) -> Inputs:
    """The ranges of partitions, by names that a cluster and a topic have for good."""
    ids: dict[str, str] = {}

    def inputs(_: DataFrame, number: int) -> list[str]:
        ranges = _kafka_ranges(checkpoint, number)
        if not ids.keys() >= {topic for topic, *_ in ranges}:
            ids.update(cluster.topic_ids(sorted({topic for topic, *_ in ranges})))
        return [
            f"kafka {topic} {ids[topic]} {partition}{'' if begin is None else f' from {begin}'} until {until}"
            for topic, partition, begin, until in ranges
        ]

    return inputs


def _after_the_lake(known: CommittedInputs) -> str:
    """How another stream begins where this one has ended."""
    offsets: dict[str, dict[str, int]] = {}
    for text in known.last:
        _, topic, _, partition, *_ = text.split(" ")
        offsets.setdefault(topic, {})[partition] = end_of(text)
    return f"--name OTHER --append --kafka-option startingOffsets='{msgspec.json.encode(offsets).decode()}'"


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


def _await(spark: SparkSession, query: StreamingQuery, batches: MicroBatches, stop: StopSignal) -> None:
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
        if not isinstance(batches.failure, StreamStopped):
            raise batches.failure or explained_error(error) from None


def _local(url: str) -> str:
    return unquote(urlparse(url).path)


def _query_id(checkpoint: Path) -> str:
    """The name that a query has for as long as its checkpoint is there."""
    return str(msgspec.json.decode(_text(checkpoint / "metadata"))["id"])


def _kafka_ranges(checkpoint: Path, number: int) -> list[tuple[str, str, int | None, int]]:
    """Topic, partition, and where a micro-batch begins, if that is written down, and ends."""
    begin = _kafka_offsets(checkpoint / "offsets" / str(number - 1)) if number else {}
    end = _kafka_offsets(checkpoint / "offsets" / str(number))
    return [
        (topic, partition, begin.get(topic, {}).get(partition), until)
        for topic, partitions in sorted(end.items())
        for partition, until in sorted(partitions.items())
    ]


def _kafka_offsets(path: Path) -> Offsets:
    return msgspec.json.decode(_text(path).splitlines()[_FIRST_SOURCE], type=Offsets)


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except FileNotFoundError:
        raise LakeError(wanted="what Spark has written down of the stream", found="nothing", source=str(path)) from None
