"""Ctrl-C on a real process: exit code 130, no stack of anybody's, and a lake that is as it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.pipeline.samples import rows_of, tasks_of, write_feed, write_rows, written_files

from triplewire.testing.workloads import Row

pytestmark = pytest.mark.xdist_group("interrupt")

PROGRAM = Path(sys.executable).with_name("triplewire")
PATIENCE_SECONDS = 240


def started(*arguments: object) -> subprocess.Popen[str]:
    """The program in a group of its own, as a shell starts it: Ctrl-C reaches all of the group."""
    command = [PROGRAM, "pipeline", *map(str, arguments), "--master", "local[1]"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def interrupted(process: subprocess.Popen[str], busy: Callable[[], bool]) -> str:
    """What the program says when Ctrl-C is pressed once it is busy."""
    begun = time.monotonic()
    while not busy() and process.poll() is None and time.monotonic() - begun < PATIENCE_SECONDS:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    shown, complaints = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130, shown + complaints
    return complaints


def is_staging(lake: Path) -> Callable[[], bool]:
    return lambda: bool(tasks_of(lake))


@pytest.fixture(scope="module")
def feed(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("interrupted")
    write_feed(folder)
    write_rows(folder / "every.jsonl", [Row("every", "sparql", "ASK { ?s ?p ?o }")])
    return folder


def match_of(feed: Path, lake: Path) -> list[object]:
    return ["match", "-e", feed / "events", "-s", feed / "every.jsonl", "-o", lake]


def test_ctrl_c_leaves_nothing_half_done(feed, tmp_path):
    lake = tmp_path / "lake"
    said = interrupted(started(*match_of(feed, lake)), is_staging(lake))
    assert said == ""
    assert written_files(lake) == tasks_of(lake) == []


@pytest.fixture(scope="module")
def filled(feed, tmp_path_factory) -> Path:
    lake = tmp_path_factory.mktemp("filled") / "lake"
    process = started(*match_of(feed, lake))
    shown, complaints = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0, shown + complaints
    return lake


@pytest.mark.slow
@pytest.mark.parametrize("job", ["backfill", "replay", "compact", "profile", "osma", "csma"])
def test_every_job_ends_cleanly(feed, filled, tmp_path, monkeypatch, job):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    asked = {
        "backfill": ["backfill", "-l", filled, "-s", feed / "subscriptions.jsonl"],
        "replay": ["replay", "-l", filled, "-s", feed / "subscriptions.jsonl", "-o", tmp_path / "out"],
        "compact": ["compact", "-l", filled],
        "profile": ["profile", "-l", filled, "-o", tmp_path / "report"],
        "osma": [*match_of(feed, tmp_path / "out"), "--strategy", "osma"],
        "csma": [*match_of(feed, tmp_path / "out"), "--strategy", "csma"],
    }
    before = rows_of(filled, "events"), rows_of(filled, "notifications"), rows_of(filled, "runs")
    busy = is_staging(tmp_path / "out" if job in ("replay", "osma", "csma") else filled)
    if job == "profile":
        busy = lambda: any(tmp_path.glob("triplewire-profile-*"))  # noqa: E731
    assert interrupted(started(*asked[job]), busy) == ""
    assert not (tmp_path / "report").exists()
    assert (rows_of(filled, "events"), rows_of(filled, "notifications"), rows_of(filled, "runs")) == before
    assert [path for path in tmp_path.rglob("*.parquet") if "indexes" not in path.parts] == []
    assert tasks_of(filled) == tasks_of(tmp_path / "out") == []


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.0, 1.0, 3.0])
def test_also_while_spark_is_being_started(feed, tmp_path, monkeypatch, seconds):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    process = started(*match_of(feed, tmp_path / "lake"))

    def starting() -> bool:
        if not list(tmp_path.glob("triplewire-spark-*.log")):
            return False
        time.sleep(seconds)
        return True

    assert interrupted(process, starting) == ""
    assert written_files(tmp_path / "lake") == []
