"""A driver to be killed: events from Kafka, matched, into a lake and back to Kafka. Started as a program of its own."""

from __future__ import annotations

import sys
from pathlib import Path

from msgspec import Struct, json
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import StreamingQuery

from triplewire.languages.files import load_subscriptions
from triplewire.pipeline.session import SessionSettings, spark_session
from triplewire.pipeline.sources.kafka import kafka_events, to_kafka
from triplewire.pipeline.strategies import matched, prepare


class Plan(Struct, frozen=True):
    """What the driver is told. `at_once` bounds a micro-batch, so that there are many to be killed between."""

    servers: str
    events: str
    alerts: str
    subscriptions: str
    folder: str
    jars: str
    at_once: int


def settings_of(jars: str) -> SessionSettings:
    names = ",".join(str(jar) for jar in sorted(Path(jars).glob("*.jar")))
    return SessionSettings("local[2]", {"spark.jars": names, "spark.sql.shuffle.partitions": "2"})


def into_lake(spark: SparkSession, plan: Plan, notifications: DataFrame) -> StreamingQuery:
    writer = notifications.writeStream.format("parquet").option("path", f"{plan.folder}/notifications")
    return writer.option("checkpointLocation", f"{plan.folder}/lake").trigger(availableNow=True).start()


def main(plan: Plan) -> None:
    """Stream until nothing is left: by `replicate` into the lake, by `osma` back to Kafka."""
    with spark_session(settings_of(plan.jars)) as spark:
        subscriptions = load_subscriptions([plan.subscriptions])
        options = {"maxOffsetsPerTrigger": str(plan.at_once)}
        events = kafka_events(spark, plan.servers, plan.events, options=options).where("problem IS NULL")
        whole, parts = (
            prepare(spark, subscriptions, f"{plan.folder}/index", name, parts=2) for name in ("replicate", "osma")
        )
        lake = into_lake(spark, plan, matched(events, whole))
        back = to_kafka(matched(events, parts), plan.servers, plan.alerts, f"{plan.folder}/back")
        queries = [lake, back.trigger(availableNow=True).start()]
        for query in queries:
            query.awaitTermination()


if __name__ == "__main__":
    main(json.decode(Path(sys.argv[1]).read_bytes(), type=Plan))
