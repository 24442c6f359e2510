"""The program: measure, print, keep."""

from __future__ import annotations

import argparse
import time

from rich.console import Console
from rich.table import Table

from benchmarks import machine
from benchmarks.node.drawing import draw_rates
from benchmarks.node.figures import Findings, figures
from benchmarks.node.measuring import FULL, QUICK, measure
from benchmarks.reports import FIGURES, QUICK_RESULTS, RESULTS, figures_table, readable, wide_console, write_json


def main() -> None:
    parser = argparse.ArgumentParser(description="How many events a node accepts durably, and how soon it tells.")
    parser.add_argument("--quick", action="store_true", help="a small run, to see that it works")
    plan = QUICK if parser.parse_args().quick else FULL
    is_full = plan is FULL
    console = wide_console()
    started = time.monotonic()
    findings = measure(plan, lambda step: console.print(f"[dim]{time.monotonic() - started:5.0f} s[/]  {step}"))
    console.print(_rates_table(findings), _delays_table(findings))
    _print_rival(console, findings)
    asked = figures(findings, is_full=is_full)
    console.print(figures_table(asked))
    results = {"machine": machine.facts(), "plan": plan, "findings": findings, "figures": asked}
    write_json((RESULTS if is_full else QUICK_RESULTS) / "node.json", results)
    draw_rates((FIGURES if is_full else QUICK_RESULTS) / "node-rates.png", findings, plan.subscriptions)


def _rates_table(findings: Findings) -> Table:
    table = Table(title="Durable events a second")
    for heading in ("broker", "subscriptions", "publishers", "events a request", "events/s"):
        table.add_column(heading, justify="left" if heading == "broker" else "right")
    for one in findings.rates:
        numbers = (one.subscriptions, one.publishers, one.batch)
        table.add_row(one.broker, *[f"{number:,}" for number in numbers], readable(one.events_per_second))
    return table


def _delays_table(findings: Findings) -> Table:
    table = Table(title="From when an event was due to its subscriber, events coming by the clock")
    for heading in ("broker", "case", "asked/s", "carried/s", "notifications", "p50, ms", "p99, ms"):
        table.add_column(heading, justify="left" if heading in ("broker", "case") else "right")
    for one in findings.delays:
        rates = readable(one.asked_rate), readable(one.carried_rate)
        table.add_row(one.broker, one.case, *rates, f"{one.notifications:,}", readable(one.p50), readable(one.p99))
    return table


def _print_rival(console: Console, findings: Findings) -> None:
    if findings.missing is not None:
        console.print(f"[yellow]Without JetStream: {findings.missing}[/]")
    else:
        console.print(f"JetStream: {findings.durable}")


if __name__ == "__main__":
    main()
