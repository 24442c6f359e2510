"""Measure, print ratios and what was asked beside what was found, write numbers and plots."""

from __future__ import annotations

import argparse
from pathlib import Path

from msgspec import Struct
from rich.progress import Progress, TaskID

from benchmarks import machine
from benchmarks.network import drawing
from benchmarks.network.failing import Recovery, recovered
from benchmarks.network.latency import Rate, measure_real
from benchmarks.network.measuring import OURS, POSET, Costs, flooding, measured
from benchmarks.network.plans import FULL, QUICK, Plan
from benchmarks.network.tables import asked, costs_table, rates_table, recovery_table, sizes_table
from benchmarks.reports import FIGURES, QUICK_RESULTS, RESULTS, figures_table, progress, wide_console, write_json


class Findings(Struct):
    """All that a run measured."""

    plan: Plan
    costs: list[Costs] = []
    crowds: list[Costs] = []
    recoveries: list[Recovery] = []
    real: list[Rate] = []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small run, whose figures decide little")
    parser.add_argument("--real", action="store_true", help="real processes only; prints, and writes their figures")
    parser.add_argument("--simulated", action="store_true", help="simulated networks only, on a machine that is busy")
    arguments = parser.parse_args()
    quick = arguments.quick
    if arguments.real:
        only_real(QUICK if quick else FULL, QUICK_RESULTS if quick else RESULTS)
        return
    facts = machine.facts()
    console = wide_console()
    with progress(console) as bars:
        findings = found(QUICK if quick else FULL, bars, with_real=not arguments.simulated)
    figures = asked(findings.costs, findings.recoveries, findings.real)
    console.print(costs_table(findings.costs))
    console.print(sizes_table([*findings.costs, *findings.crowds]))
    console.print(recovery_table(findings.recoveries))
    if findings.real:
        console.print(rates_table(findings.real))
    console.print(figures_table(figures))
    results = QUICK_RESULTS if quick else RESULTS
    write_json(results / "network.json", {"machine": facts, "findings": findings, "figures": figures})
    folder = QUICK_RESULTS if quick else FIGURES
    drawing.draw_costs(folder, findings.costs)
    drawing.draw_hops(folder, findings.costs)
    drawing.draw_sizes(folder, findings.costs)
    drawing.draw_recovery(folder, findings.recoveries)


def only_real(plan: Plan, results: Path) -> None:
    """Measure real processes again, on a machine that is quiet now, beside what was simulated before."""
    facts = machine.facts()
    console = wide_console()
    rates = measure_real(plan.real, console.print)
    console.print(rates_table(rates))
    write_json(results / "network-real.json", {"machine": facts, "plan": plan.real, "rates": rates})


def found(plan: Plan, bars: Progress, *, with_real: bool) -> Findings:
    """Every measurement, the small ones first."""
    findings = Findings(plan)
    whole = bars.add_task("all", total=plan.steps + with_real)
    for size in plan.sizes:
        for policy in (OURS, POSET) if size <= plan.most_flooded else (OURS,):
            findings.costs.append(_measured(policy, size, plan.subscriptions, plan, bars, whole))
        findings.costs.append(flooding(size, plan.subscriptions))
    for size in plan.failing:
        bars.update(whole, description=f"a tenth of {size:,} fails")
        findings.recoveries.append(recovered(size))
        bars.advance(whole)
    for size, each in plan.crowds:
        findings.crowds.append(_measured(OURS, size, each, plan, bars, whole))
    if with_real:
        findings.real = measure_real(plan.real, lambda words: bars.update(whole, description=words))
        bars.advance(whole)
    return findings


def _measured(policy: str, size: int, each: int, plan: Plan, bars: Progress, whole: TaskID) -> Costs:
    def tell(words: str) -> None:
        bars.update(whole, description=f"{size:,} super-peers, {policy}: {words}")

    tell("joining")
    costs = measured(policy, size, plan.lone, each, plan.events, tell)
    bars.advance(whole)
    return costs


if __name__ == "__main__":
    main()
