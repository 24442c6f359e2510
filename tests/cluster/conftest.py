"""One cluster for all tests here, and one session on it a module: a worker has one core, and serves one session."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.cluster.standalone import LOOPBACK, Cluster, standalone_cluster
from tests.pipeline.samples import write_feed

from triplewire.pipeline.session import SessionSettings, spark_session

FILES = 4


@pytest.fixture(scope="session")
def shared() -> Iterator[Path]:
    """A folder in which everybody may write: what a shared file system is to users of several hosts."""
    before = os.umask(0)
    folder = Path(tempfile.mkdtemp(prefix="triplewire-cluster-"))
    folder.chmod(0o777)
    try:
        yield folder
    finally:
        os.umask(before)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def cluster(shared: Path) -> Iterator[Cluster]:
    with standalone_cluster(shared) as started:
        yield started


@pytest.fixture(scope="session")
def feed(shared: Path) -> Path:
    """Events in several files, so that both workers have something to do."""
    write_feed(shared / "feed", files=FILES)
    for name in ("subscriptions.jsonl", "taxonomy.ttl"):
        # Only the driver has use for them.
        (shared / "feed" / name).chmod(0o600)
    return shared / "feed"


@pytest.fixture
def room(shared: Path) -> Path:
    """A folder for one test."""
    folder = Path(tempfile.mkdtemp(dir=shared))
    folder.chmod(0o777)
    return folder


@pytest.fixture(scope="module")
def spark(cluster: Cluster, shared: Path) -> Iterator[SparkSession]:
    conf = {
        "spark.driver.host": LOOPBACK,
        "spark.driver.bindAddress": LOOPBACK,
        "spark.local.dir": str(shared / "driver"),
        "spark.pyspark.python": cluster.workers.python,
        "spark.executor.memory": "512m",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
    }
    with spark_session(SessionSettings(master=cluster.master, conf=conf)) as session:
        yield session
