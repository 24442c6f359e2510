"""One Spark Connect server and one session for all tests here. A process has classic sessions or these, not both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.connect.server import connect_server
from tests.pipeline.samples import write_feed

from triplewire.pipeline.session import SessionSettings, spark_session

FILES = 3


@pytest.fixture(scope="session")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with connect_server(tmp_path_factory.mktemp("server"), "local[2]", {}) as address:
        yield address


@pytest.fixture(scope="session")
def spark(remote: str) -> Iterator[SparkSession]:
    with spark_session(SessionSettings(remote=remote)) as session:
        yield session


@pytest.fixture(scope="session")
def feed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("feed")
    write_feed(folder, files=FILES)
    return folder
