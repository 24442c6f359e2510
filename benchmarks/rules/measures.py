"""The measurements. Sizes take turns, so that a slow minute of the machine slows all of them; the median counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median

from msgspec import Struct

from benchmarks.rules import workload
from benchmarks.rules.durable import durable_speed, opened
from benchmarks.rules.plans import Plan
from triplewire.languages.rdftl.syntax import Rule, Update
from triplewire.rules.analysis import Analysis
from triplewire.rules.execution import Rulebook, Runner
from triplewire.rules.repository import Repository
from triplewire.rules.schema import Schema
from triplewire.store import Database

_WARM = 100


class Findings(Struct):
    """Updates a second by the number of rules; cascades a second; seconds of analysis by the number of rules."""

    plan: Plan
    triples: int = 0
    load_seconds: float = 0.0
    updates: dict[int, float] = {}
    durable: float = 0.0
    cascades: float = 0.0
    analysis: dict[int, float] = {}
    conflicts: dict[int, int] = {}


Progress = Callable[[str], object]


def measured(plan: Plan, home: Path, tell: Progress) -> Findings:
    """Everything, one after the other. The repository is read from the disk once, and what is in memory serves all."""
    found = Findings(plan)
    database = Database(home)
    try:
        start = time.perf_counter()
        store = opened(database, plan)
        repository = store.read(lambda engine: engine.repository)
        found.load_seconds = time.perf_counter() - start
        found.triples = sum(1 for _ in repository)
        tell(f"{found.triples:,} triples in {found.load_seconds:.0f} s")
        found.durable = durable_speed(store, plan)
        tell(f"{plan.kept:,} rules on disk, {workload.TRIGGERED} triggered: {found.durable:,.0f} durable updates/s")
    finally:
        database.close()
    _updates(repository, plan, found, tell)
    _cascades(repository, plan, found, tell)
    for size in plan.analysed:
        found.analysis[size], found.conflicts[size] = _analysis(size)
        tell(
            f"analysis of {size:,} rules: {found.analysis[size]:.2f} s, {found.conflicts[size]:,} pairs do not commute"
        )
    return found


def timed(action: Callable[[], object]) -> float:
    """Seconds by the clock."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _updates(repository: Repository, plan: Plan, found: Findings, tell: Progress) -> None:
    runners = {size: _runner(repository, workload.copying_rules(size)) for size in plan.sizes}
    speeds: dict[int, list[float]] = {size: [] for size in plan.sizes}
    for turn in range(plan.rounds):
        for size, runner in runners.items():
            updates = workload.title_updates(plan.updated_items, plan.updates + _WARM, f"{size} in turn {turn}")
            speeds[size].append(_speed(runner, updates, workload.TRIGGERED))
    for size in plan.sizes:
        found.updates[size] = median(speeds[size])
        tell(f"{size:,} rules, {workload.TRIGGERED} triggered: {found.updates[size]:,.0f} updates/s")


def _cascades(repository: Repository, plan: Plan, found: Findings, tell: Progress) -> None:
    runner = _runner(repository, workload.cascading_rules(plan.depth))
    rounds = (workload.cascade_updates(plan.updates + _WARM, f"cascade in turn {turn}") for turn in range(plan.rounds))
    found.cascades = median(_speed(runner, updates, plan.depth) for updates in rounds)
    tell(f"cascades of depth {plan.depth}: {found.cascades:,.0f} a second")


def _runner(repository: Repository, rules: Iterable[Rule]) -> Runner:
    book = Rulebook(repository.schema, rules)
    book.settle()
    return Runner(repository, book)


def _speed(runner: Runner, updates: list[Update], firings: int) -> float:
    """Updates a second, each a transaction of its own; the first ones warm everything up."""
    for update in updates[:_WARM]:
        fired = len(runner.run([update]).firings)
        assert fired == firings, f"wanted {firings} firings, found {fired}"
    rest = updates[_WARM:]
    return len(rest) / timed(lambda: [runner.run([update]) for update in rest])


def _analysis(count: int) -> tuple[float, int]:
    """Everything that `rules check` asks, from rules that are parsed."""
    known: Schema = workload.mixed_schema(count)
    rules = workload.mixed_rules(count, properties=count, seed=1)
    found: list[int] = []
    seconds = timed(lambda: found.append(_ask_everything(Analysis(rules, known))))
    return seconds, found[0]


def _ask_everything(analysis: Analysis) -> int:
    assert analysis.termination.reason
    assert [analysis.well_defined(rule.id) for rule in analysis.rules]
    assert len(analysis.never_firing) <= len(analysis.rules)
    return sum(len(conflict.others) for conflict in analysis.conflicts)
