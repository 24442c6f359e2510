"""`make bench-matching`: events a second by number of subscriptions and by kind, beside the rivals; and the vitals.

Everything runs on one pinned core, one measurement after the other, each in a process of its own.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct
from rich.console import Console
from rich.progress import Progress

from benchmarks import evaluations, machine, plots, vitals
from benchmarks.asked import Findings, figures
from benchmarks.cases import Case
from benchmarks.engine import OURS
from benchmarks.isolated import MeasurementFailed, OutOfTime, run_apart
from benchmarks.reports import (
    FIGURES,
    QUICK_RESULTS,
    RESULTS,
    figures_table,
    progress,
    ratios_table,
    wide_console,
    write_json,
)
from benchmarks.rivals import RIVALS
from benchmarks.throughput import Throughput, measure, measure_churn

_REPLACED_A_SECOND = 0.01
_KINDS = ("composed", "zipf", "ranges", "substrings", "taxonomy", "graphs")


class Plan(Struct, frozen=True):
    """How large a run is. `rivals` are measured up to a number of subscriptions each."""

    sizes: tuple[int, ...]
    kinds_at: int
    events: int
    seconds: float
    rivals: dict[str, int]
    rivals_on_kinds: tuple[str, ...]
    limit: float
    """Seconds after which a measurement, building included, is given up."""


FULL = Plan(
    sizes=(1_000, 10_000, 100_000, 1_000_000),
    kinds_at=100_000,
    events=50_000,
    seconds=10.0,
    rivals={**dict.fromkeys(RIVALS, 100_000), "DuckDB join": 1_000_000},
    rivals_on_kinds=("DuckDB join", "EventCloud", "G-ToPSS"),
    limit=2_400.0,
)
SHORT = Plan(
    sizes=(1_000, 10_000, 100_000, 1_000_000),
    kinds_at=100_000,
    events=20_000,
    seconds=4.0,
    rivals={**dict.fromkeys(RIVALS, 1_000), "CLIPS": 10_000, "DuckDB join": 100_000},
    rivals_on_kinds=(),
    limit=600.0,
)
QUICK = Plan(
    sizes=(1_000, 10_000),
    kinds_at=2_000,
    events=5_000,
    seconds=1.0,
    rivals={**dict.fromkeys(RIVALS, 1_000), "DuckDB join": 10_000},
    rivals_on_kinds=("DuckDB join",),
    limit=120.0,
)


class Report(Struct, frozen=True):
    """What is written to disk."""

    machine: machine.Machine
    plan: Plan
    figures: list[Any]
    findings: Findings


class Run:
    """Measures one thing after the other and keeps what was found."""

    def __init__(self, plan: Plan, bars: Progress) -> None:
        self.plan = plan
        self.findings = Findings([], {})
        self._bars = bars
        self._whole = bars.add_task("all measurements", total=None)
        self._steps: list[tuple[str, Callable[[], None]]] = []

    def throughput(self, case: Case, engine: str, folder: str | None = None) -> None:
        self._later(f"{engine}: {case}", self._keep, measure, case, engine, self.plan.seconds, folder)

    def churn(self, case: Case) -> None:
        self._later(f"{OURS}: churn", self._keep, measure_churn, case, _REPLACED_A_SECOND, self.plan.seconds)

    def vital(self, name: str, keep: Callable[[Any], None], function: Callable[..., Any], *arguments: Any) -> None:
        self._later(name, keep, function, *arguments)

    def start(self) -> Findings:
        """Do all that was asked for."""
        self._bars.update(self._whole, total=len(self._steps))
        for _, step in self._steps:
            step()
            self._bars.advance(self._whole)
        return self.findings

    def _later(self, name: str, keep: Callable[[Any], None], function: Callable[..., Any], *arguments: Any) -> None:
        self._steps.append((name, lambda: self._measure(name, keep, function, *arguments)))

    def _measure(self, name: str, keep: Callable[[Any], None], function: Callable[..., Any], *arguments: Any) -> None:
        bar = self._bars.add_task(name, total=None)
        try:
            keep(
                run_apart(
                    function,
                    *arguments,
                    seconds=self.plan.limit,
                    tell=lambda done, total: self._bars.update(bar, completed=done, total=total),
                )
            )
        except OutOfTime:
            self.findings.unfinished[name] = f"not done in {self.plan.limit:,.0f} s"
        except MeasurementFailed as error:
            self.findings.unfinished[name] = str(error).strip().splitlines()[-1]
            self._bars.console.print(str(error), style="red", markup=False)
        finally:
            self._bars.remove_task(bar)

    def _keep(self, found: Throughput) -> None:
        ours = self.findings.of(OURS, found.workload, found.subscriptions)
        if ours is not None and ours.answers != found.answers:
            raise MeasurementFailed(f"{found.engine} and {OURS} disagree on {found.workload}")
        self.findings.throughput.append(found)


def scheduled(run: Run, folder: str) -> Run:
    """Everything that a plan wants measured, in order."""
    plan = run.plan
    for size in plan.sizes:
        largest = size == max(plan.sizes)
        case = Case("mixed", size, plan.events)
        run.throughput(case, OURS, folder if largest else None)
        for rival, most in plan.rivals.items():
            if size <= most:
                run.throughput(case, rival)
    for kind in _KINDS:
        case = Case(kind, plan.kinds_at, plan.events)
        # No rival understands the operators of `composed`.
        for engine in (OURS, *(plan.rivals_on_kinds if kind != "composed" else ())):
            run.throughput(case, engine)
    run.churn(Case("churn", plan.kinds_at, plan.events))
    _schedule_vitals(run, folder)
    return run


def _schedule_vitals(run: Run, folder: str) -> None:
    plan, findings = run.plan, run.findings
    some = Case("mixed", plan.kinds_at, 2_000)
    payload = next(Case("mixed", max(plan.sizes), 1).make().payloads())
    findings.latency_at, findings.opening_at = plan.kinds_at, max(plan.sizes)
    run.vital("one event at a time", lambda found: setattr(findings, "latency", found), vitals.latency, some)
    run.vital("to Arrow", lambda found: setattr(findings, "arrow_events_per_second", found), vitals.to_arrow, some)
    run.vital("opening", lambda found: setattr(findings, "opening", found), vitals.opening, folder, payload)
    run.vital("one evaluation", lambda found: setattr(findings, "evaluations", found), evaluations.beside_oxigraph)
    run.vital("a fresh process", lambda found: setattr(findings, "fresh_process_seconds", found), vitals.fresh_process)


def main() -> None:
    """Run, print, write, plot."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="a small run, in a minute or two")
    arguments.add_argument("--short", action="store_true", help="all sizes, few rivals, in a quarter of an hour")
    asked = arguments.parse_args()
    quick = asked.quick
    plan = QUICK if quick else SHORT if asked.short else FULL
    console = wide_console()
    facts = machine.facts()
    machine.pin()
    with tempfile.TemporaryDirectory() as scratch, progress(console) as bars:
        findings = scheduled(Run(plan, bars), str(Path(scratch, "snapshot"))).start()
    _show(console, findings)
    results, images = (QUICK_RESULTS, QUICK_RESULTS) if quick else (RESULTS, FIGURES)
    write_json(results / "matching.json", Report(facts, plan, figures(findings), findings))
    plots.draw_growth(images / "matching-subscriptions.png", findings)
    plots.draw_kinds(images / "matching-kinds.png", findings, plan.kinds_at)


def _show(console: Console, findings: Findings) -> None:
    console.print(ratios_table(findings))
    if findings.arrow_events_per_second is not None:
        console.print(f"With every batch spelled out as Arrow: {findings.arrow_events_per_second:,.0f} events/s.")
    console.print(figures_table(figures(findings)))


if __name__ == "__main__":
    main()
