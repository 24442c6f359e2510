"""One cluster for all tests here, and one session on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from tests.cluster.standalone import standalone_cluster

from triplewire.pipeline.session import SessionSettings, spark_session


@pytest.fixture(scope="session")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with standalone_cluster(tmp_path_factory.mktemp("cluster")) as address:
        yield address


@pytest.fixture(scope="session")
def spark(master: str) -> Iterator[SparkSession]:
    conf = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "512m",
        # One core of each worker: the other is for the jobs that a test starts beside this session.
        "spark.executor.cores": "1",
        "spark.cores.max": "2",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
    }
    with spark_session(SessionSettings(master=master, conf=conf)) as session:
        yield session
