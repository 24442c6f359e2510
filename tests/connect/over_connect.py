"""Over Spark Connect every strategy and every job gives what one machine gives, by the same calls.

Run by `make test-connect`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from tests.connect.conftest import FILES
from tests.pipeline.jobs.stream.streams import asked
from tests.pipeline.samples import EVENTS, expected, notified, request_of, rows_of, write_rows

from triplewire import Taxonomy
from triplewire.errors import InputError, PipelineError, SparkUnavailable
from triplewire.languages.files import load_subscriptions
from triplewire.pipeline import match, register
from triplewire.pipeline.api_modes import is_connect, is_here, parallelism
from triplewire.pipeline.jobs.compaction import CompactRequest, compact
from triplewire.pipeline.jobs.gauges import ByTasks
from triplewire.pipeline.jobs.history import BackfillRequest, ReplayRequest, backfill, replay
from triplewire.pipeline.jobs.matching import match_files
from triplewire.pipeline.jobs.profiling import ProfileRequest, profile
from triplewire.pipeline.jobs.stream import Assembly, Folder, stream
from triplewire.pipeline.jobs.task_runner import NoListener, run_step
from triplewire.pipeline.session import SessionSettings, spark_session
from triplewire.pipeline.strategies import prepare
from triplewire.testing.workloads import Row

STRATEGIES = ["replicate", "osma", "csma", "auto"]
TWICE = ("first", "second")
_PROGRAM = str(Path(sys.executable).with_name("triplewire"))


class Watching(NoListener):
    """Keeps what it is shown."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def see(self, counts) -> None:
        self.seen.append(counts.bytes)


def test_the_session_is_one_of_connect(spark):
    assert (is_connect(spark), is_here(spark), parallelism(spark)) == (True, False, 2)


@pytest.mark.parametrize("strategy", ["replicate", "osma", "csma"])
def test_an_index_that_only_the_client_has(spark, feed, tmp_path, strategy):
    register(spark)
    events = spark.read.format("triplewire").load(str(feed / "events"))
    subscriptions = load_subscriptions([feed / "subscriptions.jsonl"])
    taxonomy = Taxonomy.parse(feed / "taxonomy.ttl")
    prepared = prepare(spark, subscriptions, tmp_path / "here", strategy, taxonomy=taxonomy, parts=2)
    for _ in TWICE:
        found = match(events, prepared).select("subscription", "event")
        (tmp_path / "here").rename(tmp_path / "away")
        assert Counter(map(tuple, found.collect())) == Counter(expected(feed))
        (tmp_path / "away").rename(tmp_path / "here")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_match_twice(spark, feed, tmp_path, strategy):
    lake = tmp_path / "lake"
    for run in TWICE:
        match_files(spark, request_of(feed, lake, strategy=strategy, append=True, run_id=run))
    found = Counter(rows_of(lake, "notifications", "run, subscription, event"))
    assert found == Counter((run, *pair) for run in TWICE for pair in expected(feed))
    assert rows_of(lake, "runs", "run, events, rejects") == [(run, EVENTS, 0) for run in TWICE]


@pytest.mark.parametrize("strategy", ["replicate", "osma"])
def test_a_stream_over_several_micro_batches_and_on_under_another_index(spark, feed, tmp_path, strategy):
    mine, lake = tmp_path / "feed", tmp_path / "lake"
    shutil.copytree(feed, mine)
    request = asked(mine, lake, source=Folder(str(mine / "events"), files_at_once=1), strategy=strategy)
    done = stream(spark, request)
    assert (done.batches, done.events, done.rejects) == (FILES, EVENTS, 0)
    assert Counter(notified(lake)) == Counter(expected(feed))
    assert stream(spark, request).batches == 0
    write_rows(mine / "subscriptions.jsonl", [Row("every", "sparql", "ASK { ?s ?p ?o }")])
    (mine / "events" / "later.nq").write_text("<urn:s> <urn:p> <urn:o> <urn:later> .\n")
    again = stream(spark, request)
    assert (again.batches, again.events) == (1, 1)
    assert Counter(notified(lake)) == Counter([*expected(feed), ("every", "urn:later")])


def test_a_stream_that_would_need_the_lake_in_the_server_is_refused_before_any_work(spark, feed, tmp_path):
    with pytest.raises(InputError, match="wants a folder of whole events or the log of a node, found quads that"):
        stream(spark, asked(feed, tmp_path / "lake", assembly=Assembly()))
    assert not (tmp_path / "lake").exists()


