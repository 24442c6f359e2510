"""`make bench-strategies`: replicate, osma and csma side by side, as subscriptions and matches grow.

The same events, as Parquet, are matched with each strategy on local Spark, and the notifications are counted and
thrown away. A thousand events go before, to start every worker and open the index. `opened` is what a task maps of the
index. What would go beyond the time that a run may take is left out, and said so; `--resume` measures only what an
earlier run has left out.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
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
from triplewire.pipeline import match
from triplewire.pipeline.rows import EVENT_SCHEMA
from triplewire.pipeline.session import SessionSettings, spark_session
from triplewire.pipeline.strategies import Strategy, prepare
from triplewire.pipeline.strategies.csma import Csma
from triplewire.pipeline.strategies.osma import Osma
from triplewire.testing.workloads import Workload, mixed

STRATEGIES = ("replicate", "osma", "csma")
COLOURS = {"replicate": "#d1495b", "osma": "#3b7dd8", "csma": "#2a9d8f"}
PARTS = 8
SEED = 17
_ROWS_A_GROUP = 5_000
_MIB = 1 << 20


class Size(Struct, frozen=True):
    """How much is measured: numbers of subscriptions and matches an event, what matters most first.

    csma gets no more subscriptions than it can have in sensible time: it is not for throughput. Its events are those of
    the others, since what a query costs it before the first row would else be most of what is measured.
    """

    workloads: tuple[tuple[int, float], ...]
    events: int
    most_for_csma: int


QUICK = Size(((1_000, 1.0), (10_000, 1.0), (1_000, 10.0)), 10_000, 1_000)
FULL = Size(
    (
        *((count, 1.0) for count in (1_000, 10_000, 100_000)),
        *((10_000, matches) for matches in (0.1, 10.0)),
        (1_000_000, 1.0),
        *((count, matches) for count in (1_000, 100_000) for matches in (0.1, 10.0)),
    ),
    events=100_000,
    most_for_csma=100_000,
)
PAGE = FIGURES.parent / "strategies.md"
_MEASURED, _END = "<!-- measured -->", "<!-- end of what was measured -->"
_WARM_UP_EVENTS = 1_000
# About what a workload takes, so that none is begun that cannot be finished.
_SECONDS_A_SUBSCRIPTION, _SECONDS_A_WORKLOAD = 0.00035, 90.0


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
    chosen = _arguments(arguments)
    console, size = wide_console(), QUICK if chosen.quick else FULL
    results = QUICK_RESULTS if chosen.quick else RESULTS
    path = results / "strategies.json"
    points = msgspec.json.decode(path.read_bytes(), type=Report).points if chosen.resume and path.exists() else []
    machine, until = facts(), time.monotonic() + 60 * chosen.minutes
    settings = SessionSettings("local[2]", {"spark.driver.memory": "4g", "spark.sql.shuffle.partitions": str(PARTS)})
    with spark_session(settings) as spark:
        for point in measured(spark, size, points, until):
            points = [*points, point]
            console.print(f"{_words(point)}: {point.events_per_second:,.0f} events/s")
            # Whatever ends a run, what was measured is kept.
            _keep(Report(machine, size, points), path)
    show(console, points, size)
    plot(points, results if chosen.quick else FIGURES)
    if not chosen.quick:
        PAGE.write_text(with_figures(PAGE.read_text(), points, size))
    return 0


def _arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.strategies", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small run, for development")
    parser.add_argument("--resume", action="store_true", help="measure only what an earlier run has left out")
    parser.add_argument("--minutes", type=float, default=12.0, help="begin nothing that would take longer [12]")
    return parser.parse_args(arguments)


def measured(spark: SparkSession, size: Size, done: list[Point], until: float) -> Iterator[Point]:
    """Every workload that is not done, as far as time permits, with each strategy."""
    known = {(point.subscriptions, point.matches_per_event, point.strategy) for point in done}
    for subscriptions, matches in size.workloads:
        wanted = [s for s in strategies_for(subscriptions, size) if (subscriptions, matches, s) not in known]
        takes = _SECONDS_A_WORKLOAD + _SECONDS_A_SUBSCRIPTION * subscriptions
        if not wanted or time.monotonic() + takes > until:
            continue
        with tempfile.TemporaryDirectory(prefix="triplewire-strategies-") as root:
            feed = mixed(subscriptions, size.events, SEED, matches)
            events = _written(feed, Path(root) / "events.parquet")
            asked = list(feed.subscriptions())
            for strategy in wanted:
                yield _measure(spark, strategy, asked, matches, spark.read.parquet(str(events)), Path(root))


def strategies_for(subscriptions: int, size: Size) -> list[str]:
    """What is measured at a number of subscriptions."""
    return [strategy for strategy in STRATEGIES if strategy != "csma" or subscriptions <= size.most_for_csma]


def _measure(
    spark: SparkSession, strategy: str, asked: list[Subscription], matches: float, df: DataFrame, root: Path
) -> Point:
    before = time.perf_counter()
    prepared = prepare(spark, asked, root / strategy, strategy, parts=PARTS)
    ready = time.perf_counter() - before
    events = df.count()
    # As many partitions as cores: what comes from a limit is one, and would warm one worker only.
    some = df.limit(_WARM_UP_EVENTS).repartition(spark.sparkContext.defaultParallelism)
    match(some, prepared).write.format("noop").mode("overwrite").save()
    before = time.perf_counter()
    found = match(df, prepared).count()
    seconds = time.perf_counter() - before
    return Point(strategy, len(asked), matches, events / seconds, found / events, ready, _opened(prepared) / _MIB)


def _opened(prepared: Strategy) -> int:
    """How much of the index the task that opens most of it opens."""
    if isinstance(prepared, Osma):
        return max(_bytes(index.snapshot) for index in prepared.part_indexes)
    return _bytes((prepared.open_index if isinstance(prepared, Csma) else prepared.index).snapshot)


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


def _words(point: Point) -> str:
    return f"{point.strategy}, {point.subscriptions:,} subscriptions, {point.matches_per_event:g} matches an event"


def show(console: Console, points: list[Point], size: Size) -> None:
    """One row a workload, how each strategy does beside replicate, and why something is not there."""
    table = Table(title="events a second, and beside replicate")
    for name in ("subscriptions", "matches/event", *STRATEGIES, "opened by replicate", "by osma", "by csma"):
        table.add_column(name, justify="right")
    for (subscriptions, matches), row in _by_workload(points).items():
        cells = [_speed(row.get(strategy), row.get("replicate")) for strategy in STRATEGIES]
        opened = [f"{row[s].opened_mib:,.1f} MiB" if s in row else "-" for s in STRATEGIES]
        table.add_row(f"{subscriptions:,}", f"{matches:g}", *cells, *opened)
    console.print(table)
    console.print(f"csma: not beyond {size.most_for_csma:,} subscriptions.")
    for subscriptions, matches in size.workloads:
        if (subscriptions, matches) not in _by_workload(points):
            console.print(f"left out for lack of time: {subscriptions:,} subscriptions, {matches:g} matches an event.")


def _speed(point: Point | None, base: Point | None) -> str:
    if point is None:
        return "not measured"
    ratio = f" ({point.events_per_second / base.events_per_second:.2f}x)" if base else ""
    return f"{point.events_per_second:,.0f}{ratio}"


def _by_workload(points: list[Point]) -> dict[tuple[int, float], dict[str, Point]]:
    rows: dict[tuple[int, float], dict[str, Point]] = {}
    for point in sorted(points, key=lambda p: (p.matches_per_event, p.subscriptions)):
        rows.setdefault((point.subscriptions, point.matches_per_event), {})[point.strategy] = point
    return rows


def with_figures(page: str, points: list[Point], size: Size) -> str:
    """The page that says when to use which, with what was measured between its marks."""
    before, rest = page.split(_MEASURED, 1)
    after = rest.split(_END, 1)[1]
    return f"{before}{_MEASURED}\n{_markdown(points, size)}\n{_END}{after}"


def _markdown(points: list[Point], size: Size) -> str:
    names = ("subscriptions", "matches/event", *STRATEGIES, *(f"{s} opens, MiB" for s in STRATEGIES))
    lines = ["| " + " | ".join(names) + " |", "|" + "---:|" * len(names)]
    for (subscriptions, matches), row in _by_workload(points).items():
        cells = [f"{subscriptions:,}", f"{matches:g}", *(_speed(row.get(s), row.get("replicate")) for s in STRATEGIES)]
        cells += [f"{row[s].opened_mib:,.1f}" if s in row else "-" for s in STRATEGIES]
        lines.append("| " + " | ".join(cells) + " |")
    told = (
        f"Events a second on two cores, and beside replicate; {size.events:,} events, osma in {PARTS} parts. csma was "
    )
    told += f"given no more than {size.most_for_csma:,} subscriptions.\n"
    pictures = [
        "![events a second by subscriptions](figures/strategies-subscriptions.png)",
        "![events a second by matches an event](figures/strategies-matches.png)",
    ]
    return "\n".join([*lines, "", told, *pictures])


def plot(points: list[Point], folder: Path) -> None:
    """Events a second as subscriptions grow, at one match an event, and as matches grow, at 10,000 subscriptions."""
    folder.mkdir(parents=True, exist_ok=True)
    by_subscriptions = [point for point in points if point.matches_per_event == 1.0]
    _draw(by_subscriptions, "subscriptions", "one match an event", folder / "strategies-subscriptions.png")
    by_matches = [point for point in points if point.subscriptions == 10_000]
    _draw(by_matches, "matches_per_event", "10,000 subscriptions", folder / "strategies-matches.png")


def _draw(points: list[Point], along: str, title: str, path: Path) -> None:
    _, axes = plt.subplots(figsize=(7.0, 4.2), layout="constrained")
    for strategy in STRATEGIES:
        mine = sorted((getattr(p, along), p.events_per_second) for p in points if p.strategy == strategy)
        axes.plot(
            [x for x, _ in mine], [y for _, y in mine], "o-", color=COLOURS[strategy], label=strategy, markersize=4
        )
    axes.set(title=title, xlabel=along.replace("_per_", " an ").replace("_", " "), ylabel="events a second")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.grid(visible=True, alpha=0.25)
    axes.legend(frameon=False, fontsize=9)
    plt.savefig(path, dpi=150)
    plt.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
