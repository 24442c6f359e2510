"""`df.write` and `df.writeStream` into a lake: one commit each, an event once, whoever writes it again."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from tests.pipeline.samples import rows_of

from triplewire.pipeline.sources.datasource import register

pytestmark = pytest.mark.xdist_group("spark")

TIME = datetime(2024, 5, 1, tzinfo=UTC)


def quad(event: str, value: str = "o") -> bytes:
    return f"<urn:s> <urn:p> <urn:{value}> <urn:{event}> .\n".encode()


@pytest.fixture
def session(spark: SparkSession) -> SparkSession:
    register(spark)
    return spark


def events(spark: SparkSession, *rows: tuple[str, bytes]) -> DataFrame:
    columns = "event string, source string, time timestamp, payload binary"
    return spark.createDataFrame([(f"urn:{name}", "here", TIME, payload) for name, payload in rows], columns)


def write(rows: DataFrame, lake: Path, **options: str) -> None:
    rows.write.format("triplewire").mode("append").options(**options).save(str(lake))


def names(lake: Path) -> list[str]:
    return [name for (name,) in rows_of(lake, "events", "event")]


def test_rows_become_events_in_canonical_text_as_one_commit(session, tmp_path):
    twice = b"<urn:s> <urn:p> <urn:o>   <urn:a> .\n" + quad("a")
    write(events(session, ("a", twice), ("b", quad("b"))).repartition(2), tmp_path / "lake", runId="mine")
    found = rows_of(tmp_path / "lake", "events", "event, source, payload, run")
    assert found == [("urn:a", "here", quad("a"), "mine"), ("urn:b", "here", quad("b"), "mine")]
    assert rows_of(tmp_path / "lake", "runs", "run, job, events, rejects") == [("mine", "write", 2, 0)]


def test_the_same_event_again_is_one_row_and_another_content_is_a_reject(session, tmp_path):
    lake = tmp_path / "lake"
    write(events(session, ("a", quad("a")), ("b", quad("b")), ("a", quad("a"))), lake)
    write(events(session, ("a", quad("a")), ("b", quad("b", "other")), ("c", quad("c"))), lake)
    assert names(lake) == ["urn:a", "urn:b", "urn:c"]
    assert [payload for (payload,) in rows_of(lake, "events", "payload")] == [quad("a"), quad("b"), quad("c")]
    [(event, reason)] = rows_of(lake, "rejects", "event, reason")
    assert (event, "found another one" in reason) == ("urn:b", True)


def test_a_run_that_the_lake_has_is_not_written_again(session, tmp_path):
    write(events(session, ("a", quad("a"))), tmp_path / "lake", runId="once")
    write(events(session, ("b", quad("b"))), tmp_path / "lake", runId="once")
    assert names(tmp_path / "lake") == ["urn:a"]


def test_what_is_no_event_or_not_the_one_it_is_said_to_be_is_a_reject(session, tmp_path):
    lake = tmp_path / "lake"
    write(events(session, ("a", quad("a")), ("b", b"broken\n"), ("c", quad("d"))), lake)
    assert names(lake) == ["urn:a"]
    reasons = dict(rows_of(lake, "rejects", "event, reason"))
    assert reasons["urn:c"] == "wanted the event urn:c, found urn:d in its payload"
    assert "line 1" in reasons["urn:b"]


def test_payloads_alone_are_enough(session, tmp_path):
    write(session.createDataFrame([(quad("a"),)], "payload binary"), tmp_path / "lake")
    [(event, source)] = rows_of(tmp_path / "lake", "events", "event, source")
    assert (event, source) == ("urn:a", "dataframe")


def test_notifications_are_merged_by_subscription_and_event(session, tmp_path):
    columns = "subscription string, event string, time timestamp, solutions array<map<string,string>>, lane string"
    rows = session.createDataFrame([("s", "urn:a", TIME, [{"x": "<urn:s>"}], "fast")], columns)
    for _ in range(2):
        write(rows.union(rows), tmp_path / "lake")
    assert rows_of(tmp_path / "lake", "notifications", "subscription, event") == [("s", "urn:a")]


@pytest.mark.parametrize(
    ("columns", "mode", "words"),
    [
        ("nothing string", "append", "wants the column payload, or those of notifications"),
        ("payload binary", "overwrite", 'wants mode("append")'),
    ],
)
def test_what_cannot_be_written_is_refused_before_any_work(session, tmp_path, columns, mode, words):
    rows = session.createDataFrame([], columns)
    with pytest.raises(PySparkException) as refused:
        rows.write.format("triplewire").mode(mode).save(str(tmp_path / "lake"))
    assert words in str(refused.value)
    assert not (tmp_path / "lake").exists()


class TestStream:
    def drain(self, spark: SparkSession, home: Path, **options: str) -> None:
        rows = spark.readStream.format("triplewire").option("maxFilesPerTrigger", "1").load(str(home / "in"))
        writer = rows.writeStream.format("triplewire").options(**options)
        writer = writer.option("checkpointLocation", str(home / "checkpoint")).trigger(availableNow=True)
        query = writer.start(str(home / "lake"))
        assert query.awaitTermination(180)

    @pytest.fixture
    def home(self, tmp_path: Path) -> Path:
        (tmp_path / "in").mkdir()
        for name in "ab":
            (tmp_path / "in" / f"{name}.nq").write_bytes(quad(name))
        return tmp_path

    def test_each_micro_batch_is_a_commit_of_its_number(self, session, home):
        self.drain(session, home, name="papers")
        (home / "in" / "c.nq").write_bytes(quad("c"))
        self.drain(session, home, name="papers")
        found = rows_of(home / "lake", "events", "event, run, batch")
        assert found == [("urn:a", "papers", 0), ("urn:b", "papers", 1), ("urn:c", "papers", 2)]

    def test_micro_batches_that_the_lake_has_are_left_as_they_are(self, session, home):
        """Without its checkpoint Spark counts from 0 again."""
        self.drain(session, home, name="papers")
        shutil.rmtree(home / "checkpoint")
        self.drain(session, home, name="papers")
        assert rows_of(home / "lake", "events", "event, batch") == [("urn:a", 0), ("urn:b", 1)]
        assert len(rows_of(home / "lake", "runs", "run")) == 2

    def test_a_stream_without_a_name_is_refused(self, session, home):
        with pytest.raises(PySparkException, match="wants the option name"):
            self.drain(session, home)
