"""Ctrl-C and SIGTERM, on a real process: it finishes its micro-batch, says so, and the same call goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.pipeline.jobs.stream.streams import until
from tests.pipeline.samples import expected, files_of, notified, rows_of, write_feed

# Slow: it starts two drivers of its own.
pytestmark = [pytest.mark.xdist_group("stream-signals"), pytest.mark.slow]


def started(feed: Path, lake: Path) -> subprocess.Popen[str]:
    asked = ["--events", feed / "events", "--subscriptions", feed / "subscriptions.jsonl"]
    asked += ["--taxonomy", feed / "taxonomy.ttl", "--out", lake, "--every", "0.1", "--files-at-once", "1"]
    command = [sys.executable, "-m", "triplewire", "pipeline", "stream", *map(str, asked), "--master", "local[1]"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0)


def batches(lake: Path) -> int:
    return len(files_of(lake, "runs"))


def test_sigint_and_sigterm_stop_a_stream_cleanly_and_it_resumes(tmp_path):
    feed, lake = tmp_path / "feed", tmp_path / "lake"
    write_feed(feed, events=40, files=2)
    later = feed / "events" / "1.nq"
    later.rename(feed / "later.nq")
    for number, code, wanted in ((signal.SIGINT, 130, 1), (signal.SIGTERM, 143, 2)):
        process = started(feed, lake)
        until(lambda process=process, wanted=wanted: batches(lake) == wanted or process.poll() is not None)
        # Ctrl-C reaches all of the group that the process was started in, itself and its JVM.
        os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)
        told, complaints = process.communicate(timeout=240)
        assert process.returncode == code, complaints
        assert "1 micro-batches, 20 events" in told
        assert "stopping after this micro-batch" in complaints
        assert "the same call goes on where it was" in complaints
        assert "Exception" not in complaints + told
        assert "Traceback" not in complaints + told
        if wanted == 1:
            (feed / "later.nq").rename(later)
    found = notified(lake)
    assert len(found) == len(set(found))
    assert set(found) == expected(feed)
    assert rows_of(lake, "runs", "batch") == [(0,), (1,)]
