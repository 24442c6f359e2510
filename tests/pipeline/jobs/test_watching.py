"""Every job shows how it goes on, and an interrupt at any moment leaves the lake as it was."""

from __future__ import annotations

import pytest
from tests.pipeline.samples import EVENTS, notified, request_of, rows_of, tasks_of, write_rows, written_files

from triplewire.pipeline import placement
from triplewire.pipeline.jobs.compaction import CompactRequest, compact
from triplewire.pipeline.jobs.history import BackfillRequest, ReplayRequest, backfill, replay
from triplewire.pipeline.jobs.matching import match_files
from triplewire.pipeline.jobs.profiling import ProfileRequest, profile
from triplewire.pipeline.jobs.run_records import RunStart, publish
from triplewire.pipeline.jobs.subscription_loading import load_subscriptions
from triplewire.pipeline.jobs.task_runner import TaskResults
from triplewire.pipeline.lake.commit_names import CommitName
from triplewire.pipeline.lake.event_lake import open_lake
from triplewire.pipeline.progress import Counts, TaskProgress, read_quarantined
from triplewire.pipeline.sources.files import find_files
from triplewire.pipeline.sources.splits import splits_of
from triplewire.pipeline.split_tasks import TaskReport, TaskSpec, run_task
from triplewire.pipeline.storage.location import Location
from triplewire.testing.workloads import Row

pytestmark = pytest.mark.xdist_group("spark")

EVERY = [Row("every", "sparql", "ASK { ?s ?p ?o }")]


