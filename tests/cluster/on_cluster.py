"""On a real standalone cluster every strategy and every job gives what one machine gives, twice in one session.

Run by `make test-cluster`.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from numba.core.dispatcher import Dispatcher
from pyspark.sql import SparkSession
from tests.cluster.conftest import FILES
from tests.cluster.standalone import WORKERS, Cluster
from tests.pipeline.jobs.stream.streams import asked, until
from tests.pipeline.samples import EVENTS, expected, notified, request_of, rows_of, write_rows, written_files

from triplewire import Taxonomy
from triplewire.errors import PipelineError
from triplewire.languages.files import load_subscriptions
from triplewire.pipeline import match, register
from triplewire.pipeline.jobs.compaction import CompactRequest, compact
from triplewire.pipeline.jobs.history import BackfillRequest, ReplayRequest, backfill, replay
from triplewire.pipeline.jobs.matching import match_files
from triplewire.pipeline.jobs.profiling import ProfileRequest, profile
from triplewire.pipeline.jobs.stream import Folder, stream
from triplewire.pipeline.strategies import prepare
from triplewire.testing.workloads import Row

COUNTS = pa.schema([("loaded", pa.int64()), ("compiled", pa.list_(pa.string()))])
STRATEGIES = ["replicate", "osma", "csma", "auto"]
TWICE = ("first", "second")


def unpacked(cluster: Cluster) -> list[Path]:
    """Indexes that workers have unpacked, wherever they keep them."""
    return [path for folder in cluster.folders for path in folder.rglob("triplewire-index*") if path.exists()]


class TestWorkers:
    def test_there_are_two_in_folders_of_their_own_with_the_python_that_is_asked_for(self, spark, cluster):
        def here(_: object) -> tuple[str, str, int]:
            return os.getcwd(), sys.executable, os.getuid()  # noqa: PTH109  as the system says it

        until(lambda: spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1 == WORKERS)
        found = set(spark.sparkContext.parallelize(range(8), 8).map(here).collect())
        assert {python for _, python, _ in found} == {cluster.workers.python} != {sys.executable}
        assert all(any(Path(where).is_relative_to(home) for home in cluster.folders) for where, _, _ in found)

    def test_they_are_another_user(self, spark, cluster):
        if cluster.workers.why_ours:
            pytest.skip(cluster.workers.why_ours)
        users = spark.sparkContext.parallelize(range(8), 8).map(lambda _: os.getuid()).collect()
        assert os.getuid() not in users

    def test_they_can_import_triplewire(self, spark):
        register(spark)


def test_no_worker_compiles_a_kernel_that_the_driver_has(spark: SparkSession, feed, room):
    """Nothing is kept beside their installation, and they have no folder for it."""

    def counted(batches):
        ours = [module for name, module in list(sys.modules.items()) if name.startswith("triplewire.")]
        found = [value for module in ours for value in vars(module).values() if isinstance(value, Dispatcher)]
        loaded = sum(sum(kernel.stats.cache_hits.values()) for kernel in found)
        compiled = sorted(kernel.py_func.__qualname__ for kernel in found if sum(kernel.stats.cache_misses.values()))
        for _ in batches:
            yield pa.RecordBatch.from_pylist([{"loaded": loaded, "compiled": compiled}], schema=COUNTS)

    match_files(spark, request_of(feed, room / "lake"))
    # In the processes of jobs: those of RDDs are others.
    rows = spark.range(0, 8, 1, 8).mapInArrow(counted, "loaded long, compiled array<string>").collect()
    assert [row.compiled for row in rows] == [[]] * 8
    assert sum(row.loaded for row in rows) > 0


@pytest.mark.parametrize("strategy", ["replicate", "osma", "csma"])
def test_a_strategy_twice_with_an_index_that_only_the_driver_has(spark: SparkSession, cluster, feed, room, strategy):
    """From two folders, which is what Spark would not carry under one name."""
    register(spark)
    events = spark.read.format("triplewire").load(str(feed / "events"))
    subscriptions = load_subscriptions([feed / "subscriptions.jsonl"])
    taxonomy = Taxonomy.parse(feed / "taxonomy.ttl")
    for turn in TWICE:
        prepared = prepare(spark, subscriptions, room / turn, strategy, taxonomy=taxonomy)
        for _ in TWICE:
            found = match(events, prepared)
            (room / turn).rename(room / "away")
            rows = found.select("subscription", "event").collect()
            (room / "away").rename(room / turn)
            assert Counter(map(tuple, rows)) == Counter(expected(feed))
    assert unpacked(cluster)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_match_twice(spark: SparkSession, feed, room, strategy):
    for run in TWICE:
        match_files(spark, request_of(feed, room / "lake", strategy=strategy, append=True, run_id=run))
    found = Counter(rows_of(room / "lake", "notifications", "run, subscription, event"))
    assert found == Counter((run, *pair) for run in TWICE for pair in expected(feed))
    assert rows_of(room / "lake", "runs", "run, events, rejects") == [(run, EVENTS, 0) for run in TWICE]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_stream_over_several_micro_batches_and_on_under_another_index(spark: SparkSession, feed, room, strategy):
    mine, lake = room / "feed", room / "lake"
    shutil.copytree(feed, mine)
    request = asked(mine, lake, source=Folder(str(mine / "events"), files_at_once=1), strategy=strategy)
    done = stream(spark, request)
    assert (done.batches, done.events, done.rejects) == (FILES, EVENTS, 0)
    assert Counter(notified(lake)) == Counter(expected(feed))
    write_rows(mine / "subscriptions.jsonl", [Row("every", "sparql", "ASK { ?s ?p ?o }")])
    (mine / "events" / "later.nq").write_text("<urn:s> <urn:p> <urn:o> <urn:later> .\n")
    again = stream(spark, request)
    assert (again.batches, again.events) == (1, 1)
    assert Counter(notified(lake)) == Counter([*expected(feed), ("every", "urn:later")])


def test_the_other_jobs_twice(spark: SparkSession, feed, room):
    lake, every = room / "lake", room / "every.rq"
    every.write_text("ASK { ?s ?p ?o }")
    match_files(spark, request_of(feed, lake))
    for count in (EVENTS, 0):
        assert backfill(spark, BackfillRequest(lake=str(lake), subscriptions=(str(every),))).run.matches == count
    for run in TWICE:
        replayed = ReplayRequest(lake=str(lake), out=str(room / run), subscriptions=(str(every),))
        assert replay(spark, replayed).run.matches == EVENTS
        assert profile(spark, ProfileRequest(out=str(room / "report"), lake=str(lake))).events == EVENTS
        assert profile(spark, ProfileRequest(out=str(room / "report"), events=(str(feed / "events"),))).events == EVENTS
    before = notified(lake)
    for _ in TWICE:
        compact(spark, CompactRequest(lake=str(lake)))
        assert notified(lake) == before


class TestEventsThatOnlyTheDriverSees:
    """They fail the run, with the file's name, and nothing of it is in the lake."""

    @pytest.fixture
    def hidden(self, feed, room, cluster) -> Path:
        if cluster.workers.why_ours:
            pytest.skip(f"files cannot be hidden from workers: {cluster.workers.why_ours}")
        shutil.copytree(feed, room / "feed")
        (room / "feed" / "events" / "2.nq").chmod(0o600)
        return room / "feed"

    @pytest.mark.parametrize("strategy", STRATEGIES)
    def test_match(self, spark, hidden, room, strategy):
        with pytest.raises(PipelineError, match=r"2\.nq: wanted a file that every worker can read.*Permission denied"):
            match_files(spark, request_of(hidden, room / "lake", strategy=strategy))
        assert written_files(room / "lake") == []

    def test_a_stream_goes_on_when_they_can_be_seen(self, spark, hidden, room):
        request = asked(hidden, room / "lake", source=Folder(str(hidden / "events"), files_at_once=FILES))
        with pytest.raises(PipelineError, match=r"2\.nq: wanted a file that every worker can read"):
            stream(spark, request)
        (hidden / "events" / "2.nq").chmod(0o644)
        assert stream(spark, request).events == EVENTS
        assert Counter(notified(room / "lake")) == Counter(expected(hidden))
