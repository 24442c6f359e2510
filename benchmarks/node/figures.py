"""What was asked of the node, beside what was measured."""

from __future__ import annotations

from statistics import median

from msgspec import Struct

from benchmarks.asked import Figure

ASKED_RATE = 5_000.0
ASKED_P99_MS = 50.0
ASKED_BEHIND = 3.0
ASKED_GROWTH = 1.5
ASKED_F5 = 2.0
ASKED_A9 = 0.8
_TYPICAL = (16, 50)


class Rate(Struct, frozen=True):
    """Events a second that a broker acknowledged."""

    broker: str
    subscriptions: int
    publishers: int
    batch: int
    events_per_second: float


class Delay(Struct, frozen=True):
    """From when an event was due until its subscriber had it, in milliseconds, while events came at a rate."""

    broker: str
    case: str
    asked_rate: float
    carried_rate: float
    notifications: int
    p50: float
    p99: float


class Flood(Struct, frozen=True):
    """Others' events a second, in slices: alone, and while a client has all the match-all subscriptions it may."""

    alone: list[float]
    flooded: list[float]


class Findings(Struct):
    """All that a run measured. `missing` says why there is no JetStream, `durable` how its writes are."""

    rates: list[Rate] = []
    delays: list[Delay] = []
    floods: list[Flood] = []
    memory_mib: tuple[float, float] | None = None
    """The node's memory before and after a subscriber to everything did not read."""
    missing: str | None = None
    durable: str = ""

    def rate(self, broker: str, subscriptions: int) -> float | None:
        """What many publishers with many events a request got done."""
        for one in self.rates:
            if (one.broker, one.subscriptions, one.publishers, one.batch) == (broker, subscriptions, *_TYPICAL):
                return one.events_per_second
        return None

    def delays_of(self, case: str) -> list[Delay]:
        return [one for one in self.delays if one.case == case]


OURS, SYNCED, UNSYNCED = "Triplewire", "JetStream", "JetStream, not synced"
ALONE, STOPPED, OF_ASKED = "half load", "half load, one reader stopped", "half of what was asked"


def figures(findings: Findings, *, is_full: bool) -> list[Figure]:
    """Every asked figure that the run has something to say about; a small run does not judge."""
    found = [*_speed(findings), *_delays(findings), *_flood(findings)]
    return found if is_full else [Figure(f.name, f.asked, f.measured, f.unit, None) for f in found]


def _speed(findings: Findings) -> list[Figure]:
    sizes = sorted({one.subscriptions for one in findings.rates if one.broker == OURS})
    found = []
    small, large = findings.rate(OURS, sizes[0]), findings.rate(OURS, sizes[-1])
    if small is not None:
        name = "durable events, 16 publishers, 50 a request"
        found.append(Figure(name, f"≥ {ASKED_RATE:,.0f}", small, "a second", small >= ASKED_RATE))
        theirs = findings.rate(SYNCED, sizes[0])
        if theirs is not None:
            ratio = theirs / small
            found.append(Figure("JetStream, synced", f"≤ {ASKED_BEHIND:g}", ratio, "times ours", ratio <= ASKED_BEHIND))
        loose = findings.rate(UNSYNCED, sizes[0])
        if loose is not None:
            found.append(Figure("JetStream, not synced", "", loose / small, "times ours", None))
    if small is not None and large is not None and len(sizes) > 1:
        grown = small / large
        name = f"time an event, {sizes[0]:,} to {sizes[-1]:,} subscriptions"
        found.append(Figure(name, f"≤ {ASKED_GROWTH:g}", grown, "times", grown <= ASKED_GROWTH))
    return found


def _delays(findings: Findings) -> list[Figure]:
    alone, stopped = findings.delays_of(ALONE), findings.delays_of(STOPPED)
    if not alone:
        return []
    name = f"publish to notify at {alone[0].asked_rate:,.0f} events/s"
    p99 = median(one.p99 for one in alone)
    found = [
        Figure(f"{name}, p50", "", median(one.p50 for one in alone), "ms", None),
        Figure(f"{name}, p99", f"< {ASKED_P99_MS:g}", p99, "ms", p99 < ASKED_P99_MS),
    ]
    if stopped:
        ratio = median(beside.p99 / one.p99 for one, beside in zip(alone, stopped, strict=True))
        name = f"F5: p99 beside a stopped reader, median of {len(stopped)}"
        found.append(Figure(name, f"< {ASKED_F5:g}", ratio, "times", ratio < ASKED_F5))
    if findings.memory_mib is not None:
        before, after = findings.memory_mib
        found.append(Figure("F5: memory grew meanwhile", "", after - before, "MiB", None))
    return found


def _flood(findings: Findings) -> list[Figure]:
    if not findings.floods:
        return []
    during, after = (median(one.flooded[at] / one.alone[at] for one in findings.floods) for at in (0, -1))
    asked, pairs = f"≥ {ASKED_A9:g}", f"median of {len(findings.floods)}"
    return [
        Figure(f"A9: others as a flood begins, {pairs}", asked, during, "of the usual", during >= ASKED_A9),
        Figure(f"A9: once its quota is used up, {pairs}", asked, after, "of the usual", after >= ASKED_A9),
    ]
