"""Measure, print ratios and what was asked beside what was found, write numbers and the plot."""

from __future__ import annotations

import argparse

from msgspec import Struct
from rich.progress import Progress

from benchmarks import machine
from benchmarks.reports import FIGURES, QUICK_RESULTS, RESULTS, figures_table, progress, wide_console, write_json
from benchmarks.rules_network.drawing import draw_firings
from benchmarks.rules_network.measuring import EVERYBODY, OURS, Costs, measured
from benchmarks.rules_network.plans import FULL, QUICK, Plan
from benchmarks.rules_network.real import Cascade, measure_real
from benchmarks.rules_network.tables import asked, cascade_table, firings_table, registrations_table


class Findings(Struct):
    """All that a run measured."""

    plan: Plan
    costs: list[Costs] = []
    real: Cascade | None = None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small run, whose figures decide little")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--simulated", action="store_true", help="simulated super-peers only, on a machine that is busy")
    only.add_argument("--real", action="store_true", help="real processes only; prints, and writes their figures")
    arguments = parser.parse_args()
    quick = arguments.quick
    facts = machine.facts()
    console = wide_console()
    plan = QUICK if quick else FULL
    with progress(console) as bars:
        findings = found(plan, bars, is_simulated=not arguments.real, is_real=not arguments.simulated)
    if findings.costs:
        console.print(firings_table(findings.costs))
        console.print(registrations_table(findings.costs))
    if findings.real is not None:
        console.print(cascade_table(findings.real))
    figures = asked(findings.costs, findings.real)
    console.print(figures_table(figures))
    name = "rules-network-real.json" if arguments.real else "rules-network.json"
    content = {"machine": facts, "findings": findings, "figures": figures}
    write_json((QUICK_RESULTS if quick else RESULTS) / name, content)
    if findings.costs:
        draw_firings(QUICK_RESULTS if quick else FIGURES, findings.costs)


def found(plan: Plan, bars: Progress, *, is_simulated: bool, is_real: bool) -> Findings:
    """Every measurement, the small ones first."""
    findings = Findings(plan)
    sizes = plan.sizes if is_simulated else ()
    whole = bars.add_task("all", total=2 * len(sizes) + is_real)
    for size in sizes:
        for policy in (OURS, EVERYBODY):
            bars.update(whole, description=f"{size:,} super-peers, {policy}")
            findings.costs.append(measured(policy, size, plan))
            bars.advance(whole)
    if is_real:
        findings.real = measure_real(plan.real, lambda words: bars.update(whole, description=words))
        bars.advance(whole)
    return findings


if __name__ == "__main__":
    main()
