"""The program: measure, print, keep."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from rich.table import Table

from benchmarks import machine
from benchmarks.reports import FIGURES, QUICK_RESULTS, RESULTS, figures_table, readable, wide_console, write_json
from benchmarks.views.drawing import draw_rows
from benchmarks.views.figures import Findings, figures
from benchmarks.views.measuring import FULL, QUICK, measure
from benchmarks.views.page import PAGE, markdown, with_figures

_MODULES = Path(".venv/incremunica")


def main() -> None:
    parser = argparse.ArgumentParser(description="How many updates a node with views takes, and how soon it tells.")
    parser.add_argument("--quick", action="store_true", help="a small run, to see that it works")
    parser.add_argument("--incremunica", type=Path, default=_MODULES, help="where scripts/incremunica/fetch put it")
    arguments = parser.parse_args()
    plan = QUICK if arguments.quick else FULL
    is_full = plan is FULL
    console = wide_console()
    started = time.monotonic()

    def tell(step: str) -> None:
        console.print(f"[dim]{time.monotonic() - started:5.0f} s[/]  {step}")

    findings = measure(plan, arguments.incremunica, tell)
    console.print(_rates_table(findings, plan.writers), _alone_table(findings), _beside_table(findings))
    if findings.missing is not None:
        console.print(f"[yellow]Without Incremunica: {findings.missing}[/]")
    asked = figures(findings, is_full=is_full)
    console.print(figures_table(asked))
    results = {"machine": machine.facts(), "plan": plan, "findings": findings, "figures": asked}
    write_json((RESULTS if is_full else QUICK_RESULTS) / "views.json", results)
    if is_full:
        PAGE.write_text(with_figures(PAGE.read_text(), markdown(findings, asked)))
    draw_rows((FIGURES if is_full else QUICK_RESULTS) / "views-rows.png", findings)


def _rates_table(findings: Findings, writers: int) -> Table:
    table = Table(title=f"Durable updates a second over HTTP, {writers} writers, one view touched by each")
    table.add_column("views touched")
    for heading in ("views", "updates/s", "times plain", "µs of the node's CPU", "load average"):
        table.add_column(heading, justify="right")
    plain = findings.kinds[0].updates_per_second
    for one in (*findings.rates, *findings.kinds):
        factor = f"{one.updates_per_second / plain:.2f}" if one in findings.kinds else ""
        speed = readable(one.updates_per_second)
        table.add_row(one.kind, f"{one.views:,}", speed, factor, readable(one.cpu_micros), f"{one.load:.1f}")
    return table


def _alone_table(findings: Findings) -> Table:
    table = Table(title="Views alone, in process: what a change costs them")
    table.add_column("views")
    for heading in ("number", "median, µs", "p99, µs", "bytes a view", "ms to put one"):
        table.add_column(heading, justify="right")
    for one in findings.alone:
        numbers = (one.median, one.percentile_99, one.bytes_a_view, one.put_millis)
        table.add_row(one.kind, f"{one.views:,}", *map(readable, numbers))
    for parts in findings.incremunica:
        numbers = (parts.median, parts.percentile_99, parts.bytes_a_view, parts.put_millis)
        table.add_row("Incremunica's parts, plain", f"{parts.views:,}", *map(readable, numbers))
    return table


def _beside_table(findings: Findings) -> Table:
    table = Table(title="Beside running every query again on the same store, in process, in memory")
    for heading in ("views", "rows each", "the store, µs", "views, µs", "all queries, µs", "times", "with the store"):
        table.add_column(heading, justify="right")
    for one in findings.beside:
        numbers = (one.rows, one.store, one.ours, one.theirs, one.factor, one.whole_factor)
        table.add_row(f"{one.views:,}", *map(readable, numbers))
    return table


if __name__ == "__main__":
    main()
