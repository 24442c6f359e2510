"""The experiments of the G-ToPSS paper (section 5): one parameter varies, the others stay at their defaults.

For each setting, an engine takes all subscriptions and then matches the publication that the matching ones are parts
of. Matching time is the median of several matches of that publication. The rivals get it as triples, read beforehand;
Triplewire gets its N-Quads, and reads them each time. Memory is what the process grew by.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable

from msgspec import Struct

from benchmarks.engine import Triplewire, engine_named
from benchmarks.isolated import Tell
from benchmarks.machine import resident_bytes
from benchmarks.rivals.publications import Rival, publications
from triplewire.testing.workloads import Parameters, Workload, gtopss

_LEAST_REPEATS, _MOST_REPEATS = 3, 200


class Setting(Struct, frozen=True):
    """One point of an experiment: what is varied is `value`; the rest is Table 1."""

    value: float
    subscriptions: int
    parameters: Parameters
    seed: int = 1

    def make(self) -> Workload:
        return gtopss(self.subscriptions, 1, self.seed, self.parameters)


class Point(Struct, frozen=True):
    """An engine at a setting. `texts_bytes` is what the subscriptions' own text takes."""

    engine: str
    value: float
    milliseconds: float
    grown_bytes: int
    texts_bytes: int
    matches: int


class Structure(Struct, frozen=True):
    """How much of the subscriptions' edges is shared: what figure 9(c) validates the workload by."""

    value: float
    edges: int
    distinct_edges: int


def at(setting: Setting, name: str, seconds: float, tell: Tell) -> Point:
    """Build, then match the publication for some seconds."""
    warm = engine_named(name)
    warm.build(gtopss(20, 1).subscriptions())
    _matching(warm, next(gtopss(20, 1).payloads()))()
    workload = setting.make()
    subscriptions = list(workload.subscriptions())
    texts = sum(len(subscription.text) for subscription in subscriptions)
    before = resident_bytes()
    engine = engine_named(name)
    engine.build(subscriptions)
    grown = resident_bytes() - before
    match = _matching(engine, next(workload.payloads()))
    gc.freeze()
    return Point(name, setting.value, _median_milliseconds(match, seconds), grown, texts, match())


def structure(setting: Setting, tell: Tell) -> Structure:
    """Count edges. A star is the same star in every subscription, as in GM."""
    edges = [line for row in setting.make().rows() for line in row.text.splitlines()]
    return Structure(setting.value, len(edges), len(set(edges)))


def _matching(engine: Rival, payload: bytes) -> Callable[[], int]:
    if isinstance(engine, Triplewire):
        return lambda: engine.count(payload)
    [(_, triples)] = publications(payload)
    return lambda: len(engine.match_event(triples))  # type: ignore[attr-defined]


def _median_milliseconds(match: Callable[[], int], seconds: float) -> float:
    match()
    times: list[float] = []
    until = time.perf_counter() + seconds
    while len(times) < _LEAST_REPEATS or (time.perf_counter() < until and len(times) < _MOST_REPEATS):
        start = time.perf_counter()
        match()
        times.append(1_000 * (time.perf_counter() - start))
    return statistics.median(times)
