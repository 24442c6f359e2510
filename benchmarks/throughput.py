"""Events a second: build an engine, warm it up, then match batch after batch until events or time run out.

Time runs from N-Quads bytes to matches; building does not count, and is reported beside. Every engine first shows its
answers on the same few events, so that a fast wrong answer is noticed.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from benchmarks.cases import Case, taxonomy_of
from benchmarks.engine import Triplewire, counter_of, engine_named
from benchmarks.isolated import Tell
from benchmarks.machine import resident_bytes
from benchmarks.rivals.publications import Rival
from triplewire import Subscription
from triplewire.testing.workloads import Churn, Row, Workload, churn

_SHOWN_EVENTS = 2
_TINY = 50
_TOLD_EVERY = 1_000


class Building(Struct, frozen=True):
    """What it took to build: from text to live subscriptions, and the memory that stays, text excluded."""

    seconds: float
    grown_bytes: int
    text_bytes: int


class Throughput(Struct, frozen=True):
    """One engine on one case. `answers` are its matches on the first events, as sorted pairs."""

    engine: str
    workload: str
    subscriptions: int
    building: Building
    events: int
    seconds: float
    matches: int
    answers: list[tuple[str, str]]
    saving_seconds: float | None = None

    @property
    def events_per_second(self) -> float:
        return self.events / self.seconds

    @property
    def bytes_per_subscription(self) -> float:
        return (self.building.grown_bytes - self.building.text_bytes) / self.subscriptions


def measure(case: Case, name: str, seconds: float, folder: str | None, tell: Tell) -> Throughput:
    """Events a second for one engine; Triplewire also saves a snapshot if there is a folder for it."""
    workload = case.make()
    _warm_up(case, name)
    engine = engine_named(name)
    building = _build(engine, workload, case.subscriptions, tell)
    payloads = list(workload.payloads())
    answers = sorted(engine.match(b"".join(payloads[:_SHOWN_EVENTS])))
    events, spent, matches = _timed(engine, payloads, seconds)
    saving = _saved(engine, folder)
    return Throughput(name, case.workload, case.subscriptions, building, events, spent, matches, answers, saving)


def measure_churn(case: Case, share: float, seconds: float, tell: Tell) -> Throughput:
    """As `measure` for Triplewire, while that share of the subscriptions is replaced every second.

    Replacing counts: parsing the new text, adding it and removing an old one happen between two batches.
    """
    stream = churn(case.subscriptions, case.events, case.seed, case.matches_per_event)
    _warm_up(case, Triplewire.name)
    engine = Triplewire()
    building = _build(engine, stream.workload, case.subscriptions, tell)
    payloads = list(stream.workload.payloads())
    answers = sorted(engine.match(b"".join(payloads[:_SHOWN_EVENTS])))
    events, spent, matches = _churned(engine, stream, payloads, share * case.subscriptions, seconds)
    return Throughput(engine.name, "churn", case.subscriptions, building, events, spent, matches, answers)


def _warm_up(case: Case, name: str) -> None:
    """Load kernels and libraries, so that neither time nor memory of that is counted."""
    tiny = Case(case.workload if case.workload != "churn" else "mixed", _TINY, _TINY, case.seed).make()
    engine = engine_named(name)
    engine.build(tiny.subscriptions(), taxonomy_of(tiny))
    counter_of(engine)(tiny.nquads())


def _build(engine: Rival, workload: Workload, total: int, tell: Tell) -> Building:
    taxonomy = taxonomy_of(workload)
    before = resident_bytes()
    measured = _Reading(workload.rows(), total, tell)
    start = time.perf_counter()
    engine.build(iter(measured), taxonomy)
    spent = time.perf_counter() - start
    return Building(spent, resident_bytes() - before, measured.text_bytes)


class _Reading:
    """Parses rows on demand, counts their text, and tells how far it is."""

    def __init__(self, rows: Iterator[Row], total: int, tell: Tell) -> None:
        self._rows, self._total, self._tell = rows, total, tell
        self.text_bytes = 0

    def __iter__(self) -> Iterator[Subscription]:
        for number, row in enumerate(self._rows):
            if number % _TOLD_EVERY == 0:
                self._tell(number, self._total)
            self.text_bytes += len(row.text)
            yield Subscription.parse(row.text, row.language, id=row.id)


def _timed(engine: Rival, payloads: list[bytes], seconds: float) -> tuple[int, float, int]:
    count = counter_of(engine)
    batches = [b"".join(payloads[at : at + engine.batch]) for at in range(0, len(payloads), engine.batch)]
    # What was built stays; the collector need not look at it again for every engine that makes objects.
    gc.collect()
    gc.freeze()
    if engine.batch > 1:
        count(batches.pop(0))
    events = matches = 0
    start = time.perf_counter()
    for number, batch in enumerate(batches, 1):
        matches += count(batch)
        events = min(number * engine.batch, len(payloads))
        if time.perf_counter() - start > seconds:
            break
    return events, time.perf_counter() - start, matches


def _churned(
    engine: Triplewire, stream: Churn, payloads: list[bytes], rate: float, seconds: float
) -> tuple[int, float, int]:
    waiting = stream.replacements()
    batches = [b"".join(payloads[at : at + engine.batch]) for at in range(0, len(payloads), engine.batch)]
    engine.count(batches[0])
    gc.collect()
    gc.freeze()
    events = matches = replaced = 0
    start = time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds:
        while replaced < rate * spent:
            _replace(engine, waiting)
            replaced += 1
        matches += engine.count(batches[events // engine.batch % len(batches)])
        events += engine.batch
    return events, time.perf_counter() - start, matches


def _replace(engine: Triplewire, waiting: Iterator[object]) -> None:
    replacement = next(waiting)
    engine.matcher.remove(replacement.removed)  # type: ignore[attr-defined]
    row = replacement.added  # type: ignore[attr-defined]
    engine.matcher.add(Subscription.parse(row.text, row.language, id=row.id))


def _saved(engine: Rival, folder: str | None) -> float | None:
    if folder is None or not isinstance(engine, Triplewire):
        return None
    start = time.perf_counter()
    engine.matcher.save(Path(folder))
    return time.perf_counter() - start
