"""Streams of files: exactly once, whatever the strategy, under subscriptions that change."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.pipeline.jobs.stream.streams import asked, until
from tests.pipeline.samples import EVENTS, notified, rows_of, write_feed, write_rows, written_files

from triplewire.errors import InputError, LakeError, PipelineError
from triplewire.pipeline.jobs.history import ReplayRequest, replay
from triplewire.pipeline.jobs.stream import Folder, StopSignal, stream
from triplewire.pipeline.lake.commit_names import CommitName
from triplewire.testing.workloads import Row

pytestmark = pytest.mark.xdist_group("spark")

ANSWER = "subscription, event, time, solutions, lane"


def test_a_stream_ends_in_the_lake_of_a_batch_and_resumes(spark, feed, lake, tmp_path):
    source = Folder(str(feed / "events"), files_at_once=2)
    done = stream(spark, asked(feed, tmp_path / "lake", source=source))
    assert (done.batches, done.events) == (2, EVENTS)
    assert notified(tmp_path / "lake") == notified(lake)
    again = stream(spark, asked(feed, tmp_path / "lake"))
    assert (again.batches, notified(tmp_path / "lake")) == (0, notified(lake))


def test_a_file_that_is_years_older_than_the_newest_is_read(spark, tmp_path):
    feed, lake = tmp_path / "feed", tmp_path / "lake"
    write_feed(feed, events=3, files=1)
    _appear(feed / "events" / "aged.nq", b"<urn:s> <urn:p> <urn:o> <urn:aged> .\n", 1)
    stream(spark, asked(feed, lake))
    _appear(feed / "events" / "ancient.nq", b"<urn:s> <urn:p> <urn:o> <urn:ancient> .\n", -10_000_000)
    stream(spark, asked(feed, lake))
    found = [event for (event,) in rows_of(lake, "events", "event")]
    assert found[-2:] == ["urn:aged", "urn:ancient"]
    assert len(found) == 5


@pytest.mark.parametrize("again", [1, 2, 1_000])
def test_f10_a_stream_whose_checkpoint_was_removed_fills_the_lake_of_a_clean_run(spark, tmp_path, again):
    """Whatever the sizes of micro-batches before and after: those of after have other files under the old numbers."""
    feed, lake = tmp_path / "feed", tmp_path / "lake"
    write_feed(feed, events=60, files=6)
    coming = [(path, path.read_bytes()) for path in sorted((feed / "events").iterdir())[3:]]
    for path, _ in coming:
        path.unlink()
    at_once = Folder(str(feed / "events"), files_at_once=2)
    stream(spark, asked(feed, lake, source=at_once))
    shutil.rmtree(lake / "_triplewire" / "streams" / "stream")
    for path, data in coming:
        _appear(path, data, 1)
    told = Told()
    stream(spark, asked(feed, lake, source=Folder(str(feed / "events"), files_at_once=again), sinks=(told,)))
    stream(spark, asked(feed, tmp_path / "clean"))
    for table, columns in (
        ("events", "event, source, payload"),
        ("notifications", ANSWER),
        ("rejects", "file, line, event, subscription, reason"),
    ):
        assert _rows(lake, table, columns) == _rows(tmp_path / "clean", table, columns)
    assert _batches(lake) == list(range(len(_batches(lake))))
    assert told.commits == {CommitName("stream", number) for number in _batches(lake)}
    assert stream(spark, asked(feed, lake)).batches == 0


class Told:
    """A sink that remembers what it was told to deliver."""

    def __init__(self) -> None:
        self.commits: set[CommitName] = set()

    def deliver(self, _spark: object, _lake: object, commit: CommitName, _stop: object) -> int:
        self.commits.add(commit)
        return 0


def _rows(lake: Path, table: str, columns: str) -> list[tuple]:
    return rows_of(lake, table, columns)


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("osma", "csma")]


@pytest.mark.parametrize("strategy", [*SLOW, "auto"])
def test_every_strategy_gives_the_same_answers(spark, feed, lake, tmp_path, strategy):
    stream(spark, asked(feed, tmp_path / "lake", strategy=strategy))
    assert rows_of(tmp_path / "lake", "notifications", ANSWER) == rows_of(lake, "notifications", ANSWER)
    assert rows_of(tmp_path / "lake", "events", "event, payload") == rows_of(lake, "events", "event, payload")
    picked = {"auto": "replicate"}.get(strategy, strategy)
    [(index, found)] = rows_of(tmp_path / "lake", "runs", "index, strategy")
    assert found == picked
    replay(spark, ReplayRequest(lake=str(tmp_path / "lake"), out=str(tmp_path / "again"), index=index))
    assert rows_of(tmp_path / "again", "notifications", ANSWER) == rows_of(lake, "notifications", ANSWER)


def test_subscriptions_that_change_while_a_stream_runs_take_effect_and_can_be_replayed(spark, tmp_path):
    feed, lake = tmp_path / "feed", tmp_path / "lake"
    write_feed(feed, events=20, files=1)
    _dated(feed / "events" / "0.nq", 1)
    stop = StopSignal()
    request = asked(feed, lake, drain=False, every_seconds=0.2)
    running = _in_background(lambda: stream(spark, request, stop=stop))
    until(lambda: _batches(lake) == [0])
    write_rows(feed / "subscriptions.jsonl", [Row("every", "sparql", "ASK { ?s ?p ?o }")])
    _appear(feed / "events" / "later.nq", b"<urn:s> <urn:p> <urn:o> <urn:later> .\n", 2)
    until(lambda: _batches(lake) == [0, 1])
    stop.ask()
    running()
    runs = rows_of(lake, "runs", "batch, index, subscriptions")
    assert [(batch, subscriptions) for batch, _, subscriptions in runs] == [(0, 60), (1, 1)]
    assert runs[0][1] != runs[1][1]
    assert [pair for pair in notified(lake) if pair[0] == "every"] == [("every", "urn:later")]
    replayed = [row for batch, index, _ in runs for row in _replayed(spark, lake, tmp_path, batch, index)]
    assert sorted(map(str, replayed)) == sorted(map(str, rows_of(lake, "notifications", ANSWER)))


def _replayed(spark, lake: Path, folder: Path, batch: int, index: str) -> list[tuple]:
    """What the recorded index says of the events of one micro-batch, whose file is dated by its number."""
    since, end = (datetime.fromtimestamp(1_700_000_000 + 100 * day, UTC) for day in (batch + 1, batch + 2))
    request = ReplayRequest(lake=str(lake), out=str(folder / f"replay-{batch}"), index=index, since=since, until=end)
    assert replay(spark, request).run.matches
    return rows_of(folder / f"replay-{batch}", "notifications", ANSWER)


def _dated(path: Path, day: int) -> None:
    os.utime(path, (1_700_000_000 + 100 * day,) * 2)


def _appear(path: Path, data: bytes, day: int) -> None:
    draft = path.with_name(f".{path.name}")
    draft.write_bytes(data)
    _dated(draft, day)
    draft.rename(path)


def _batches(lake: Path) -> list[int]:
    return [number for (number,) in rows_of(lake, "runs", "batch")]


def _in_background(work: Callable[[], object]) -> Callable[[], None]:
    """Run something on a thread; call the result to wait for it and see what it raised."""
    problems: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as problem:  # noqa: BLE001  raised again where it is waited for
            problems.append(problem)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()

    def wait() -> None:
        thread.join(120)
        assert not thread.is_alive()
        if problems:
            raise problems[0]

    return wait


def test_a_bad_subscription_is_told_once_however_often_the_stream_resumes(spark, tmp_path):
    feed, lake = tmp_path / "feed", tmp_path / "lake"
    write_feed(feed, events=4, files=1)
    rows = [Row("good", "sparql", "ASK { ?s ?p ?o }"), Row("bad", "sparql", "SELECT nonsense")]
    write_rows(feed / "subscriptions.jsonl", rows)
    assert stream(spark, asked(feed, lake)).rejects == 1
    _appear(feed / "events" / "later.nq", b"<urn:s> <urn:p> <urn:o> <urn:later> .\n", 2)
    assert stream(spark, asked(feed, lake)).rejects == 0
    assert rows_of(lake, "rejects", "line") == [(2,)]


def test_files_that_cannot_be_read_now_leave_the_last_index_in_force(spark, tmp_path):
    feed, lake = tmp_path / "feed", tmp_path / "lake"
    write_feed(feed, events=4, files=2)

    class Spoiler:
        """Damages the subscriptions after the first micro-batch."""

        def deliver(self, *_: object) -> int:
            (feed / "subscriptions.jsonl").write_text("{")
            return 0

    source = Folder(str(feed / "events"), files_at_once=1)
    stream(spark, asked(feed, lake, source=source, sinks=(Spoiler(),)))
    [first, second] = rows_of(lake, "runs", "index")
    assert first == second
    [(reason,)] = rows_of(lake, "rejects", "reason")
    assert reason.startswith("subscriptions: ")


def test_bad_input_ends_a_strict_stream_with_the_reason(spark, feed, tmp_path):
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "bad.nq").write_text("nonsense\n")
    for strategy in ("replicate", "osma"):
        lake = tmp_path / strategy
        source = Folder(str(tmp_path / "events"))
        with pytest.raises(PipelineError, match="wanted sound input only"):
            stream(spark, asked(feed, lake, source=source, strict=True, strategy=strategy))
        assert written_files(lake) == []


def test_what_cannot_be_streamed_is_refused(spark, feed, tmp_path):
    for wrong in ("missing", "a.nq"):
        (tmp_path / "a.nq").touch()
        with pytest.raises(InputError, match="wanted a folder to watch"):
            stream(spark, asked(feed, tmp_path / "lake", source=Folder(str(tmp_path / wrong))))
    stream(spark, asked(feed, tmp_path / "lake"))
    (tmp_path / "other").mkdir()
    with pytest.raises(LakeError, match="wanted the source that the stream stream reads"):
        stream(spark, asked(feed, tmp_path / "lake", source=Folder(str(tmp_path / "other"))))
