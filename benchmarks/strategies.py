"""`make bench-strategies`: replicate, osma and csma side by side, as subscriptions and matches grow.

The same events, as Parquet, are matched with each strategy on local Spark, and the notifications are counted and
thrown away. What is measured is the second run: the first starts workers and opens the index. `opened` is what a task
maps of the index.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from matplotlib import pyplot as plt
from msgspec import Struct
from pyspark.sql import DataFrame, SparkSession
from rich.console import Console
from rich.table import Table

from benchmarks.machine import Machine, facts
from benchmarks.reports import FIGURES, QUICK_RESULTS, RESULTS, wide_console
from triplewire.algebra.subscriptions import Subscription
from triplewire.pipeline.index import IndexRef
from triplewire.pipeline.rows import EVENT_SCHEMA
from triplewire.pipeline.session import SessionSettings, spark_session
from triplewire.pipeline.strategies import Prepared, matched, prepare
from triplewire.pipeline.strategies.prepared import Parts
from triplewire.testing.workloads import Workload, mixed

STRATEGIES = ("replicate", "osma", "csma")
COLOURS = {"replicate": "#d1495b", "osma": "#3b7dd8", "csma": "#2a9d8f"}
PARTS = 8
SEED = 17
_ROWS_A_GROUP = 5_000
_MIB = 1 << 20


class Size(Struct, frozen=True):
    """How much is measured. csma gets fewer events: it is not for throughput."""

    subscriptions: tuple[int, ...]
    matches: tuple[float, ...]
    events: int
    events_for_csma: int


QUICK = Size((1_000, 10_000), (1.0,), 10_000, 5_000)
FULL = Size((1_000, 10_000, 100_000, 1_000_000), (0.1, 1.0, 10.0), 200_000, 20_000)


class Point(Struct, frozen=True):
    """One measurement."""

    strategy: str
    subscriptions: int
    matches_per_event: float
    events_per_second: float
    found_per_event: float
    prepare_seconds: float
    opened_mib: float


class Report(Struct, frozen=True):
    """What is written to disk."""

    machine: Machine
    size: Size
    points: list[Point]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.strategies", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small run, for development")
    quick = parser.parse_args(arguments).quick
    console, size = wide_console(), QUICK if quick else FULL
    machine = facts()
    settings = SessionSettings("local[2]", {"spark.driver.memory": "4g", "spark.sql.shuffle.partitions": str(PARTS)})
    points: list[Point] = []
    results = QUICK_RESULTS if quick else RESULTS
    with spark_session(settings) as spark:
        for point in measured(spark, size):
            points.append(point)
            console.print(f"{point.strategy}, {point.subscriptions:,} subscriptions: {point.events_per_second:,.0f}/s")
            # A full run takes long: whatever ends it, what was measured is kept.
            _keep(Report(machine, size, points), results / "strategies.json")
    show(console, points)
    plot(points, results if quick else FIGURES)
    return 0


def measured(spark: SparkSession, size: Size) -> Iterator[Point]:
    """Every combination, one workload at a time."""
    for subscriptions, matches in product(size.subscriptions, size.matches):
        root = Path(tempfile.mkdtemp(prefix="triplewire-strategies-"))
        try:
            feed = mixed(subscriptions, size.events, SEED, matches)
            events = _written(feed, root / "events.parquet")
            some = events.with_name("some.parquet")
            pq.write_table(pq.read_table(events).slice(0, size.events_for_csma), some, row_group_size=_ROWS_A_GROUP)
            asked = list(feed.subscriptions())
            for strategy in STRATEGIES:
                path = some if strategy == "csma" else events
                yield _measure(spark, strategy, asked, matches, spark.read.parquet(str(path)), root)
        finally:
            shutil.rmtree(root, ignore_errors=True)


def _measure(
    spark: SparkSession, strategy: str, asked: list[Subscription], matches: float, df: DataFrame, root: Path
) -> Point:
    before = time.perf_counter()
    prepared = prepare(spark, asked, root / strategy, strategy, parts=PARTS)
    ready = time.perf_counter() - before
    events = df.count()
    matched(df, prepared).write.format("noop").mode("overwrite").save()
    before = time.perf_counter()
    found = matched(df, prepared).count()
    seconds = time.perf_counter() - before
    return Point(strategy, len(asked), matches, events / seconds, found / events, ready, _opened(prepared) / _MIB)


def _opened(prepared: Prepared) -> int:
    """How much of the index the task that opens most of it opens."""
    if isinstance(prepared, IndexRef):
        return _bytes(prepared.snapshot)
    if isinstance(prepared, Parts):
        return max(_bytes(index.snapshot) for index in prepared.indexes)
    return _bytes(prepared.opened.snapshot)


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _written(feed: Workload, path: Path) -> Path:
    """The events as rows. Every payload's first line names its event."""
    payloads = list(feed.payloads())
    count = len(payloads)
    columns = {
        "event": [payload.split(b" .\n", 1)[0].rsplit(b"<", 1)[1][:-1].decode() for payload in payloads],
        "source": ["mixed"] * count,
        "time": [datetime(2024, 1, 1, tzinfo=UTC)] * count,
        "payload": payloads,
    }
    pq.write_table(pa.table(columns, schema=EVENT_SCHEMA), path, row_group_size=_ROWS_A_GROUP)
    return path


def _keep(report: Report, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(report)))


def show(console: Console, points: list[Point]) -> None:
    """One row a workload, and how each strategy does beside replicate."""
    table = Table(title="events a second, and beside replicate")
    for name in ("subscriptions", "matches/event", *STRATEGIES, "opened by replicate", "by osma", "by csma"):
        table.add_column(name, justify="right")
    for (subscriptions, matches), row in _by_workload(points).items():
        base = row["replicate"].events_per_second
        speeds = [f"{p.events_per_second:,.0f} ({p.events_per_second / base:.2f}x)" for p in row.values()]
        opened = [f"{p.opened_mib:,.1f} MiB" for p in row.values()]
        table.add_row(f"{subscriptions:,}", f"{matches:g}", *speeds, *opened)
    console.print(table)


def _by_workload(points: list[Point]) -> dict[tuple[int, float], dict[str, Point]]:
    rows: dict[tuple[int, float], dict[str, Point]] = {}
    for point in points:
        rows.setdefault((point.subscriptions, point.matches_per_event), {})[point.strategy] = point
    return {key: row for key, row in rows.items() if len(row) == len(STRATEGIES)}


def plot(points: list[Point], folder: Path) -> None:
    """One chart for each number of matches: events a second by subscriptions."""
    folder.mkdir(parents=True, exist_ok=True)
    for matches in sorted({point.matches_per_event for point in points}):
        _, axes = plt.subplots(figsize=(7.0, 4.2), layout="constrained")
        for strategy in STRATEGIES:
            mine = [p for p in points if p.strategy == strategy and p.matches_per_event == matches]
            xs, ys = [p.subscriptions for p in mine], [p.events_per_second for p in mine]
            axes.plot(xs, ys, "o-", color=COLOURS[strategy], label=strategy, markersize=4)
        axes.set(title=f"{matches:g} matches an event", xlabel="subscriptions", ylabel="events a second")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.grid(visible=True, alpha=0.25)
        axes.legend(frameon=False, fontsize=9)
        plt.savefig(folder / f"strategies-{matches:g}.png", dpi=150)
        plt.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
