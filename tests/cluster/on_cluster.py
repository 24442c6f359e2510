"""On a real standalone cluster, strategies and jobs give what one machine gives. Run by `make test-cluster`."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from tests.cluster.standalone import WORKERS

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.matching import Matcher
from triplewire.pipeline import register
from triplewire.pipeline.strategies import matched, prepare
from triplewire.testing import workloads
from triplewire.testing.workloads import Workload

SUBSCRIPTIONS, EVENTS = 2_000, 3_000
SETTINGS = (
    "spark.driver.host=127.0.0.1",
    "spark.executor.memory=512m",
    "spark.executor.cores=1",
    "spark.cores.max=2",
)
_PATIENCE_SECONDS = 300

Rows = Counter[tuple[str, str, str]]


@pytest.fixture(scope="session")
def feed() -> Workload:
    return workloads.library(SUBSCRIPTIONS, EVENTS, seed=11, matches_per_event=2)


@pytest.fixture(scope="session")
def subscriptions(feed: Workload) -> list[Subscription]:
    opened = Subscription.parse('SELECT ?x { ?x ?p ?t FILTER(CONTAINS(?t, "part 13")) }', id="open")
    return [*feed.subscriptions(), opened]


@pytest.fixture(scope="session")
def taxonomy(feed: Workload) -> Taxonomy:
    return Taxonomy.parse(feed.taxonomy or "")


@pytest.fixture(scope="session")
def folder(feed: Workload, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Events in several files, so that both workers have something to do."""
    folder = tmp_path_factory.mktemp("events")
    payloads = list(feed.payloads())
    for number in range(4):
        (folder / f"{number}.nq").write_bytes(b"\n".join(payloads[number::4]))
    return folder


@pytest.fixture(scope="session")
def local(feed: Workload, subscriptions: list[Subscription], taxonomy: Taxonomy) -> Rows:
    """What the matcher finds, here and alone."""
    matcher = Matcher(taxonomy)
    for subscription in subscriptions:
        matcher.add(subscription)
    found = matcher.match_nquads(b"".join(feed.payloads())).to_arrow().to_pylist()
    return Counter(_row(m["subscription"], m["event"], m["solutions"]) for m in found)


def _row(subscription: str, event: str, solutions: list[list[tuple[str, str]]]) -> tuple[str, str, str]:
    return subscription, event, repr(sorted(sorted(solution) for solution in solutions))


def _collected(df: DataFrame) -> Rows:
    rows = df.select("subscription", "event", "solutions").collect()
    return Counter(_row(m.subscription, m.event, [list(s.items()) for s in m.solutions]) for m in rows)


def test_there_are_two_workers(spark: SparkSession) -> None:
    assert spark.sparkContext.master.startswith("spark://")
    executors = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
    assert executors == WORKERS


@pytest.mark.parametrize("strategy", ["replicate", "osma", "csma"])
def test_a_strategy_on_two_workers(
    spark: SparkSession,
    folder: Path,
    tmp_path: Path,
    subscriptions: list[Subscription],
    taxonomy: Taxonomy,
    local: Rows,
    strategy: str,
) -> None:
    register(spark)
    events = spark.read.format("triplewire").load(str(folder))
    prepared = prepare(spark, subscriptions, tmp_path, strategy, taxonomy=taxonomy, parts=4)
    assert _collected(matched(events, prepared)) == local
    assert len(local) > EVENTS


def test_the_match_job_writes_the_same_lake_as_on_one_machine(
    master: str, feed: Workload, folder: Path, tmp_path: Path
) -> None:
    asked, known = tmp_path / "asked", tmp_path / "known.ttl"
    asked.mkdir()
    suffixes = {"sparql": "rq", "formula": "formula", "graph": "graph"}
    for row in list(feed.rows())[:200]:
        (asked / f"{row.id}.{suffixes[row.language]}").write_text(row.text)
    known.write_text(feed.taxonomy or "")
    lakes = [tmp_path / name for name in ("cluster", "local")]
    for where, lake in zip((master, "local[2]"), lakes, strict=True):
        _pipeline(
            "match", "--events", folder, "--subscriptions", asked, "--taxonomy", known, "--out", lake, "--master", where
        )
    on_cluster, on_one = (_lake_rows(lake) for lake in lakes)
    assert on_cluster == on_one
    assert on_cluster


def test_the_other_jobs_do_there_what_they_do_here(master: str, feed: Workload, folder: Path, tmp_path: Path) -> None:
    first, second, lake = tmp_path / "first.rq", tmp_path / "second.rq", tmp_path / "lake"
    first.write_text("ASK { ?s a ?c }")
    second.write_text("ASK { ?s ?p ?o }")
    _pipeline("match", "-e", folder, "-s", first, "-o", lake, "--master", master)
    _pipeline("backfill", "-l", lake, "-s", second, "--master", master)
    notified = Counter(row[0] for row in _lake_rows(lake).elements())
    assert notified["second"] == EVENTS
    before = _lake_rows(lake)
    _pipeline("compact", "-l", lake, "--master", master)
    assert _lake_rows(lake) == before
    assert len(list((lake / "notifications").glob("*.parquet"))) == 1
    _pipeline("profile", "-l", lake, "-o", tmp_path / "report", "--master", master)
    assert (tmp_path / "report" / "advertisements" / "all-properties.ttl").exists()


def _pipeline(*arguments: object) -> None:
    conf = [word for setting in SETTINGS for word in ("--conf", setting)]
    command = [str(Path(sys.executable).with_name("triplewire")), "pipeline", *map(str, arguments), *conf]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr


def _lake_rows(lake: Path) -> Rows:
    table = pq.read_table(lake / "notifications", columns=["subscription", "event", "solutions"])
    return Counter(_row(m["subscription"], m["event"], m["solutions"]) for m in table.to_pylist())
