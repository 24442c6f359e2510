"""Quads that arrive one by one, out of order and late, become events or rejects; none is lost."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from triplewire.errors import InputError
from triplewire.pipeline.assembly import assembled, assembly_stream, quads_of, seconds_of, separate_batch
from triplewire.rdf.events import Event
from triplewire.testing import workloads

pytestmark = pytest.mark.xdist_group("spark")

GAP, DELAY = "10 seconds", "20 seconds"
START = datetime(2024, 5, 1, 12, tzinfo=UTC)

Arrival = tuple[float, str]


class Feed:
    """A stream of files, one a micro-batch, assembled into lists."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.inbox, self.checkpoint = folder / "inbox", folder / "checkpoint"
        self.inbox.mkdir()
        self.events: list[Row] = []
        self.rejects: list[Row] = []
        self.dropped = 0
        self._spark = spark
        self._files = 0

    def arrive(self, arrivals: list[Arrival]) -> None:
        """One micro-batch of quads, each so many seconds after the start."""
        lines = [
            json.dumps({"value": quad, "time": (START + timedelta(seconds=after)).isoformat()})
            for after, quad in arrivals
        ]
        (self.inbox / f"{self._files:03}.json").write_text("\n".join(lines))
        self._files += 1
        self._run()

    def _run(self) -> None:
        """Take what is there and stop: the next micro-batch continues from the checkpoint, as after a restart."""
        raw = self._spark.readStream.schema("value string, time timestamp").json(str(self.inbox))
        quads = quads_of(raw.selectExpr("value", "'feed' AS source", "time"))
        stream = assembly_stream(quads, gap=GAP, delay=DELAY).writeStream.foreachBatch(self._take)
        query = stream.option("checkpointLocation", str(self.checkpoint)).trigger(availableNow=True).start()
        query.awaitTermination()
        operators = (operator for progress in query.recentProgress for operator in progress["stateOperators"])
        self.dropped += sum(operator["numRowsDroppedByWatermark"] for operator in operators)

    def _take(self, batch: DataFrame, number: int) -> None:
        # Read twice: without this, Spark would assemble, and count what it drops, twice.
        batch.persist()
        found = separate_batch(batch, number, str(self.checkpoint), gap=GAP)
        self.events += found.events.collect()
        self.rejects += found.rejects.collect()
        batch.unpersist()


def quad(event: int, number: int) -> str:
    return f"<urn:s> <urn:p> <urn:{number}> <urn:event:{event}> ."


def payload(event: int, numbers: list[int]) -> bytes:
    return "".join(sorted(f"{quad(event, number)}\n" for number in numbers)).encode()


def contents(rows: list[Row]) -> dict[str, bytes]:
    assert len({row.event for row in rows}) == len(rows)
    return {row.event: bytes(row.payload) for row in rows}


def test_quads_of_several_micro_batches_become_one_event_and_late_ones_are_kept(
    spark: SparkSession, tmp_path: Path
) -> None:
    feed = Feed(spark, tmp_path)
    feed.arrive([(0, quad(1, 1)), (3, quad(2, 1))])
    feed.arrive([(5, quad(1, 2)), (4, quad(1, 3)), (5, quad(1, 2)), (6, "no quad at all")])
    assert feed.events == []
    feed.arrive([(100, quad(3, 1))])
    assert contents(feed.events) == {"urn:event:1": payload(1, [1, 2, 3]), "urn:event:2": payload(2, [1])}
    assert {row.event: row.time.replace(tzinfo=UTC) for row in feed.events}["urn:event:1"] == START
    feed.arrive([(101, quad(3, 2)), (2, quad(2, 2)), (60, quad(4, 1))])
    feed.arrive([(300, quad(5, 1))])
    assert contents(feed.events)["urn:event:3"] == payload(3, [1, 2])
    assert {row.event for row in feed.events} == {"urn:event:1", "urn:event:2", "urn:event:3"}
    late = [row for row in feed.rejects if row.reason.startswith("late")]
    assert sorted(row.quad.strip() for row in late) == sorted([quad(2, 2), quad(4, 1)])
    assert feed.dropped == len(late)
    [bad] = [row for row in feed.rejects if not row.reason.startswith("late")]
    assert (bad.quad, bad.event) == ("no quad at all", None)


def test_shuffled_quads_give_the_events_that_whole_ones_give(spark: SparkSession) -> None:
    events = list(workloads.library(4, 60, seed=2).events())
    lines = [(n, line) for n, event in enumerate(events) for line in event.nquads.decode().splitlines()]
    random.Random(5).shuffle(lines)
    rows = [(line, "feed", START + timedelta(seconds=number)) for number, line in lines]
    quads = quads_of(spark.createDataFrame(rows, "value string, source string, time timestamp"))
    assert contents(assembled(quads, gap=GAP, delay=DELAY).collect()) == {e.graph.value: e.nquads for e in events}


def test_quads_come_out_in_their_canonical_spelling(spark: SparkSession) -> None:
    text = '<urn:s>  <urn:p>\t"\\u0041é"@EN <urn:e> . # why\n'
    df = spark.createDataFrame([(text, "feed", START)], "value string, source string, time timestamp")
    [row] = quads_of(df).collect()
    assert (row.event, row.quad.encode(), row.problem) == ("urn:e", Event.parse(text)[0].nquads, None)


def test_a_message_may_hold_good_and_bad_lines(spark: SparkSession) -> None:
    text = f"{quad(1, 1)}\nbroken\n\n{quad(1, 2)}"
    df = spark.createDataFrame([(text, "feed", START)], "value string, source string, time timestamp")
    rows = quads_of(df).collect()
    assert sorted((row.quad.strip(), row.problem is None) for row in rows) == [
        (quad(1, 1), True),
        (quad(1, 2), True),
        ("broken", False),
    ]


@pytest.mark.parametrize("wrong", ["", "soon", "10", "-1 second", "1 fortnight"])
def test_an_interval_that_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(InputError, match="wanted an interval such as"):
        seconds_of(wrong)


def test_intervals() -> None:
    assert [seconds_of(text) for text in ("1 second", "2 minutes", " 3 HOURS ", "1 day")] == [1, 120, 10_800, 86_400]
