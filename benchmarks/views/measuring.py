"""The measurements, one after the other."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import TypeVar

import uvloop
from msgspec import Struct

from benchmarks.isolated import run_apart
from benchmarks.rivals.incremunica import Missing, parts
from benchmarks.views.alone import alone, beside
from benchmarks.views.figures import Delay, Findings, Putting, Rate
from benchmarks.views.hearing import listening
from benchmarks.views.library import Kind, Library
from benchmarks.views.loads import Pace, Writers
from benchmarks.views.node import Node, Shelf, running
from benchmarks.views.told import check_told

Tell = Callable[[str], None]
T = TypeVar("T")
_APART_SECONDS = 600
_OTHERS: list[Kind] = [kind for kind in Kind if kind is not Kind.PLAIN]
# Books on a shelf, which is rows in an answer, where every query is run again.
_BOOKS_ON_A_SHELF = (1.6, 16.0, 160.0, 1_600.0)


class Plan(Struct, frozen=True):
    """How much is measured. `few`, `many` and `most` are numbers of views; a rate is the median of `slices`."""

    triples: int
    few: int
    many: int
    most: int
    writers: int
    seconds: float
    slices: int
    beside: int
    updates: int


FULL = Plan(1_000_000, 10, 1_000, 100_000, 64, 5.0, 3, 100, 500)
QUICK = Plan(20_000, 10, 100, 1_000, 16, 1.0, 1, 10, 50)


def measure(plan: Plan, modules: Path, tell: Tell) -> Findings:
    """Measure a node, stop it and start it again; then views without a node, each in a process of its own.

    `modules` is where the packages of a rival are.
    """
    findings = Findings()
    with tempfile.TemporaryDirectory(prefix="triplewire-bench-") as name:
        folder = Path(name)
        with running(folder) as (node, _), asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            served = _Served(node, plan, findings, tell)
            runner.run(served.measure())
        tell("what waits in outboxes, beside every update that was acknowledged")
        findings.refused = served.writers.refused
        findings.told = check_told(folder, served.writers.acknowledged)
        tell("the node starts again")
        with running(folder) as (node, seconds):
            findings.restart_seconds = seconds
    _measure_alone(plan, findings, tell)
    _measure_incremunica(plan, modules, findings, tell)
    return findings


class _Served:
    """The measurements of one node; it gets more and more views."""

    def __init__(self, node: Node, plan: Plan, findings: Findings, tell: Tell) -> None:
        self.writers = Writers(node, plan.writers)
        self._node = node
        self._plan = plan
        self._findings = findings
        self._tell = tell
        self._views = 0

    async def measure(self) -> None:
        plan = self._plan
        self._tell(f"loading {plan.triples:,} triples")
        self._findings.load_seconds = await self._node.load(Library(plan.triples, plan.most))
        self._findings.loaded_mib = self._node.resident_mib
        plain = _shelves(Kind.PLAIN, 0, plan.many)
        await self._put(plain[: plan.few])
        await self.writers.closed_loop(plain[: plan.few], plan.seconds)
        await self._rate(plain[: plan.few])
        await self._put(plain[plan.few :])
        await self._rate(plain)
        await self._delay(plain)
        await self._kinds(plain)
        rest = _shelves(Kind.PLAIN, plan.many, plan.most - len(_OTHERS) * plan.many)
        await self._put(rest)
        await self._rate([*plain, *rest])

    async def _put(self, shelves: Sequence[Shelf]) -> None:
        self._tell(f"putting {len(shelves):,} views")
        before = self._node.resident_mib
        seconds = await self._node.put_views(shelves)
        self._views += len(shelves)
        self._findings.putting.append(Putting(len(shelves), seconds, self._node.resident_mib - before))

    async def _rate(self, shelves: Sequence[Shelf]) -> None:
        self._tell(f"{self._views:,} views: updates as fast as {self._plan.writers} writers are answered")
        paces = [await self.writers.closed_loop(shelves, self._plan.seconds) for _ in range(self._plan.slices)]
        self._findings.rates.append(_rate(Kind.PLAIN, self._views, paces))

    async def _delay(self, shelves: Sequence[Shelf]) -> None:
        """At half of the rate that was measured last, everybody listening."""
        half = self._findings.rates[-1].updates_per_second / 2
        self._tell(f"{self._views:,} views, each with a reader: {half:,.0f} updates/s by the clock")
        before = len(self.writers.acknowledged)
        async with listening(self._node, shelves, await self._node.head()) as heard:
            carried = await self.writers.open_loop(shelves, half, self._plan.slices * self._plan.seconds)
        sent, seconds = len(self.writers.acknowledged) - before, heard.delays
        if len(seconds.seconds) != sent:
            raise RuntimeError(f"wanted {sent} notifications, heard {len(seconds.seconds)}")
        p50, p99 = (1000 * seconds.quantile(part) for part in (0.5, 0.99))
        self._findings.delays.append(Delay(self._views, half, carried, sent, p50, p99, os.getloadavg()[0]))

    async def _kinds(self, plain: Sequence[Shelf]) -> None:
        """One slice of each kind after the other, so that noise is the same for all."""
        plan = self._plan
        shelves: dict[Kind, Sequence[Shelf]] = {Kind.PLAIN: plain}
        for number, kind in enumerate(_OTHERS, start=1):
            last = plan.most - (number - 1) * plan.many
            shelves[kind] = _shelves(kind, last - plan.many, last)
            await self._put(shelves[kind])
        paces: dict[Kind, list[Pace]] = {kind: [] for kind in Kind}
        for slice_ in range(plan.slices):
            self._tell(f"{self._views:,} views of every kind, slice {slice_ + 1}")
            for each, touched in shelves.items():
                paces[each].append(await self.writers.closed_loop(touched, plan.seconds))
        self._findings.kinds = [_rate(kind, self._views, paces[kind]) for kind in Kind]


def _shelves(kind: Kind, first: int, last: int) -> list[Shelf]:
    return [Shelf(kind, number) for number in range(first, last)]


def _rate(kind: Kind, views: int, paces: Sequence[Pace]) -> Rate:
    rate, cpu = median(pace.rate for pace in paces), median(pace.cpu_micros for pace in paces)
    return Rate(kind, views, rate, cpu, os.getloadavg()[0])


def _measure_alone(plan: Plan, findings: Findings, tell: Tell) -> None:
    for kind in Kind:
        for views in (plan.few, plan.many, plan.most) if kind is Kind.PLAIN else (plan.many,):
            tell(f"{views:,} views in process: {kind}")
            library = Library(plan.triples, plan.most)
            findings.alone.append(_apart(alone, library, kind, views, plan.updates))
    for books in _BOOKS_ON_A_SHELF:
        library = Library(plan.triples, round(plan.triples * 0.16 / books))
        if library.shelves >= plan.beside:
            tell(f"{plan.beside} views in process, {books:g} rows each, beside running every query again")
            findings.beside.append(_apart(beside, library, plan.beside, plan.updates))


def _measure_incremunica(plan: Plan, modules: Path, findings: Findings, tell: Tell) -> None:
    for views in (plan.few, plan.many):
        tell(f"{views:,} views by Incremunica's parts")
        try:
            findings.incremunica.append(parts(modules, Library(plan.triples, plan.most), views, plan.updates))
        except Missing as why:
            findings.missing = str(why)


def _apart(function: Callable[..., T], *arguments: object) -> T:
    result: T = run_apart(function, *arguments, seconds=_APART_SECONDS, tell=lambda done, total: None)
    return result
