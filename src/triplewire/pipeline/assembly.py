"""Events from a stream of quads that arrive one by one and out of order.

Quads of one graph are one event. Nobody says when an event is complete; what can be said is that its quads carry
times that lie close together. So an event is taken to be whole when the watermark, `delay` behind the latest time
seen, has passed its last quad by `gap`. Spark's own session windows keep the quads until then.

A quad whose own session has been passed by the watermark when it arrives is late: Spark's operator leaves it out,
because its event may have gone out already, and an event's content never changes. Such quads are not lost: they are
rejects, and the rule here is the operator's own, by the watermark that Spark has written down for the micro-batch.

    quads      event, quad, source, time, problem        `quads_of` makes them; a line that is no quad has a problem
    assembly   event, source, time, payload, quad, problem      whole events, and what arrived, in one stream
    sorted     events and rejects of one micro-batch, inside foreachBatch

An event whose quads are more than `gap` apart comes out twice, with one name and two contents: choose `gap` longer
than the longest silence inside an event.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  as everybody names it

from triplewire.errors import InputError
from triplewire.matching.arrow_columns import spans
from triplewire.matching.kernels.columns import BROKEN, END, QUAD_LINE, QUAD_STATE, START, G, O, P, S
from triplewire.matching.scanning.scanner import ScanResult, scan
from triplewire.pipeline.payloads import Numbers, joined
from triplewire.pipeline.rows import EVENT_SCHEMA, MOMENT
from triplewire.rdf.limits import DEFAULT_LIMITS

QUAD_COLUMNS = "event string, quad string, source string, time timestamp, problem string"
_QUAD_SCHEMA = pa.schema(
    [
        ("event", pa.string()),
        ("quad", pa.string()),
        ("source", pa.string()),
        ("time", MOMENT),
        ("problem", pa.string()),
    ]
)
_END_OF_LINE = ".\n"
_INTERVAL = re.compile(r"\s*(\d+)\s*(second|minute|hour|day)s?\s*", re.IGNORECASE)
_SECONDS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400}


class SeparatedBatch(NamedTuple):
    """What a micro-batch brought: whole events, and with the reason quads that belong to none and what is too large."""

    events: DataFrame
    rejects: DataFrame


def quads_of(df: DataFrame) -> DataFrame:
    """Read rows of `value` (N-Quads), `source` and `time`: a row for each quad, and one for each line that is none."""
    wanted = df.select(F.col("value").cast("binary").alias("value"), "source", "time")
    return wanted.mapInArrow(_reading, QUAD_COLUMNS)


def assembly_stream(quads: DataFrame, *, gap: str = "10 seconds", delay: str = "1 minute") -> DataFrame:
    """Whole events as they become so, beside everything that arrives. Give its micro-batches to `separate_batch`."""
    events = assembled(quads, gap=gap, delay=delay).withColumns({"quad": _no_text(), "problem": _no_text()})
    arrived = quads.withColumn("payload", F.lit(None).cast("binary")).select(events.columns)
    return events.unionByName(arrived)


def assembled(quads: DataFrame, *, gap: str = "10 seconds", delay: str = "1 minute") -> DataFrame:
    """Whole events only. The time of an event is that of its first quad; so is its source, if there are several."""
    seconds_of(gap)
    sound = quads.where("problem IS NULL").withWatermark("time", f"{seconds_of(delay)} seconds")
    sessions = sound.groupBy("event", F.session_window("time", gap))
    whole = sessions.agg(
        F.min(F.struct("time", "source")).alias("first"),
        F.array_join(F.array_sort(F.collect_set("quad")), "").cast("binary").alias("payload"),
    )
    return whole.select("event", "first.source", "first.time", "payload").select(*EVENT_SCHEMA.names)


def separate_batch(batch: DataFrame, number: int, checkpoint: str, *, gap: str = "10 seconds") -> SeparatedBatch:
    """Part a micro-batch of `assembly_stream`, inside foreachBatch, by the watermark in the stream's own checkpoint.

    Both parts read the batch: persist it before, or the quads are put together twice.
    """
    passed = _late_watermark(batch.sparkSession, checkpoint, number)
    late = F.unix_millis("time") + 1_000 * seconds_of(gap) <= F.lit(passed)
    late_reason = F.concat(F.lit("late: came after the watermark, "), F.timestamp_millis(F.lit(passed)).cast("string"))
    reason = F.coalesce(F.col("problem"), F.when(late, late_reason))
    arrived = batch.where("payload IS NULL").withColumn("reason", reason).where("reason IS NOT NULL")
    whole = batch.where("payload IS NOT NULL")
    too_large = F.length("payload") > DEFAULT_LIMITS.event_bytes
    rejected = whole.where(too_large).withColumn("reason", _too_large()).unionByName(arrived)
    return SeparatedBatch(
        whole.where(~too_large).select(*EVENT_SCHEMA.names),
        rejected.select("event", "quad", "source", "time", "reason"),
    )


def seconds_of(interval: str) -> int:
    """The seconds of an interval such as `10 seconds` or `2 minutes`."""
    found = _INTERVAL.fullmatch(interval)
    if found is None:
        raise InputError(wanted="an interval such as '10 seconds' or '2 minutes'", found=repr(interval))
    return int(found[1]) * _SECONDS[found[2].lower()]


def _too_large() -> Column:
    wanted = f"event too large: wanted at most {DEFAULT_LIMITS.event_bytes:,} bytes, found "
    return F.concat(F.lit(wanted), F.format_number(F.length("payload"), 0))


def _no_text() -> Column:
    return F.lit(None).cast("string")


def _late_watermark(spark: SparkSession, checkpoint: str, number: int) -> int:
    """What Spark judged lateness by in a micro-batch, in milliseconds: the watermark of the one before."""
    if number == 0:
        return 0
    path = f"{checkpoint}/offsets/{number - 1}"
    try:
        lines = spark.read.text(path, wholetext=True).collect()[0].value.splitlines()
    except AnalysisException as error:
        raise InputError(wanted="the offsets of the micro-batch before", found="none", source=str(path)) from error
    return int(msgspec.json.decode(lines[1])["batchWatermarkMs"])


def _reading(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        text, starts = joined(batch.column("value"))
        scanned = scan(text)
        yield _sound_rows(scanned, starts, batch)
        yield _broken_rows(scanned, starts, batch)


def _sound_rows(scanned: ScanResult, starts: Numbers, batch: pa.RecordBatch) -> pa.RecordBatch:
    quads = scanned.quads[scanned.quads[:, QUAD_STATE] != BROKEN]
    terms = [spans(scanned.buffer, quads[:, term + START], quads[:, term + END]) for term in (S, P, O, G)]
    names = spans(scanned.buffer, quads[:, G + START] + 1, quads[:, G + END] - 1)
    lines = pc.binary_join_element_wise(*terms, _END_OF_LINE, " ")
    return _rows(names, lines, quads[:, QUAD_LINE], pa.nulls(len(quads), pa.string()), starts, batch)


def _broken_rows(scanned: ScanResult, starts: Numbers, batch: pa.RecordBatch) -> pa.RecordBatch:
    values = batch.column("value").to_pylist()
    lines = np.array([error.line for error in scanned.errors], np.int64)
    places = zip(lines.tolist(), (np.searchsorted(starts, lines, side="right") - 1).tolist(), strict=True)
    texts = [values[row].split(b"\n")[line - int(starts[row])].decode(errors="replace") for line, row in places]
    reasons = pa.array([error.message for error in scanned.errors], pa.string())
    return _rows(pa.nulls(len(texts), pa.string()), pa.array(texts, pa.string()), lines, reasons, starts, batch)


def _rows(
    names: pa.Array, texts: pa.Array, lines: Numbers, problems: pa.Array, starts: Numbers, batch: pa.RecordBatch
) -> pa.RecordBatch:
    """Rows of `_QUAD_SCHEMA`, with source and time of the row that each line stands in."""
    rows = pa.array(np.searchsorted(starts, lines, side="right") - 1)
    sources, times = (batch.column(name).take(rows) for name in ("source", "time"))
    return pa.RecordBatch.from_arrays([names, texts, sources, times.cast(MOMENT), problems], schema=_QUAD_SCHEMA)
