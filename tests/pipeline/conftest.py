"""One Spark session for all tests of the pipeline: starting one takes ten seconds."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from triplewire.pipeline.session import SessionSettings, spark_session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    # Py4J says goodbye when the interpreter ends, to handlers whose streams pytest has closed by then.
    logging.getLogger("py4j").setLevel(logging.WARNING)
    conf = {"spark.sql.shuffle.partitions": "2", "spark.default.parallelism": "2", "spark.driver.memory": "1g"}
    with spark_session(SessionSettings(master="local[2]", conf=conf)) as session:
        yield session