class Diary:
    """A watcher that remembers."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.totals: list[int] = []
        self.seen: list[list[Counts]] = []
        self.ended = 0

    def begin(self, doing: str, total_bytes: int) -> None:
        self.steps.append(doing)
        self.totals.append(total_bytes)
        self.seen.append([])

    def see(self, counts: Counts) -> None:
        self.seen[-1].append(counts)

    def end(self) -> None:
        self.ended += 1


class Impatient(Diary):
    """A watcher who presses Ctrl-C when it is first told something."""

    def see(self, counts: Counts) -> None:
        raise KeyboardInterrupt


@pytest.fixture
def jobs(spark, feed, own_lake, tmp_path):
    """Each job as a function of its watcher."""
    write_rows(tmp_path / "every.jsonl", EVERY)
    every, lake = (str(tmp_path / "every.jsonl"),), str(own_lake)
    asked = request_of(feed, own_lake, subscriptions=every, taxonomy=None, append=True)

    def matched(strategy: str):
        request = request_of(feed, own_lake, subscriptions=every, taxonomy=None, append=True, strategy=strategy)
        return lambda watcher: match_files(spark, request, watcher)

    return {
        "match": lambda watcher: match_files(spark, asked, watcher),
        "match by osma": matched("osma"),
        "match by csma": matched("csma"),
        "backfill": lambda watcher: backfill(spark, BackfillRequest(lake=lake, subscriptions=every), watcher),
        "replay": lambda watcher: replay(
            spark, ReplayRequest(lake=lake, out=str(tmp_path / "out"), subscriptions=every), watcher
        ),
        "profile": lambda watcher: profile(spark, ProfileRequest(lake=lake, out=str(tmp_path / "report")), watcher),
        "compact": lambda watcher: compact(spark, CompactRequest(lake=lake), watcher),
    }


# Spark ends the Python workers of what is cancelled, and new ones take a while.
JOBS = ("match", "match by osma", "match by csma", "replay", "profile", "compact")


@pytest.mark.parametrize("job", ["backfill", *(pytest.param(job, marks=pytest.mark.slow) for job in JOBS)])
def test_an_interrupted_job_leaves_the_lake_as_it_was(jobs, own_lake, job):
    before = written_files(own_lake)
    watcher = Impatient()
    with pytest.raises(KeyboardInterrupt):
        jobs[job](watcher)
    assert watcher.ended == len(watcher.steps) == 1
    assert (written_files(own_lake), tasks_of(own_lake)) == (before, [])


@pytest.mark.parametrize(
    ("job", "events", "matches"),
    [
        ("backfill", EVENTS, EVENTS),
        ("replay", EVENTS, EVENTS),
        ("profile", EVENTS, 0),
        pytest.param("match by osma", EVENTS, EVENTS, marks=pytest.mark.slow),
        pytest.param("match by csma", EVENTS, EVENTS, marks=pytest.mark.slow),
    ],
)
def test_a_watcher_is_told_of_every_event_and_match(jobs, job, events, matches):
    diary = Diary()
    jobs[job](diary)
    told = [counts for step in diary.seen for counts in step]
    assert max(counts.events for counts in told) == events
    assert max(counts.matches for counts in told) == matches
    assert all(counts.bytes <= total for total, step in zip(diary.totals, diary.seen, strict=True) for counts in step)
    assert diary.seen[-1][-1].bytes > 0.9 * diary.totals[-1]
    assert diary.ended == len(diary.steps)


def test_a_compaction_tells_by_the_tasks_that_are_done(jobs, own_lake):
    diary = Diary()
    before = len(notified(own_lake))
    jobs["compact"](diary)
    assert [step.split()[-1] for step in diary.steps] == ["events", "events", "notifications", "quads"]
    last = [step[-1] for step in diary.seen]
    assert [counts.bytes for counts in last] == diary.totals
    assert (last[1].events, last[2].matches) == (EVENTS, before)


class TestQuarantine:
    """A11: a subscription that exceeds its work budget is told of once, however many workers have met it."""

    CROSS = "SELECT ?a {{ {} }}".format(" . ".join(f"?a{n} ?b{n} ?c{n}" for n in range(9)).replace("?a0", "?a"))

    @pytest.fixture
    def hard(self, tmp_path):
        """Two files, each with an event that is too much for one of the two subscriptions."""
        (tmp_path / "hard" / "events").mkdir(parents=True)
        for file in range(2):
            lines = [f"<urn:s{n}> <urn:p> <urn:o> <urn:e{file}> .\n" for n in range(40)]
            (tmp_path / "hard" / "events" / f"{file}.nq").write_text("".join(lines))
        write_rows(tmp_path / "hard" / "subscriptions.jsonl", [Row("cross", "sparql", self.CROSS), *EVERY])
        return tmp_path / "hard"

    def test_once_in_the_report_and_once_in_rejects(self, hard, tmp_path):
        lake = open_lake(Location.of(tmp_path / "lake"))
        loaded = load_subscriptions(None, request_of(hard, tmp_path / "lake", taxonomy=None), lake.indexes)
        with lake.drafting(CommitName("run")) as draft:
            tasks = [(split,) for file in find_files([str(hard / "events")]) for split in splits_of(file, 1 << 20)]
            order = TaskSpec(tasks, loaded.strategy.index, draft)
            done = TaskResults([self.by_a_new_worker(order, number) for number in range(2)])
            start = RunStart(run="run", job="match", inputs=[])
            run = publish(lake, draft, start, loaded.strategy, done, loaded.rejects)
        assert [list(report.quarantined) for report in done.reports] == [["cross"], ["cross"]]
        assert (run.quarantined, run.rejects) == (1, 1)
        [(name, reason)] = rows_of(tmp_path / "lake", "rejects", "subscription, reason")
        assert name == "cross"
        assert reason.startswith("quarantined: ")
        assert len(notified(tmp_path / "lake")) == 2

    def by_a_new_worker(self, order: TaskSpec, number: int) -> TaskReport:
        placement._opened.clear()
        return run_task(order, number)

    def test_a_stream_s_next_micro_batch_does_not_say_it_again(self):
        done = TaskResults([TaskReport([], Counts(events=3), {"cross": "too much", "new": "too slow"})])
        assert done.without({"cross"}).quarantined == {"new": "too slow"}
        assert done.without({"cross"}).counts == Counts(events=3)

    def test_workers_of_a_spark_query_tell_of_it_each(self, tmp_path):
        for worker in ("one", "another"):
            progress = TaskProgress(str(tmp_path))
            progress.quarantine({})
            progress.quarantine({"cross": f"found by {worker}"})
            progress.quarantine({"cross": "found again", "other": "too slow"})
        assert sorted(read_quarantined(Location.of(tmp_path))) == ["cross", "other"]

    @pytest.mark.slow
    @pytest.mark.parametrize("strategy", ["osma", "csma"])
    def test_also_by_another_strategy(self, spark, hard, tmp_path, strategy):
        outcome = match_files(spark, request_of(hard, tmp_path / "lake", taxonomy=None, strategy=strategy))
        assert (list(outcome.quarantined), outcome.run.quarantined, outcome.run.rejects) == (["cross"], 1, 1)
        assert [name for (name,) in rows_of(tmp_path / "lake", "rejects", "subscription")] == ["cross"]

    @pytest.mark.slow
    def test_also_in_a_backfill(self, spark, hard, own_lake):
        asked = request_of(hard, own_lake, taxonomy=None, append=True)
        write_rows(hard / "every.jsonl", EVERY)
        every = (str(hard / "every.jsonl"),)
        match_files(spark, request_of(hard, own_lake, subscriptions=every, taxonomy=None, append=True))
        outcome = backfill(spark, BackfillRequest(lake=str(own_lake), subscriptions=asked.subscriptions))
        assert (list(outcome.quarantined), outcome.run.quarantined, outcome.run.rejects) == (["cross"], 1, 1)
        assert [name for (name,) in rows_of(own_lake, "rejects", "subscription")] == ["cross"]
