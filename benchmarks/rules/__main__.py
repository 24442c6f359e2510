"""Measure, print what was asked beside what was found, write numbers and plots."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from matplotlib.axes import Axes

from benchmarks import machine
from benchmarks.asked import Figure
from benchmarks.engine import OURS
from benchmarks.plots import Line, draw, from_zero, logarithmic
from benchmarks.reports import FIGURES, QUICK_RESULTS, RESULTS, figures_table, wide_console, write_json
from benchmarks.rules.measures import Findings, measured
from benchmarks.rules.plans import Plan

FULL = Plan(
    triples=1_000_000,
    sizes=(10, 1_000, 10_000),
    updates=500,
    rounds=5,
    depth=10,
    analysed=(100, 300, 1_000, 3_000),
    kept=1_000,
    waiting=256,
)
QUICK = Plan(
    triples=20_000,
    sizes=(10, 100, 1_000),
    updates=50,
    rounds=3,
    depth=10,
    analysed=(100, 1_000),
    kept=100,
    waiting=64,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small run, whose figures decide little")
    quick = parser.parse_args().quick
    facts = machine.facts()
    machine.pin()
    console = wide_console()
    with tempfile.TemporaryDirectory(prefix="triplewire-bench-") as name:
        plan = QUICK if quick else FULL
        findings = measured(plan, Path(name), lambda sentence: console.print(sentence, style="dim"))
    figures = asked(findings, full=not quick)
    console.print(figures_table(figures))
    write_json(
        (QUICK_RESULTS if quick else RESULTS) / "rules.json",
        {"machine": facts, "findings": findings, "figures": figures},
    )
    draw_plots(findings, quick=quick)


def asked(found: Findings, *, full: bool) -> list[Figure]:
    """The figures that were asked for."""
    least, most = min(found.updates), max(found.updates)
    cost = found.updates[least] / found.updates[most]
    seconds = found.analysis[1_000]
    return [
        *(Figure(f"{n:,} rules, 3 triggered", "", speed, "updates/s", None) for n, speed in found.updates.items()),
        Figure(
            f"an update with {most:,} rules beside {least:,}",
            "≤ 2",
            cost,
            "times the cost",
            cost <= 2 if full else None,
        ),
        Figure(
            "durable updates, 3 triggered",
            "≥ 1,000",
            found.durable,
            "updates/s",
            found.durable >= 1_000 if full else None,
        ),
        Figure(f"cascades of depth {found.plan.depth}", "", found.cascades, "updates/s", None),
        Figure("rules that fire in cascades", "", found.cascades * found.plan.depth, "firings/s", None),
        Figure("analysis of 1,000 rules", "< 10", seconds, "s", seconds < 10),
    ]


def draw_plots(found: Findings, *, quick: bool) -> None:
    """Two pictures: what rules cost an update, and what they cost the analysis."""
    folder = QUICK_RESULTS if quick else FIGURES
    sizes, speeds = list(found.updates), list(found.updates.values())

    def dress(axes: Axes) -> None:
        from_zero(axes)
        axes.set_xscale("log")

    title = f"Three rules triggered by each update, {found.triples:,} triples, one core"
    draw(folder / "rules-updates.png", title, ("rules", "updates/s"), [Line(OURS, sizes, speeds)], dress)
    counts, seconds = list(found.analysis), list(found.analysis.values())
    line = Line(OURS, counts, seconds)
    draw(folder / "rules-analysis.png", "The whole analysis, one core", ("rules", "seconds"), [line], logarithmic)


if __name__ == "__main__":
    main()
