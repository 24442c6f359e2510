"""What was asked of views, beside what was measured."""

from __future__ import annotations

from msgspec import Struct

from benchmarks.asked import Figure
from benchmarks.rivals.incremunica import Parts
from benchmarks.views.alone import Alone, Beside
from benchmarks.views.library import Kind

ASKED_RATE = 1_000.0
ASKED_APART = 2.0
ASKED_P99_MS = 50.0
ASKED_FACTOR = 100.0


class Rate(Struct, frozen=True):
    """Updates a second that a node acknowledged, and the microseconds of its processor time that each took.

    `load` is the machine's load average at the end.
    """

    kind: str
    views: int
    updates_per_second: float
    cpu_micros: float
    load: float


class Delay(Struct, frozen=True):
    """From when an update was due until a reader had its notification, in milliseconds, updates coming at a rate."""

    views: int
    asked_rate: float
    carried_rate: float
    notifications: int
    p50: float
    p99: float
    load: float


class Putting(Struct, frozen=True):
    """Views that were put one by one over HTTP, the seconds that it took, and by how much the node's memory grew."""

    views: int
    seconds: float
    mib: float


class Findings(Struct):
    """All that a run measured. `told` is how many notifications waited in the end: one for each update, no other.

    `refused` is how many updates took longer than one may, and were sent again; `missing` says why there is no
    Incremunica.
    """

    load_seconds: float = 0.0
    loaded_mib: float = 0.0
    putting: list[Putting] = []
    rates: list[Rate] = []
    delays: list[Delay] = []
    kinds: list[Rate] = []
    told: int = 0
    refused: int = 0
    restart_seconds: float = 0.0
    alone: list[Alone] = []
    beside: list[Beside] = []
    incremunica: list[Parts] = []
    missing: str | None = None


def figures(findings: Findings, *, is_full: bool) -> list[Figure]:
    """Every asked figure that the run has something to say about; a small run does not judge."""
    found = [*_rates(findings), *_delays(findings), *_beside(findings), *_incremunica(findings)]
    found += [*_kinds(findings), *_vitals(findings)]
    return found if is_full else [Figure(f.name, f.asked, f.measured, f.unit, None) for f in found]


def _rates(findings: Findings) -> list[Figure]:
    few, many, most = findings.rates
    speed = many.updates_per_second
    rates = [one.updates_per_second for one in findings.rates]
    apart = max(rates) / min(rates)
    return [
        Figure(
            f"{many.views:,} views of 2 to 4 patterns, durable",
            f"≥ {ASKED_RATE:,.0f}",
            speed,
            "updates/s",
            speed >= ASKED_RATE,
        ),
        *(Figure(f"with {one.views:,}", "", one.updates_per_second, "updates/s", None) for one in (few, most)),
        Figure("the fastest beside the slowest", f"≤ {ASKED_APART:g}", apart, "times", apart <= ASKED_APART),
    ]


def _delays(findings: Findings) -> list[Figure]:
    found = []
    for one in findings.delays:
        name = f"update to notification at {one.asked_rate:,.0f} updates/s"
        found += [
            Figure(f"{name}, p50", "", one.p50, "ms", None),
            Figure(f"{name}, p99", f"< {ASKED_P99_MS:g}", one.p99, "ms", one.p99 < ASKED_P99_MS),
        ]
    return found


def _beside(findings: Findings) -> list[Figure]:
    found = []
    for one in findings.beside:
        name = f"every query again, {one.views:,} views of {one.rows:g} rows"
        found += [
            Figure(name, f"≥ {ASKED_FACTOR:g}", one.factor, "times the time", one.factor >= ASKED_FACTOR),
            Figure(f"{name}, with the store's part", "", one.whole_factor, "times the time", None),
        ]
    return found


def _incremunica(findings: Findings) -> list[Figure]:
    """Beside our views in process, as many of them and of the same kind."""
    found = []
    for parts in findings.incremunica:
        ours = next(o.median for o in findings.alone if o.views == parts.views and o.kind == Kind.PLAIN)
        name = f"Incremunica's parts, {parts.views:,} views, without the store"
        found.append(Figure(name, "", parts.median / ours, "times the time", None))
    return found


def _kinds(findings: Findings) -> list[Figure]:
    if not findings.kinds:
        return []
    plain, *others = findings.kinds
    return [
        Figure(f"views with {one.kind}", "", one.updates_per_second / plain.updates_per_second, "of plain ones", None)
        for one in others
    ]


def _vitals(findings: Findings) -> list[Figure]:
    views, last = sum(one.views for one in findings.putting), findings.putting[-1]
    return [
        Figure("loading the graph", "", findings.load_seconds, "s", None),
        Figure(f"putting {last.views:,} views over HTTP", "", last.seconds, "s", None),
        Figure("memory of each", "", last.mib * 1024 / last.views, "KiB", None),
        Figure(f"starting again with all {views:,}", "", findings.restart_seconds, "s", None),
    ]
