"""Events through a real Kafka broker and Spark, with a driver that is killed. Run by `make test-kafka`."""

from __future__ import annotations

import json as plain_json
import os
import random
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pyspark.sql import DataFrame, SparkSession
from tests.kafka.broker import kafka_broker
from tests.kafka.streams import Driver
from tests.pipeline.samples import rows_of

from triplewire.errors import LakeError
from triplewire.matching import Matcher
from triplewire.pipeline.jobs.stream import StreamRequest, Topic, stream
from triplewire.pipeline.session import SessionSettings, spark_session
from triplewire.pipeline.sources.kafka import kafka_events
from triplewire.testing import workloads

JARS = Path(os.environ.get("TRIPLEWIRE_KAFKA_JARS", ".venv/kafka")).absolute()
EVENTS, AT_ONCE, KILLS = 1_500, 100, 3

Pairs = list[tuple[str, str]]


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with kafka_broker(JARS / "broker", tmp_path_factory.mktemp("broker")) as address:
        yield address


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    names = ",".join(str(jar) for jar in sorted((JARS / "connector").glob("*.jar")))
    conf = {"spark.jars": names, "spark.sql.shuffle.partitions": "2"}
    with spark_session(SessionSettings("local[2]", conf)) as session:
        yield session


def publish(spark: SparkSession, servers: str, topic: str, values: list[bytes]) -> None:
    df = spark.createDataFrame([(bytearray(value),) for value in values], "value binary")
    df.write.format("kafka").option("kafka.bootstrap.servers", servers).option("topic", topic).save()


def messages(spark: SparkSession, servers: str, topic: str) -> DataFrame:
    reader = spark.read.format("kafka").option("kafka.bootstrap.servers", servers).option("subscribe", topic)
    return reader.load().selectExpr("string(key) AS key", "string(value) AS value")


def test_a_killed_driver_loses_nothing_and_repeats_nothing_in_the_lake(
    spark: SparkSession, servers: str, tmp_path: Path
) -> None:
    feed = workloads.mixed(500, EVENTS, seed=4, matches_per_event=2)
    asked = tmp_path / "subscriptions.jsonl"
    asked.write_text("\n".join(plain_json.dumps(row._asdict()) for row in feed.rows()))
    publish(spark, servers, "events", [*feed.payloads(), b"no event\n"])
    driver = Driver(tmp_path / "lake", (*reading(servers, "events", asked), *sending(servers, "alerts")))
    kills = sum(driver.killed_after(more=3) for _ in range(KILLS))
    assert kills == KILLS
    driver.run()
    wanted = expected(feed)
    lake = [tuple(row) for row in rows_of(tmp_path / "lake", "notifications", "subscription, event")]
    assert lake == wanted
    assert len(rows_of(tmp_path / "lake", "events", "event")) == EVENTS
    [(file, reason)] = rows_of(tmp_path / "lake", "rejects", "file, reason")
    assert (file.startswith("kafka:events:"), reason.startswith("line 1: ")) == (True, True)
    alerts = messages(spark, servers, "alerts").collect()
    assert sorted({tuple(msgspec.json.decode(row.key).values()) for row in alerts}) == wanted
    assert len({(row.key, row.value) for row in alerts}) == len(wanted)
    print(f"{kills} kills, {len(wanted)} notifications, {len(alerts) - len(wanted)} sent to Kafka again")


def reading(servers: str, topic: str, subscriptions: Path) -> tuple[str, ...]:
    named = ("--kafka", servers, "--topic", topic, "--jars", str(JARS / "connector"))
    return (*named, "--subscriptions", str(subscriptions), "--events-at-once", str(AT_ONCE))


def sending(servers: str, topic: str) -> tuple[str, ...]:
    return ("--to-kafka", servers, "--to-topic", topic)


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


