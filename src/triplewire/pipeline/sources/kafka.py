"""Kafka through Spark's own connector: one message an event, or one message a quad.

The connector is not part of PySpark: give its jars to the session, by name (`spark.jars.packages`) or from a folder
(`spark.jars`). docs/pipeline.md says which.

    kafka_events(spark, "host:9092", "papers")                 event, source, time, payload, problem
    kafka_events(spark, "host:9092", "papers", format="turtle")      the same, of messages in another format
    kafka_events(spark, "host:9092", "papers", per="quad")     what `pipeline.assembly` puts together
    send_to_kafka(notifications, "host:9092", "alerts")

`source` names topic, partition and offset. A message that is no event keeps its row, with a problem and no payload:
whoever writes the lake puts it among the rejects. What goes out is keyed by the identity of a notification,
(subscription, event): Kafka may get it twice after a failure, and a reader that goes by the key counts it once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  as everybody names it

from triplewire.errors import EmptyEvent, InputError, PipelineError, SparkUnavailable, SyntaxProblem
from triplewire.matching.arrow_columns import spans
from triplewire.matching.kernels.columns import END, EVENT_GRAPH, EVENT_LAST, EVENT_LINE, QUAD_LINE, START
from triplewire.matching.kernels.scan.canonical import canonical_events
from triplewire.matching.scanning.event_limits import within
from triplewire.matching.scanning.scanner import ScanResult, scan
from triplewire.pipeline.assembly import quads_of
from triplewire.pipeline.payloads import Numbers, joined
from triplewire.pipeline.rows import EVENT_COLUMNS, EVENT_SCHEMA, MOMENT
from triplewire.rdf.events import Event
from triplewire.rdf.formats import NQUADS, format_named
from triplewire.rdf.limits import DEFAULT_LIMITS

MESSAGE_COLUMNS = f"{EVENT_COLUMNS}, problem string"
Per = Literal["event", "quad"]
_MESSAGE_SCHEMA = EVENT_SCHEMA.append(pa.field("problem", pa.string()))


def kafka_events(
    spark: SparkSession,
    servers: str,
    topic: str,
    per: Per = "event",
    options: Mapping[str, str] | None = None,
    format: str = NQUADS.name,  # noqa: A002  the public name
) -> DataFrame:
    """A stream of what is in a topic, from its beginning. `options` are the connector's own, and win.

    A message in another format than N-Quads is a document that holds one event. Triples without a graph get a name
    from the message's place, time and content, so that a repeat gives the same.
    """
    if per not in ("event", "quad"):
        raise InputError(wanted="one message per event or per quad", found=f"per {per!r}")
    form = format_named(format)
    if per == "quad" and form is not NQUADS:
        raise InputError(wanted=f"one quad a message as {NQUADS.name}", found=form.name)
    reader = spark.readStream.format("kafka").option("kafka.bootstrap.servers", servers).option("subscribe", topic)
    reader = reader.option("startingOffsets", "earliest").options(**(options or {}))
    try:
        messages = reader.load()
    except AnalysisException as error:
        raise _without_connector(error) from None
    source = F.format_string("kafka:%s:%d:%d", "topic", "partition", "offset")
    rows = messages.select("value", source.alias("source"), F.col("timestamp").alias("time"))
    if per == "quad":
        return quads_of(rows)
    return rows.mapInArrow(_reading if form is NQUADS else parse_messages(form.name), MESSAGE_COLUMNS)


def send_to_kafka(notifications: DataFrame, servers: str, topic: str, options: Mapping[str, str] | None = None) -> int:
    """Send notifications as JSON, one message each, keyed by subscription and event; returns how many there were."""
    count = notifications.count()
    if not count:
        return 0
    key = F.to_json(F.struct("subscription", "event"))
    value = F.to_json(F.struct("subscription", "event", "time", "solutions", "lane"))
    messages = notifications.select(key.alias("key"), value.alias("value"))
    writer = messages.write.format("kafka").option("kafka.bootstrap.servers", servers).option("topic", topic)
    try:
        writer.options(**(options or {})).save()
    except AnalysisException as error:
        raise _without_connector(error) from None
    return count


class KafkaCluster:
    """What a cluster says of itself, through the client that the connector brings."""

    def __init__(self, spark: SparkSession, servers: str, options: Mapping[str, str] | None = None) -> None:
        self._jvm: Any = spark.sparkContext._jvm
        self._servers = servers
        own = {key.removeprefix("kafka."): value for key, value in (options or {}).items() if key.startswith("kafka.")}
        self._settings = {"bootstrap.servers": servers, **own}

    def cluster_id(self) -> str:
        """The name that a cluster has for good."""
        return str(self._asked(lambda admin: admin.describeCluster().clusterId().get()))

    def topic_ids(self, names: Iterable[str]) -> dict[str, str]:
        """The ids of topics: one that was deleted and made anew has another."""
        wanted = self._jvm.java.util.ArrayList()
        for name in names:
            wanted.add(name)
        found = self._asked(lambda admin: admin.describeTopics(wanted).allTopicNames().get())
        return {str(name): str(found.get(name).topicId()) for name in found.keySet()}

    def _asked(self, question: Callable[[Any], Any]) -> Any:
        from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]

        settings = self._jvm.java.util.Properties()
        for key, value in self._settings.items():
            settings.setProperty(key, value)
        try:
            admin = self._jvm.org.apache.kafka.clients.admin.Admin.create(settings)
        except (TypeError, Py4JError) as error:
            # What is no class for Py4J is a package, which cannot be called.
            raise _no_connector(str(error)) from None
        try:
            return question(admin)
        except Py4JJavaError as error:
            message = str(error.java_exception.getMessage())
            raise PipelineError(wanted=f"an answer from Kafka at {self._servers}", found=message) from None
        finally:
            admin.close()


def _without_connector(error: AnalysisException) -> Exception:
    # Spark raises one class for every source that it cannot load; only its text names the source.
    if "kafka" not in str(error).lower():
        return error
    return _no_connector(str(error))


def _no_connector(message: str) -> SparkUnavailable:
    return SparkUnavailable(
        wanted="Spark's Kafka connector",
        found="none in this session",
        hint="start it with --packages org.apache.spark:spark-sql-kafka-0-10_2.13:VERSION, or --jars FOLDER "
        f"({message[:80]})",
    )


def parse_messages(format: str) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:  # noqa: A002
    """The function that reads messages of any format in the tasks, one by one."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = [_parsed(format, **row) for row in batch.select(["value", "source", "time"]).to_pylist()]
            yield pa.RecordBatch.from_pylist(rows, schema=_MESSAGE_SCHEMA)

    return run


