"""F10: Spark driver killed between sink write and commit: the output equals a clean run's.

`make test-slow` kills three times; `make test-stream-kill` twenty times, or as often as KILLS says.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.pipeline.samples import expected, notified, rows_of, write_feed

pytestmark = [pytest.mark.xdist_group("stream-kill"), pytest.mark.slow]

KILLS = int(os.environ.get("TRIPLEWIRE_KILLS", "3"))
FILES = 12


def command(feed: Path, lake: Path) -> list[str]:
    asked = ["--events", feed / "events", "--subscriptions", feed / "subscriptions.jsonl"]
    asked += ["--taxonomy", feed / "taxonomy.ttl", "--out", lake, "--drain", "--files-at-once", "1"]
    program = "import sys; from triplewire.cli import main; sys.argv[0] = 'triplewire'; main()"
    return [sys.executable, "-c", program, "pipeline", "stream", *map(str, asked), "--master", "local[1]"]


def test_f10_a_stream_that_is_killed_at_random_moments_fills_the_lake_of_a_clean_run(tmp_path):
    write_feed(tmp_path / "feed", events=240, files=FILES)
    lake = tmp_path / "lake"
    chance = random.Random(10)
    killed = 0
    while killed < KILLS:
        process = subprocess.Popen(command(tmp_path / "feed", lake), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        _wait_until_busy(process, lake)
        try:
            process.wait(chance.uniform(0.0, 3.0))
        except subprocess.TimeoutExpired:
            process.kill()
        process.wait()
        killed += 1
        if process.returncode == 0:
            _add_file(tmp_path / "feed", killed)
    done = subprocess.run(command(tmp_path / "feed", lake), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found = notified(lake)
    assert len(found) == len(set(found))
    assert set(found) == expected(tmp_path / "feed")
    events = rows_of(lake, "events", "event")
    assert len(events) == len(set(events)) == 240 + len(list((tmp_path / "feed" / "events").glob("more-*")))
    batches = rows_of(lake, "runs", "batch")
    assert len(batches) == len(set(batches))


def _wait_until_busy(process: subprocess.Popen[bytes], lake: Path) -> None:
    """Until a micro-batch is under way: before that there is nothing that a kill could leave half done."""
    begun = time.monotonic()
    count = len(list((lake / "runs").glob("*"))) if lake.exists() else 0
    while process.poll() is None and time.monotonic() - begun < 240:
        staging = lake / ".staging"
        if (staging.is_dir() and any(staging.iterdir())) or len(list((lake / "runs").glob("*"))) > count:
            return
        time.sleep(0.02)


def _add_file(feed: Path, number: int) -> None:
    """A run that ended before it was killed leaves nothing to do; give the next one something."""
    line = f"<urn:s> <urn:p> <urn:o> <urn:more{number}> .\n"
    (feed / "events" / f"more-{number}.nq").write_text(line)
