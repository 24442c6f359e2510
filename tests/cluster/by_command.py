"""The command line on a real standalone cluster: as docs/cluster.md says, with relative paths, and what goes wrong.

Run by `make test-cluster`, after `on_cluster.py`, whose session has ended by then.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cluster.conftest import FILES
from tests.cluster.standalone import Cluster, recipe, shell
from tests.connect.server import connect_server
from tests.pipeline.jobs.stream.streams import until
from tests.pipeline.samples import EVENTS, expected, notified, rows_of, written_files

_PATIENCE_SECONDS = 300
_PROGRAM = str(Path(sys.executable).with_name("triplewire"))


@pytest.fixture
def here(feed: Path, room: Path) -> Path:
    """A working folder that has events and subscriptions, for commands that name them from there."""
    shutil.copytree(feed, room, dirs_exist_ok=True)
    return room


def called(folder: Path, commands: str, **variables: object) -> subprocess.CompletedProcess[str]:
    """Run commands as a person does, in a folder, with our `triplewire` first on the search path."""
    path = f"{Path(_PROGRAM).parent}:{os.environ['PATH']}"
    command, environment = shell(commands, PATH=path, PYTHONPATH=os.environ.get("PYTHONPATH", ""), **variables)
    limit = _PATIENCE_SECONDS
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=limit
    )


def pipeline(
    cluster: Cluster, folder: Path, arguments: str, python: str | None = None
) -> subprocess.CompletedProcess[str]:
    conf = f"--conf spark.pyspark.python={python or cluster.workers.python} --conf spark.executor.memory=512m"
    return called(folder, f"triplewire pipeline {arguments} --master {cluster.master} {conf}")


def test_nothing_is_left_of_what_a_session_has_carried(cluster, shared):
    def left() -> list[Path]:
        return [path for home in (*cluster.folders, shared / "driver") for path in home.rglob("triplewire-index*")]

    until(lambda: not left())


def test_the_recipe_word_for_word(cluster, here):
    variables = {
        "PORT": cluster.port,
        "PYTHON": cluster.workers.python,
        "EVENTS": "events",
        "SUBSCRIPTIONS": "subscriptions.jsonl",
        "LAKE": "lake",
    }
    [_, call] = recipe("Standalone")
    done = called(here, f"{call.rstrip()} --taxonomy taxonomy.ttl", **variables)
    assert done.returncode == 0, done.stderr
    assert Counter(notified(here / "lake")) == Counter(expected(here))
    assert {source for (source,) in rows_of(here / "lake", "events", "source")} == {
        str(here / "events" / f"{number}.nq") for number in range(FILES)
    }


def test_a_stream_of_several_micro_batches(cluster, here):
    asked = "stream -e events -s subscriptions.jsonl -t taxonomy.ttl -o lake --drain --files-at-once 1 --strategy osma"
    done = pipeline(cluster, here, asked)
    assert done.returncode == 0, done.stderr
    assert f"{FILES} micro-batches, {EVENTS} events" in done.stdout
    assert Counter(notified(here / "lake")) == Counter(expected(here))


@pytest.fixture(scope="module")
def remote(cluster: Cluster, shared: Path) -> Iterator[str]:
    """A Spark Connect server whose executors are the cluster's."""
    conf = {"spark.executor.memory": "512m", "spark.hadoop.fs.permissions.umask-mode": "000"}
    with connect_server(shared / "connect", cluster.master, conf, cluster.workers.python) as address:
        yield address


@pytest.mark.parametrize("strategy", ["replicate", "osma", "csma", "auto"])
def test_over_spark_connect_twice(remote, here, strategy):
    files = "-e events -s subscriptions.jsonl -t taxonomy.ttl -o lake --append"
    for run in ("first", "second"):
        asked = f"match {files} --strategy {strategy} --run-id {run} --remote {remote}"
        done = called(here, f"triplewire pipeline {asked}")
        assert done.returncode == 0, done.stderr
    found = Counter(rows_of(here / "lake", "notifications", "run, subscription, event"))
    assert found == Counter((run, *pair) for run in ("first", "second") for pair in expected(here))


def test_a_stream_over_spark_connect(remote, here):
    files = "-e events -s subscriptions.jsonl -t taxonomy.ttl -o lake"
    done = called(here, f"triplewire pipeline stream {files} --drain --files-at-once 1 --remote {remote}")
    assert done.returncode == 0, done.stderr
    assert f"{FILES} micro-batches, {EVENTS} events" in done.stdout
    assert Counter(notified(here / "lake")) == Counter(expected(here))


def test_a_python_without_triplewire(cluster, here, room):
    bare = room / "bare"
    subprocess.run([*cluster.workers.as_user, cluster.workers.python, "-m", "venv", "--without-pip", bare], check=True)
    done = pipeline(cluster, here, "match -e events -s subscriptions.jsonl -o lake", str(bare / "bin" / "python"))
    assert done.returncode == 1
    assert "Spark's workers cannot import Triplewire: No module named " in " ".join(done.stderr.split())
    assert written_files(here / "lake") == []


def test_no_python_at_all(cluster, here):
    done = pipeline(cluster, here, "match -e events -s subscriptions.jsonl -o lake", "/no/such/python")
    assert done.returncode == 1
    assert 'Cannot run program "/no/such/python"' in " ".join(done.stderr.split())


def test_events_that_only_the_driver_sees(cluster, here):
    if cluster.workers.why_ours:
        pytest.skip(f"files cannot be hidden from workers: {cluster.workers.why_ours}")
    (here / "events").chmod(0o700)
    done = pipeline(cluster, here, "match -e events -s subscriptions.jsonl -o lake")
    assert done.returncode == 1
    assert f"{here / 'events'}/0.nq: wanted a file that every worker can read" in " ".join(done.stderr.split())
    assert written_files(here / "lake") == []
