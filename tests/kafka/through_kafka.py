"""Events through a real Kafka broker and Spark, with a driver that is killed. Run by `make test-kafka`."""

from __future__ import annotations

import json as plain_json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from pyspark.sql import DataFrame, SparkSession
from tests.kafka.broker import kafka_broker
from tests.kafka.driver import Plan, settings_of

from triplewire.matching import Matcher
from triplewire.pipeline.assembly import assembly, sorted_out
from triplewire.pipeline.session import spark_session
from triplewire.pipeline.sources.kafka import kafka_events
from triplewire.testing import workloads

JARS = Path(os.environ.get("TRIPLEWIRE_KAFKA_JARS", ".venv/kafka")).absolute()
ROOT = Path(__file__).parents[2]
EVENTS, AT_ONCE, KILLS = 1_500, 100, 3
PATIENCE_SECONDS = 300.0

Pairs = list[tuple[str, str]]


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with kafka_broker(JARS / "broker", tmp_path_factory.mktemp("broker")) as address:
        yield address


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    with spark_session(settings_of(str(JARS / "connector"))) as session:
        yield session


def publish(spark: SparkSession, servers: str, topic: str, values: list[bytes]) -> None:
    df = spark.createDataFrame([(bytearray(value),) for value in values], "value binary")
    df.write.format("kafka").option("kafka.bootstrap.servers", servers).option("topic", topic).save()


def messages(spark: SparkSession, servers: str, topic: str) -> DataFrame:
    reader = spark.read.format("kafka").option("kafka.bootstrap.servers", servers).option("subscribe", topic)
    return reader.load().selectExpr("string(key) AS key", "string(value) AS value")


def commits(folder: Path) -> int:
    return sum(len(list(folder.glob(f"{name}/commits/[0-9]*"))) for name in ("lake", "back"))


def killed_after(plan: Path, folder: Path, more: int) -> bool:
    """Start the driver, kill it and its JVM some micro-batches later; says whether it was still at work."""
    wanted = commits(folder) + more
    command = [sys.executable, "-m", "tests.kafka.driver", str(plan)]
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while process.poll() is None and commits(folder) < wanted and time.monotonic() < deadline:
        time.sleep(0.05)
    was_running = process.poll() is None
    if was_running:
        time.sleep(random.random())
        # The group is the one that this process was started in: the driver and its JVM, nobody else.
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return was_running


def test_a_killed_driver_loses_nothing_and_repeats_nothing_in_the_lake(
    spark: SparkSession, servers: str, tmp_path: Path
) -> None:
    feed = workloads.mixed(500, EVENTS, seed=4, matches_per_event=2)
    asked = tmp_path / "subscriptions.jsonl"
    asked.write_text("\n".join(plain_json.dumps(row._asdict()) for row in feed.rows()))
    publish(spark, servers, "events", [*feed.payloads(), b"no event\n"])
    told = Plan(servers, "events", "alerts", str(asked), str(tmp_path), str(JARS / "connector"), AT_ONCE)
    plan = tmp_path / "plan.json"
    plan.write_bytes(msgspec.json.encode(told))
    kills = sum(killed_after(plan, tmp_path, more=3) for _ in range(KILLS))
    assert kills == KILLS
    subprocess.run([sys.executable, "-m", "tests.kafka.driver", str(plan)], cwd=ROOT, check=True)
    wanted = expected(feed)
    lake = [(row.subscription, row.event) for row in spark.read.parquet(str(tmp_path / "notifications")).collect()]
    assert sorted(lake) == wanted
    alerts = messages(spark, servers, "alerts").collect()
    assert sorted({tuple(msgspec.json.decode(row.key).values()) for row in alerts}) == wanted
    assert len({(row.key, row.value) for row in alerts}) == len(wanted)
    print(f"{kills} kills, {len(wanted)} notifications, {len(alerts) - len(wanted)} sent to Kafka again")


def expected(feed: workloads.Workload) -> Pairs:
    """What a clean run gives: the matcher, over everything that was published."""
    matcher = Matcher()
    for subscription in feed.subscriptions():
        matcher.add(subscription)
    return sorted((m.subscription_id, m.event.graph.value) for m in matcher.match_nquads(feed.nquads()))


def test_a_message_that_is_no_event_keeps_its_place_and_reason(
    spark: SparkSession, servers: str, tmp_path: Path
) -> None:
    good = b"<urn:s> <urn:p> <urn:o> <urn:e> .\n"
    publish(spark, servers, "bad", [good, good, b"<urn:s> <urn:p> .\n", b"", good + good.replace(b"urn:e", b"urn:f")])
    rows: list[tuple[str | None, str | None]] = []

    def take(batch: DataFrame, _: int) -> None:
        rows.extend((row.event, row.problem) for row in batch.collect())
        assert all(row.source.startswith("kafka:bad:") for row in batch.collect())

    stream = kafka_events(spark, servers, "bad").writeStream.foreachBatch(take).trigger(availableNow=True)
    stream.option("checkpointLocation", str(tmp_path)).start().awaitTermination()
    assert [row for row in rows if row[1] is None] == [("urn:e", None)] * 2
    problems = sorted(problem or "" for _, problem in rows if problem)
    assert problems[1:] == ["wanted one event a message, found 0", "wanted one event a message, found 2"]
    assert problems[0].startswith("line 1: ")


def test_quads_that_arrive_one_by_one_become_events(spark: SparkSession, servers: str, tmp_path: Path) -> None:
    events = list(workloads.library(4, 50, seed=9).events())
    lines = [line.encode() for event in events for line in event.nquads.decode().splitlines()]
    random.Random(1).shuffle(lines)
    publish(spark, servers, "quads", lines)
    time.sleep(8)
    publish(spark, servers, "quads", [b"<urn:s> <urn:p> <urn:o> <urn:the-end> ."])
    found: dict[str, bytes] = {}

    def take(batch: DataFrame, number: int) -> None:
        whole = sorted_out(batch, number, str(tmp_path), gap="5 seconds")
        found.update((row.event, bytes(row.payload)) for row in whole.events.collect())
        assert whole.rejects.count() == 0

    quads = kafka_events(spark, servers, "quads", per="quad")
    stream = assembly(quads, gap="5 seconds", delay="1 second").writeStream.foreachBatch(take)
    stream.option("checkpointLocation", str(tmp_path)).trigger(availableNow=True).start().awaitTermination()
    assert found == {event.graph.value: event.nquads for event in events}
