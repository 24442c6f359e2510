"""F10 on an object storage: drivers are killed at random moments, the lake is that of a clean run, and whoever reads
meanwhile never sees half of a commit.

`TRIPLEWIRE_KILLS` says how often (5).
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from deltalake.exceptions import TableNotFoundError
from tests.object_storage.readers import complete_rows, rows_of
from tests.pipeline.samples import expected, write_feed

KILLS = int(os.environ.get("TRIPLEWIRE_KILLS", "5"))
FILES_A_KILL = 3
MOST_ESCAPES = 4
PATIENCE_SECONDS = 900.0


def command(storage, bucket: str, feed) -> list[str]:
    asked = ["--events", f"{bucket}/events", "--subscriptions", feed / "subscriptions.jsonl"]
    asked += ["--taxonomy", feed / "taxonomy.ttl", "--out", f"{bucket}/lake", "--drain", "--files-at-once", "1"]
    program = [sys.executable, "-m", "triplewire", "pipeline", "stream", *map(str, asked)]
    return [*program, "--master", "local[1]", *storage.flags()]


def test_f10_a_stream_that_is_killed_fills_the_lake_of_a_clean_run(storage, bucket, tmp_path):
    files = FILES_A_KILL * (KILLS + MOST_ESCAPES)
    write_feed(tmp_path, events=10 * files, files=files)
    coming = sorted((tmp_path / "events").glob("*.nq"))
    lake, chance, kills = f"{bucket}/lake", random.Random(10), 0
    with reading(lake, storage.options) as torn:
        for _ in range(KILLS + MOST_ESCAPES):
            appear(storage, bucket, coming, FILES_A_KILL)
            kills += killed(command(storage, bucket, tmp_path), lake, storage.options, chance)
            if kills == KILLS:
                break
        assert kills == KILLS
        appear(storage, bucket, coming, files)
        told = command(storage, bucket, tmp_path)
        done = subprocess.run(told, capture_output=True, text=True, timeout=3_000, check=False)
        assert done.returncode == 0, done.stderr
    assert torn.seen > 0
    assert torn.problems == []
    found = rows_of(lake, "notifications", storage.options, "subscription, event")
    assert len(found) == len(set(found))
    assert set(found) == expected(tmp_path)
    events = rows_of(lake, "events", storage.options, "event")
    assert len(events) == len(set(events)) == 10 * files
    assert rows_of(lake, "runs", storage.options, "batch") == [(number,) for number in range(files)]
    print(f"{KILLS} kills, {files} micro-batches, read {torn.seen} times meanwhile")


def appear(storage, bucket: str, coming: list, count: int) -> None:
    for path in coming[:count]:
        with storage.files.open_output_stream(f"{bucket.removeprefix('s3://')}/events/{path.name}") as stream:
            stream.write(path.read_bytes())
    del coming[:count]


def killed(told: list[str], lake: str, options: dict[str, str], chance: random.Random) -> int:
    """Start a driver and kill it while it works; 1 if it was at work then, 0 if it had ended."""
    process = subprocess.Popen(told, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wanted = commits(lake, options) + 1 + chance.randrange(FILES_A_KILL - 1)
    deadline = time.monotonic() + PATIENCE_SECONDS
    # By what it has done, not by the clock alone: a slow machine would be killed in its first micro-batch every time.
    while process.poll() is None and commits(lake, options) < wanted:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(chance.uniform(0.0, 1.0))
    was_at_work = process.poll() is None
    process.kill()
    process.wait()
    return int(was_at_work)


def commits(lake: str, options: dict[str, str]) -> int:
    try:
        return len(rows_of(lake, "runs", options, "run"))
    except TableNotFoundError:
        return 0


class Torn:
    """What a reader has seen that no commit has made."""

    def __init__(self) -> None:
        self.seen = 0
        self.problems: list[str] = []


@contextmanager
def reading(lake: str, options: dict[str, str]) -> Iterator[Torn]:
    """Read the lake again and again, by DuckDB, as docs/pipeline.md tells a reader who wants one state."""
    torn, over = Torn(), threading.Event()

    def read() -> None:
        while not over.wait(0.2):
            try:
                counted = rows_of(lake, "runs", options, "batch, events, matches")
                events = complete_rows(lake, "events", options, "batch")
                notified = complete_rows(lake, "notifications", options, "batch")
            except TableNotFoundError:
                continue
            torn.seen += 1
            for batch, count, matches in counted:
                found = events.count((batch,)), notified.count((batch,))
                if found != (count, matches):
                    torn.problems.append(f"micro-batch {batch}: wanted {(count, matches)}, found {found}")

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    try:
        yield torn
    finally:
        over.set()
        thread.join()
