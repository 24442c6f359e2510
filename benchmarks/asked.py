"""The figures that were asked of the matcher, each with what was measured and whether that is enough."""

from __future__ import annotations

from msgspec import Struct

from benchmarks.engine import OURS
from benchmarks.evaluations import Evaluation
from benchmarks.throughput import Throughput
from benchmarks.vitals import Latency, Opening


class Figure(Struct, frozen=True):
    """Something asked for. `met` is None where this run was too small to say."""

    name: str
    asked: str
    measured: float
    unit: str
    met: bool | None


class Findings(Struct):
    """All that a run measured. Names of rivals that did not finish are in `unfinished`, with the reason."""

    throughput: list[Throughput]
    unfinished: dict[str, str]
    latency: Latency | None = None
    latency_at: int = 0
    arrow_events_per_second: float | None = None
    opening: Opening | None = None
    opening_at: int = 0
    fresh_process_seconds: float | None = None
    evaluations: list[Evaluation] | None = None

    def of(self, engine: str, workload: str, subscriptions: int) -> Throughput | None:
        """What was measured of an engine on a case, if it was."""
        wanted = (engine, workload, subscriptions)
        return next((t for t in self.throughput if (t.engine, t.workload, t.subscriptions) == wanted), None)

    def speed(self, engine: str, subscriptions: int) -> float | None:
        """Events a second on the mixed workload."""
        found = self.of(engine, "mixed", subscriptions)
        return None if found is None else found.events_per_second

    def built(self, at_least: int) -> list[Throughput]:
        """Triplewire on mixed workloads of some size."""
        ours = [t for t in self.throughput if t.engine == OURS and t.workload == "mixed"]
        return [t for t in ours if t.subscriptions >= at_least]

    def largest(self) -> Throughput | None:
        """Triplewire on the largest mixed workload."""
        return max(self.built(0), key=lambda t: t.subscriptions, default=None)


def figures(findings: Findings) -> list[Figure]:
    """Every asked figure that the run has something to say about."""
    asked = (_speeds, _ratios, _growth, _operators, _vitals)
    return [figure for about in asked for figure in about(findings)]


def _speeds(findings: Findings) -> list[Figure]:
    found = []
    for size, wanted in ((100_000, 200_000), (1_000_000, 100_000)):
        speed = findings.speed(OURS, size)
        if speed is not None:
            found.append(Figure(f"{size:,} subscriptions", f"≥ {wanted:,}", speed, "events/s", speed >= wanted))
    return found


def _ratios(findings: Findings) -> list[Figure]:
    found = []
    for rival, wanted in (("DuckDB join", 3), ("CLIPS", 1_000)):
        for size in (1_000, 10_000, 100_000):
            ours, theirs = findings.speed(OURS, size), findings.speed(rival, size)
            if ours is not None and theirs is not None:
                ratio = ours / theirs
                met = ratio >= wanted if size == 100_000 else None
                asked = f"≥ {wanted:,}" if size == 100_000 else ""
                found.append(Figure(f"{rival} at {size:,}", asked, ratio, "times its speed", met))
    return found


def _growth(findings: Findings) -> list[Figure]:
    small, large = findings.speed(OURS, 10_000), findings.speed(OURS, 1_000_000)
    if small is None or large is None:
        return []
    grown = small / large
    return [Figure("time an event, 10,000 to 1,000,000", "≤ 3", grown, "times", grown <= 3)]


def _operators(findings: Findings) -> list[Figure]:
    """Queries with OPTIONAL and its like: beside plain ones, and one evaluation beside Oxigraph's."""
    found = []
    for composed in (t for t in findings.throughput if t.workload == "composed"):
        plain = findings.speed(OURS, composed.subscriptions)
        if plain is not None:
            share = composed.events_per_second / plain
            name = f"a third with OPTIONAL, UNION, …, at {composed.subscriptions:,}"
            found.append(Figure(name, "≥ 0.7", share, "of mixed", share >= 0.7))
    for evaluation in findings.evaluations or ():
        ratio = evaluation.oxigraph / evaluation.ours
        found.append(Figure(f"one evaluation, {evaluation.operator}", "≥ 50", ratio, "times Oxigraph", ratio >= 50))
    return found


def _building(ours: Throughput) -> list[Figure]:
    """How soon text is live on one core, and the memory that it takes beside itself."""
    large = ours.subscriptions >= 100_000
    rate, memory = ours.subscriptions / ours.building.seconds, ours.bytes_per_subscription
    return [
        Figure(
            f"SPARQL text to live subscription, {ours.subscriptions:,}",
            "≥ 20,000",
            rate,
            "a second",
            rate >= 20_000 if large else None,
        ),
        Figure(
            f"memory beyond the text at {ours.subscriptions:,}",
            "≤ 400",
            memory,
            "bytes a subscription",
            memory <= 400 if large else None,
        ),
    ]


def _vitals(findings: Findings) -> list[Figure]:
    found = []
    if findings.latency is not None:
        met = findings.latency.median < 50 if findings.latency_at == 100_000 else None
        name = f"one event at {findings.latency_at:,}, median"
        found.append(Figure(name, "< 50", findings.latency.median, "µs", met))
    largest = findings.largest()
    if largest is not None:
        for ours in findings.built(at_least=min(100_000, largest.subscriptions)):
            found += _building(ours)
    if findings.opening is not None and largest is not None:
        beyond = (findings.opening.bytes_on_disk - largest.building.text_bytes) / largest.subscriptions
        found.append(Figure("its snapshot on disk, beyond the text", "", beyond, "bytes a subscription", None))
        met = findings.opening.seconds < 1 if findings.opening_at == 1_000_000 else None
        found.append(Figure(f"opening {findings.opening_at:,}", "< 1", findings.opening.seconds, "s", met))
    if findings.fresh_process_seconds is not None:
        seconds = findings.fresh_process_seconds
        found.append(Figure("a fresh process: import and match", "< 2", seconds, "s", seconds < 2))
    return found
