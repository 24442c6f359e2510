"""`make bench-pipeline`: events a second from files to a lake, beside Spark copying the same files to Parquet.

All work is included: read, parse, match, write `events` and `notifications`. The session is started, and each way is
run once on a little data, before anything is timed. The first matcher is timed on fewer events, because it is slow.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct
from pyspark.sql import SparkSession
from rich.console import Console

from benchmarks import indexing, lake, machine
from benchmarks.asked import Figure
from benchmarks.indexing import Indexing, measure_indexing
from benchmarks.lake import lake_figures, measure_lake
from benchmarks.memory import MemoryWatch
from benchmarks.reports import QUICK_RESULTS, RESULTS, figures_table, write_json
from benchmarks.rivals.first.in_spark import MATCHED_COLUMNS, first_matching
from triplewire.cli.generate import Name, generate_command
from triplewire.cli.pipeline.progress import ProgressBar
from triplewire.pipeline.jobs.matching import MatchRequest, match_files
from triplewire.pipeline.jobs.stream import Folder, StreamRequest, stream
from triplewire.pipeline.session import SessionSettings, spark_session

_FILES = 40
_WARM_EVENTS = 2_000
_MICRO_BATCH_SECONDS = 5.0


class Plan(Struct, frozen=True):
    """How much is measured."""

    events: int
    subscriptions: int
    first_events: int
    indexed: int


FULL = Plan(2_000_000, 100_000, 20_000, 1_000_000)
QUICK = Plan(100_000, 10_000, 4_000, 30_000)


class Findings(Struct):
    """Events a second, and the memory of a worker that it shares with nobody."""

    plan: Plan
    floor: float = 0.0
    batch: float = 0.0
    one_core: float = 0.0
    streaming: float = 0.0
    first: float = 0.0
    matches_per_event: float = 0.0
    worker_mib: float = 0.0
    indexing: Indexing | None = None


def main() -> None:
    arguments = _arguments()
    plan = _plan(arguments)
    quick = plan != FULL
    facts = machine.facts()
    console = Console()
    with tempfile.TemporaryDirectory(prefix="triplewire-bench-") as name:
        findings = measured(plan, Path(name), console)
    with tempfile.TemporaryDirectory(prefix="triplewire-bench-") as name, _session("local[2]") as spark:
        of_lake = measure_lake(spark, Path(name), lake.QUICK if quick else lake.FULL, console)
    figures = [*asked(findings, full=not quick), *lake_figures(of_lake, full=not quick)]
    console.print(figures_table(figures))
    folder = QUICK_RESULTS if quick else RESULTS
    write_json(folder / "pipeline.json", {"machine": facts, "findings": findings, "lake": of_lake, "figures": figures})


def measured(plan: Plan, home: Path, console: Console) -> Findings:
    """Run every way, one after the other."""
    console.print(f"making {plan.events:,} events and {plan.subscriptions:,} subscriptions", style="dim")
    generate_command(home / "data", Name.MIXED, plan.events, plan.subscriptions, seed=1, matches=1.0, files=_FILES)
    generate_command(home / "little", Name.MIXED, _WARM_EVENTS, 100, seed=1, matches=1.0, files=2)
    generate_command(home / "few", Name.MIXED, plan.first_events, plan.subscriptions, seed=1, matches=1.0, files=4)
    findings = Findings(plan)
    with _session("local[2]") as spark:
        findings.indexing = measure_indexing(spark, home / "indexing", plan.indexed, plan.subscriptions)
        console.print(f"indexing: {plan.indexed / findings.indexing.seconds:,.0f} subscriptions/s")
    with _session("local[2]") as spark:
        _match(spark, home / "little", home / "warm-lake")
        _floor(spark, home / "little", home / "warm-floor")
        findings.floor = plan.events / _timed(lambda: _floor(spark, home / "data", home / "floor"))
        console.print(f"floor: {findings.floor:,.0f} events/s")
        with MemoryWatch() as memory:
            run = _match(spark, home / "data", home / "lake")
        findings.batch, findings.matches_per_event = plan.events / run.seconds, run.matches / plan.events
        findings.worker_mib = memory.most / 2**20
        console.print(f"batch: {findings.batch:,.0f} events/s")
        findings.streaming = plan.events / _stream(spark, home, findings.batch)
        console.print(f"streaming: {findings.streaming:,.0f} events/s")
        # Workers keep their index: the second run only matches.
        _first(spark, home / "few", home / "warm-first")
        seconds = _timed(lambda: _first(spark, home / "few", home / "first"))
        findings.first = plan.first_events / seconds
        console.print(f"first matcher: {findings.first:,.0f} events/s")
    with _session("local[1]") as spark:
        _match(spark, home / "little", home / "warm-lake-1")
        findings.one_core = plan.events / _match(spark, home / "data", home / "lake-1").seconds
    return findings


def asked(found: Findings, *, full: bool) -> list[Figure]:
    """The figures that were asked for."""

    def figure(name: str, wanted: float, value: float, unit: str, words: str = "≥") -> Figure:
        met = value >= wanted if words == "≥" else value < wanted
        return Figure(name, f"{words} {wanted:g}", value, unit, met if full else None)

    return [
        Figure("Spark copies the files to Parquet", "", found.floor, "events/s", None),
        Figure("batch, all work included", "", found.batch, "events/s", None),
        figure("batch beside the floor", 0.5, found.batch / found.floor, "times its speed"),
        figure("batch beside the first matcher", 10, found.batch / found.first, "times its speed"),
        figure("streaming beside batch", 0.7, found.streaming / found.batch, "times its speed"),
        figure("two cores beside one", 1.7, found.batch / found.one_core, "times its speed"),
        figure("memory of a worker, not shared", 1024, found.worker_mib, "MiB", "<"),
        *(indexing.figures(found.indexing, full=full) if found.indexing else ()),
    ]


def _session(master: str) -> AbstractContextManager[SparkSession]:
    return spark_session(SessionSettings(master=master, name="triplewire-bench"))


class _Run(Struct, frozen=True):
    seconds: float
    matches: int


def _match(spark: SparkSession, data: Path, out: Path) -> _Run:
    request = MatchRequest(
        events=(str(data / "events"),), subscriptions=(str(data / "subscriptions.jsonl"),), out=str(out)
    )
    run = match_files(spark, request, ProgressBar()).run
    # The index is built once and used by many runs: its time is a figure of its own. What is behind `finished` is
    # counted too: the files are forced to disk and published.
    return _Run((datetime.now(UTC) - run.started).total_seconds(), run.matches)


def _floor(spark: SparkSession, data: Path, out: Path) -> None:
    rows = spark.read.option("lineSep", "\n\n").text(str(data / "events"))
    rows.write.option("compression", "snappy").parquet(str(out))


def _stream(spark: SparkSession, home: Path, rate: float) -> float:
    """Seconds of a stream whose micro-batches take about five seconds each."""
    events_a_file = next((home / "data" / "events").iterdir()).read_bytes().count(b"\n\n")
    at_once = max(1, round(_MICRO_BATCH_SECONDS * rate / max(events_a_file, 1)))
    shutil.copytree(home / "lake" / "_triplewire" / "indexes", home / "stream-lake" / "_triplewire" / "indexes")
    request = StreamRequest(
        source=Folder(str(home / "data" / "events"), at_once),
        subscriptions=(str(home / "data" / "subscriptions.jsonl"),),
        out=str(home / "stream-lake"),
        drain=True,
    )
    done: list[float] = []
    start = time.perf_counter()
    stream(spark, request, _FirstBatch(done))
    # Subscriptions are read before the first micro-batch; that is not streaming yet.
    return time.perf_counter() - (done[0] if done else start)


class _FirstBatch(ProgressBar):
    def __init__(self, times: list[float]) -> None:
        super().__init__()
        self._times = times

    def begin(self, doing: str, total_bytes: int) -> None:
        self._times.append(time.perf_counter())
        super().begin(doing, total_bytes)


def _first(spark: SparkSession, data: Path, out: Path) -> None:
    rows = spark.read.option("lineSep", "\n\n").text(str(data / "events"))
    found = rows.mapInArrow(first_matching(str(data / "subscriptions.jsonl")), MATCHED_COLUMNS)
    found.write.parquet(str(out))


def _timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _plan(arguments: argparse.Namespace) -> Plan:
    usual = QUICK if arguments.quick else FULL
    events, subscriptions = arguments.events or usual.events, arguments.subscriptions or usual.subscriptions
    return Plan(events, subscriptions, min(usual.first_events, events), usual.indexed)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small run, whose figures decide nothing")
    parser.add_argument("--events", type=int, help="another number of events")
    parser.add_argument("--subscriptions", type=int, help="another number of subscriptions")
    return parser.parse_args()


if __name__ == "__main__":
    main()