def test_quads_that_arrive_one_by_one_become_events_whatever_is_killed(
    spark: SparkSession, servers: str, tmp_path: Path
) -> None:
    feed = workloads.library(20, 50, seed=9)
    events = list(feed.events())
    lines = [line.encode() for event in events for line in event.nquads.decode().splitlines()]
    random.Random(1).shuffle(lines)
    publish(spark, servers, "quads", lines)
    time.sleep(8)
    publish(spark, servers, "quads", [b"<urn:s> <urn:p> <urn:o> <urn:the-end> ."])
    (tmp_path / "subscriptions.jsonl").write_text("\n".join(plain_json.dumps(row._asdict()) for row in feed.rows()))
    apart = ("--assemble", "--gap", "5 seconds", "--delay", "1 second")
    driver = Driver(tmp_path / "lake", (*reading(servers, "quads", tmp_path / "subscriptions.jsonl"), *apart))
    assert driver.killed_after(more=2)
    driver.run()
    found = rows_of(tmp_path / "lake", "events", "event, payload")
    assert found == sorted((event.graph.value, event.nquads) for event in events)
    assert not list((tmp_path / "lake" / "rejects").glob("*"))


def asked(servers: str, topic: str, folder: Path, **others: Any) -> StreamRequest:
    """A stream of a topic into a lake, until nothing is left."""
    (folder / "every.jsonl").write_text('{"id": "every", "language": "sparql", "text": "ASK { ?s ?p ?o }"}\n')
    source = Topic(servers, topic, **others.pop("reading", {}))
    request = {"source": source, "subscriptions": (str(folder / "every.jsonl"),), "out": str(folder / "lake")}
    return StreamRequest(**{**request, "drain": True, **others})


def quad(number: int) -> bytes:
    return f"<urn:s> <urn:p> <urn:o> <urn:e{number}> .\n".encode()


def test_f10_a_stream_without_its_checkpoint_is_refused_and_told_where_the_lake_ends(
    spark: SparkSession, servers: str, tmp_path: Path
) -> None:
    publish(spark, servers, "removed", [quad(number) for number in range(6)])
    stream(spark, asked(servers, "removed", tmp_path))
    shutil.rmtree(tmp_path / "lake" / "_triplewire" / "streams" / "stream")
    publish(spark, servers, "removed", [quad(number) for number in range(6, 10)])
    with pytest.raises(LakeError, match="its checkpoint was removed or changed") as refused:
        stream(spark, asked(servers, "removed", tmp_path))
    assert len(rows_of(tmp_path / "lake", "events", "event")) == 6
    told = re.search(r"--name OTHER --append --kafka-option startingOffsets='(.*)'", str(refused.value))
    assert told is not None
    options = {"options": {"startingOffsets": told[1]}}
    stream(spark, asked(servers, "removed", tmp_path, name="other", append=True, reading=options))
    assert rows_of(tmp_path / "lake", "events", "event") == [(f"urn:e{number}",) for number in range(10)]


def test_a_topic_of_the_same_name_in_another_cluster_is_another_source(
    spark: SparkSession, servers: str, tmp_path: Path
) -> None:
    publish(spark, servers, "same", [quad(1)])
    stream(spark, asked(servers, "same", tmp_path))
    assert stream(spark, asked(servers.replace("127.0.0.1", "localhost"), "same", tmp_path)).batches == 0
    (tmp_path / "broker").mkdir()
    with kafka_broker(JARS / "broker", tmp_path / "broker") as others:
        publish(spark, others, "same", [quad(2)])
        with pytest.raises(
            LakeError, match="wanted the source that the stream stream reads, topic same of the cluster"
        ):
            stream(spark, asked(others, "same", tmp_path))


def test_messages_in_another_format_are_events(spark: SparkSession, servers: str, tmp_path: Path) -> None:
    publish(spark, servers, "turtle", [b"@prefix : <urn:> .\n:s :p 1, 2 .", b"@prefix : <urn:> .\n:s :p nonsense ."])
    stream(spark, asked(servers, "turtle", tmp_path, reading={"format": "turtle"}))
    [(event, payload)] = rows_of(tmp_path / "lake", "events", "event, payload")
    assert (event.startswith("urn:"), payload.count(b"\n")) == (True, 2)
    [(file, line)] = rows_of(tmp_path / "lake", "rejects", "file, line")
    assert (file.startswith("kafka:turtle:"), line) == (True, 2)