def test_the_other_jobs_twice(spark, feed, tmp_path):
    lake, every = tmp_path / "lake", tmp_path / "every.rq"
    every.write_text("ASK { ?s ?p ?o }")
    match_files(spark, request_of(feed, lake))
    for count in (EVENTS, 0):
        assert backfill(spark, BackfillRequest(lake=str(lake), subscriptions=(str(every),))).run.matches == count
    for run in TWICE:
        replayed = ReplayRequest(lake=str(lake), out=str(tmp_path / run), subscriptions=(str(every),))
        assert replay(spark, replayed).run.matches == EVENTS
        assert profile(spark, ProfileRequest(out=str(tmp_path / "report"), lake=str(lake))).events == EVENTS
    before = notified(lake)
    for _ in TWICE:
        compact(spark, CompactRequest(lake=str(lake)))
        assert notified(lake) == before


def test_read_stream(spark, feed, tmp_path):
    register(spark)
    events = spark.readStream.format("triplewire").load(str(feed / "events"))
    query = (
        events.writeStream.trigger(availableNow=True)
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .start(str(tmp_path / "out"), format="parquet")
    )
    assert query.awaitTermination(240)
    assert spark.read.parquet(str(tmp_path / "out")).count() == EVENTS


class TestSteps:
    def test_a_listener_is_shown_how_many_tasks_are_done(self, spark):
        watching = Watching()
        rows = spark.range(0, 100, 1, 4)
        assert run_step(spark, watching, "counting", ByTasks(), rows.count) == 100
        assert watching.seen[-1] == ByTasks().total

    def test_what_is_interrupted_ends_and_the_session_goes_on(self, spark):
        """A listener that is interrupted stands for a person who presses Ctrl-C."""
        begun = threading.Event()

        class Pressing(NoListener):
            def see(self, counts) -> None:
                begun.set()
                raise KeyboardInterrupt

        def without_end(batches):
            for _ in batches:
                while True:
                    yield pa.RecordBatch.from_pydict({"n": [1]})

        rows = spark.range(0, 2, 1, 2).mapInArrow(without_end, "n long")
        with pytest.raises(KeyboardInterrupt):
            run_step(spark, Pressing(), "counting", ByTasks(), rows.count)
        assert begun.is_set()
        assert spark.range(7).count() == 7

    def test_what_fails_in_a_task_is_said_in_one_sentence(self, spark, feed, tmp_path):
        shutil.copytree(feed, tmp_path / "feed")
        (tmp_path / "feed" / "events" / "0.nq").write_text("no quad\n")
        with pytest.raises(PipelineError, match=r"0\.nq:1: "):
            match_files(spark, request_of(tmp_path / "feed", tmp_path / "lake", strict=True))
        assert list((tmp_path / "lake").glob("*/*.parquet")) == []


class TestCommandLine:
    def called(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([_PROGRAM, "pipeline", *words], capture_output=True, text=True, check=False, timeout=280)

    def asked(self, feed: Path, lake: Path) -> list[str]:
        files = ["-e", str(feed / "events"), "-s", str(feed / "subscriptions.jsonl"), "-t", str(feed / "taxonomy.ttl")]
        return ["match", *files, "-o", str(lake)]

    def test_match(self, remote, feed, tmp_path):
        done = self.called(*self.asked(feed, tmp_path / "lake"), "--remote", remote)
        assert done.returncode == 0, done.stderr
        assert Counter(notified(tmp_path / "lake")) == Counter(expected(feed))

    def test_a_setting_that_belongs_to_the_server(self, remote, feed, tmp_path):
        conf = ["--conf", "spark.executor.memory=1g"]
        done = self.called(*self.asked(feed, tmp_path / "lake"), "--remote", remote, *conf)
        assert (done.returncode, "set where its server is started" in " ".join(done.stderr.split())) == (1, True)
        assert not (tmp_path / "lake").exists()


def test_a_server_that_is_not_there():
    nowhere = spark_session(SessionSettings(remote="sc://127.0.0.1:1"))
    with pytest.raises(SparkUnavailable, match=r"wanted a Spark Connect server at sc://127\.0\.0\.1:1, found none"):
        nowhere.__enter__()
