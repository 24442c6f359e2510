"""What is not events a second: single events, solutions as objects, opening a snapshot, a fresh process."""

from __future__ import annotations

import gc
import statistics
import subprocess
import sys
import time
from pathlib import Path

from msgspec import Struct

from benchmarks.cases import Case, taxonomy_of
from benchmarks.engine import Triplewire
from benchmarks.isolated import Tell
from triplewire import Event, Matcher

# What a user's first script does. It is started twice: the first start may have kernels to compile.
_FIRST_SCRIPT = """
from triplewire import Event, Matcher, Subscription
matcher = Matcher()
matcher.add(Subscription.parse("SELECT ?s { ?s <urn:p> ?n FILTER(?n > 1) }", id="one"))
[event] = Event.parse('<urn:s> <urn:p> "2"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:e> .')
assert [match.subscription_id for match in matcher.match(event)] == ["one"]
"""


class Latency(Struct, frozen=True):
    """Microseconds of `match(event)`, from an `Event` to a list of `Match` objects with their solutions."""

    median: float
    percentile_99: float


class Opening(Struct, frozen=True):
    """A snapshot, opened in a fresh process: seconds to open, then to match one event, and its size on disk."""

    seconds: float
    first_match_seconds: float
    bytes_on_disk: int


def latency(case: Case, tell: Tell) -> Latency:
    """Match events one at a time."""
    workload = case.make()
    engine = Triplewire()
    engine.build(workload.subscriptions(), taxonomy_of(workload))
    events = list(workload.events())
    gc.collect()
    gc.freeze()
    for event in events[: len(events) // 10]:
        engine.matcher.match(event)
    times = []
    for event in events:
        start = time.perf_counter()
        engine.matcher.match(event)
        times.append(1e6 * (time.perf_counter() - start))
    return Latency(statistics.median(times), statistics.quantiles(times, n=100)[98])


def to_arrow(case: Case, tell: Tell) -> float:
    """Events a second when every batch is also turned into an Arrow table, solutions spelled out."""
    workload = case.make()
    engine = Triplewire()
    engine.build(workload.subscriptions(), taxonomy_of(workload))
    payloads = list(workload.payloads())
    batches = [b"".join(payloads[at : at + engine.batch]) for at in range(0, len(payloads), engine.batch)]
    engine.matcher.match_nquads(batches[0]).to_arrow()
    start = time.perf_counter()
    for batch in batches[1:]:
        engine.matcher.match_nquads(batch).to_arrow()
    return (len(payloads) - engine.batch) / (time.perf_counter() - start)


def opening(folder: str, payload: bytes, tell: Tell) -> Opening:
    """Open a snapshot that another process has written; the files are in the page cache, imports are done."""
    size = sum(path.stat().st_size for path in Path(folder).iterdir())
    [event] = Event.parse(payload)
    Matcher().match(event)
    start = time.perf_counter()
    matcher = Matcher.open(folder)
    opened = time.perf_counter()
    matcher.match(event)
    return Opening(opened - start, time.perf_counter() - opened, size)


def fresh_process(tell: Tell) -> float:
    """Seconds of a whole new process that imports, subscribes and matches, kernels compiled before."""
    seconds = []
    for _ in range(4):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", _FIRST_SCRIPT], check=True)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds[1:])