def _parsed(format: str, value: bytes | None, source: str, time: datetime) -> dict[str, Any]:  # noqa: A002
    row = {"event": None, "source": source, "time": time, "payload": None, "problem": None}
    try:
        found = Event.parse(value or b"", format, source=source, time=time)
    except EmptyEvent:
        found = []
    except SyntaxProblem as problem:
        return {**row, "problem": f"line {problem.line}: column {problem.column}: {problem.message}"}
    except InputError as problem:
        return {
            **row,
            "problem": problem.message if problem.line is None else f"line {problem.line}: {problem.message}",
        }
    if len(found) != 1:
        return {**row, "problem": f"wanted one event a message, found {len(found)}"}
    return {**row, "event": found[0].graph.value, "payload": found[0].nquads}


def _reading(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield from read_messages(batch)


def read_messages(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Scan all messages at once; where neighbours carry one graph, cut between them and scan again."""
    text, starts = joined(batch.column("value"))
    scanned = within(scan(text), DEFAULT_LIMITS)
    begins, ends = _rows_of_events(scanned, starts)
    crossed = np.unique(ends[begins != ends]).tolist()
    if not crossed:
        yield _messages(scanned, begins, starts, batch)
        return
    for low, high in zip([0, *crossed], [*crossed, len(batch)], strict=True):
        yield from read_messages(batch.slice(low, high - low))


def _rows_of_events(scanned: ScanResult, starts: Numbers) -> tuple[Numbers, Numbers]:
    last = scanned.quads[scanned.events[:, EVENT_LAST] - 1, QUAD_LINE]
    first = scanned.events[:, EVENT_LINE]
    return np.searchsorted(starts, first, side="right") - 1, np.searchsorted(starts, last, side="right") - 1


def _messages(scanned: ScanResult, rows: Numbers, starts: Numbers, batch: pa.RecordBatch) -> pa.RecordBatch:
    problems = _problems(scanned, rows, starts, len(batch))
    offsets, data = canonical_events(scanned.buffer, scanned.quads, scanned.events)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    payloads = pa.BinaryArray.from_buffers(pa.binary(), len(scanned), buffers)
    # A broken line that names no graph has an empty span.
    first = scanned.events[:, EVENT_GRAPH + START] + 1
    names = spans(scanned.buffer, first, np.maximum(first, scanned.events[:, EVENT_GRAPH + END] - 1))
    event_of = {row: event for event, row in enumerate(rows.tolist()) if row not in problems}
    places = pa.array([event_of.get(row) for row in range(len(batch))], pa.int64())
    reasons = pa.array([problems.get(row) for row in range(len(batch))], pa.string())
    columns = [
        names.take(places),
        batch.column("source"),
        batch.column("time").cast(MOMENT),
        payloads.take(places),
        reasons,
    ]
    return pa.RecordBatch.from_arrays(columns, schema=_MESSAGE_SCHEMA)


def _problems(scanned: ScanResult, rows: Numbers, starts: Numbers, total: int) -> dict[int, str]:
    """What is wrong with messages, by row; the first broken line speaks for all of a message."""
    counts = np.bincount(rows, minlength=total).tolist()
    found = {row: f"wanted one event a message, found {count}" for row, count in enumerate(counts) if count != 1}
    for error in reversed(scanned.errors):
        row = int(np.searchsorted(starts, error.line, side="right")) - 1
        found[row] = f"line {error.line - int(starts[row]) + 1}: {error.message}"
    return found
