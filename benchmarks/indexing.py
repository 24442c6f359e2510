"""Subscriptions become an index on Spark: all of them from nothing, and again after a few have changed."""

from __future__ import annotations

import time
from itertools import islice
from pathlib import Path

import msgspec
from msgspec import Struct
from pyspark.sql import SparkSession

from benchmarks.asked import Figure
from benchmarks.cases import Case
from benchmarks.memory import MemoryWatch
from triplewire.pipeline.jobs.subscription_loading import load_subscriptions
from triplewire.pipeline.storage.location import Location

_CHANGED = 10


class Indexing(Struct, frozen=True):
    """`mib` is what the driver's Python and the workers had for themselves at most, together and without the JVM."""

    subscriptions: int
    seconds: float
    mib: float
    changed_among: int
    changed_seconds: float


class _Named(Struct, frozen=True):
    """What names subscriptions."""

    subscriptions: tuple[str, ...]
    taxonomy: str | None = None
    strict: bool = True
    storage: dict[str, str] = {}


def measure_indexing(spark: SparkSession, home: Path, subscriptions: int, changed_among: int) -> Indexing:
    """Index so many from nothing; then change ten among another number, and index those again."""
    home.mkdir()
    few = home / "few.jsonl"
    _write(few, changed_among, 0)
    _seconds(spark, few, home / "few")  # starts the workers, too
    _write(few, changed_among, _CHANGED)
    changed = _seconds(spark, few, home / "few")
    _write(home / "many.jsonl", subscriptions, 0)
    with MemoryWatch() as memory:
        seconds = _seconds(spark, home / "many.jsonl", home / "many")
    return Indexing(subscriptions, seconds, memory.together / 2**20, changed_among, changed)


def figures(found: Indexing, *, full: bool) -> list[Figure]:
    """What was asked for."""

    def at_most(name: str, wanted: float, value: float, unit: str) -> Figure:
        return Figure(name, f"≤ {wanted:,g}", value, unit, value <= wanted if full else None)

    return [
        at_most(f"indexing {found.subscriptions:,} on two cores", 120, found.seconds, "s"),
        at_most("memory of driver and workers meanwhile", 2_048, found.mib, "MiB"),
        at_most(f"indexing {_CHANGED} changed among {found.changed_among:,}", 15, found.changed_seconds, "s"),
    ]


def _seconds(spark: SparkSession, file: Path, root: Path) -> float:
    start = time.perf_counter()
    load_subscriptions(spark, _Named((str(file),)), Location.of(root))
    return time.perf_counter() - start


def _write(file: Path, subscriptions: int, changed: int) -> None:
    """Mixed subscriptions, of which the first few ask for something else."""
    rows = Case("mixed", subscriptions, 1).make().rows()
    with file.open("wb") as out:
        for row in islice(rows, changed):
            other = row._replace(text=row.text.replace("http://example.org/", "http://example.org/other/"))
            out.write(msgspec.json.encode(other._asdict()) + b"\n")
        for row in rows:
            out.write(msgspec.json.encode(row._asdict()) + b"\n")
