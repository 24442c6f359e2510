"""F10: Spark driver killed between sink write and commit: the output equals a clean run's.

`make test-slow` kills three times; `make test-stream-kill` twenty times, or as often as KILLS says. A kill counts if a
micro-batch of that very driver was under way, or just over, when it came.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.pipeline.samples import expected, files_of, notified, rows_of, tasks_of, write_feed

# Slow: every kill needs a driver, and a driver ten seconds to start.
pytestmark = [pytest.mark.xdist_group("stream-kill"), pytest.mark.slow]

KILLS = int(os.environ.get("TRIPLEWIRE_KILLS", "3"))
FILES_A_KILL = 3
# Drivers that were done before they could be killed; each of them used up its files.
MOST_ESCAPES = 5
PATIENCE_SECONDS = 900.0


class Feed:
    """Files that have not appeared yet, and those that have."""

    def __init__(self, folder: Path, files: int) -> None:
        write_feed(folder, events=10 * files, files=files)
        self.folder = folder
        self._coming = sorted((folder / "events").glob("*.nq"))
        (folder / "coming").mkdir()
        for path in self._coming:
            path.rename(folder / "coming" / path.name)

    def appear(self, count: int) -> None:
        for path in self._coming[:count]:
            (self.folder / "coming" / path.name).rename(path)
        del self._coming[:count]


def command(feed: Path, lake: Path) -> list[str]:
    asked = ["--events", feed / "events", "--subscriptions", feed / "subscriptions.jsonl"]
    asked += ["--taxonomy", feed / "taxonomy.ttl", "--out", lake, "--drain", "--files-at-once", "1"]
    return [sys.executable, "-m", "triplewire", "pipeline", "stream", *map(str, asked), "--master", "local[1]"]


def test_f10_a_stream_that_is_killed_at_random_moments_fills_the_lake_of_a_clean_run(tmp_path):
    files = FILES_A_KILL * (KILLS + MOST_ESCAPES)
    feed, lake = Feed(tmp_path / "feed", files), tmp_path / "lake"
    chance = random.Random(10)
    kills: list[bool] = []
    for _ in range(KILLS + MOST_ESCAPES):
        feed.appear(FILES_A_KILL)
        kills += _killed(command(feed.folder, lake), lake, chance)
        if len(kills) == KILLS:
            break
    assert len(kills) == KILLS
    feed.appear(files)
    done = subprocess.run(command(feed.folder, lake), capture_output=True, text=True, timeout=3_000, check=False)
    assert done.returncode == 0, done.stderr
    found = notified(lake)
    assert len(found) == len(set(found))
    assert set(found) == expected(feed.folder)
    events = rows_of(lake, "events", "event")
    assert len(events) == len(set(events)) == 10 * files
    batches = rows_of(lake, "runs", "batch")
    # A kill between two entries of Spark's list of files may put both into one micro-batch.
    assert batches == [(number,) for number in range(len(batches))]
    print(f"{KILLS} kills, {sum(kills)} of them in the middle of a micro-batch, {len(batches)} micro-batches")


def _killed(told: list[str], lake: Path, chance: random.Random) -> list[bool]:
    """Start a driver and kill it while it works; says whether a micro-batch was half done. Nothing if it was done."""
    process = subprocess.Popen(told, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    begun, wanted = time.time(), _commits(lake) + chance.randrange(FILES_A_KILL)
    deadline = time.monotonic() + PATIENCE_SECONDS
    # By what it has done, not by the clock alone: a slow machine would be killed in its first micro-batch every time.
    while process.poll() is None and not (_under_way(lake, begun) and _commits(lake) >= wanted):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    time.sleep(chance.uniform(0.0, 1.0))
    was_at_work = process.poll() is None
    process.kill()
    process.wait()
    return [_under_way(lake, begun)] if was_at_work else []


def _under_way(lake: Path, begun: float) -> bool:
    """Whether something is staged that was not left behind by an earlier driver."""
    try:
        return any(path.stat().st_mtime >= begun for path in tasks_of(lake))
    except FileNotFoundError:
        # Published between listing and looking.
        return False


def _commits(lake: Path) -> int:
    return len(files_of(lake, "runs"))
