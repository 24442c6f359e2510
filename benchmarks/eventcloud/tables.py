"""Tables of ratios, and what was asked beside what was found."""

from __future__ import annotations

from collections.abc import Callable

from rich.table import Table

from benchmarks.asked import Figure
from benchmarks.eventcloud.costs import CostModel, Fit
from benchmarks.eventcloud.experiments import Spread
from benchmarks.eventcloud.outcomes import CSMA, OSMA, PLAIN, Outcome, of
from benchmarks.eventcloud.paper import RATIO, SUBSCRIPTIONS_CSMA
from benchmarks.eventcloud.plans import PAPER_NODES
from benchmarks.reports import readable

TITLES = {
    "a": "(a) subscriber throughput against nodes, one subscription of 5 patterns",
    "b": "(b) subscriber throughput against publications",
    "c": "(c) subscriber throughput against subscriptions",
    "d": "(d) subscriber throughput against nodes, the subscription that accepts all",
    "e": "(e) seconds to store publications, no subscription",
    "nodes": "publications stored a second against nodes, no subscription",
}
ALONG: dict[str, Callable[[Outcome], int]] = {
    "a": lambda one: one.nodes,
    "b": lambda one: one.events,
    "c": lambda one: one.subscriptions,
    "d": lambda one: one.nodes,
    "e": lambda one: one.events,
    "nodes": lambda one: one.nodes,
}
NAMES = {"a": "nodes", "b": "publications", "c": "subscriptions", "d": "nodes", "e": "publications", "nodes": "nodes"}
AIM_RATIO, AIM_EVENTS = 5.0, 1_000.0


def value_of(one: Outcome) -> float:
    """What a figure of an experiment shows."""
    if one.experiment == "e":
        return one.stored
    return one.stored_per_second if one.experiment == "nodes" else one.throughput


def experiment_table(outcomes: list[Outcome], experiment: str, where: str) -> Table:
    """CSMA and OSMA side by side."""
    table = Table(title=f"{TITLES[experiment]}; {where}")
    for heading in (
        NAMES[experiment],
        "CSMA",
        "OSMA",
        "OSMA / CSMA",
        "messages/event",
        "",
        "kB/event",
        "",
        "busiest",
        "",
    ):
        table.add_column(heading, justify="right")
    along = ALONG[experiment]
    csma = {along(one): one for one in of(outcomes, experiment, CSMA)}
    osma = {along(one): one for one in of(outcomes, experiment, OSMA)}
    for x in sorted({*csma, *osma}):
        pair = (csma.get(x), osma.get(x))
        values = [readable(value_of(one)) if one else "not run" for one in pair]
        ratio = f"{value_of(pair[1]) / value_of(pair[0]):.2f}" if pair[0] and pair[1] else ""
        details = [*_both(pair, lambda one: one.messages), *_both(pair, lambda one: one.kilobytes)]
        busiest = [f"{one.busiest:.0%}" if one and one.busiest else "" for one in pair]
        table.add_row(f"{x:,}", *values, ratio, *details, *busiest)
    return table


def _both(pair: tuple[Outcome | None, Outcome | None], value: Callable[[Outcome], float]) -> list[str]:
    return [readable(value(one)) if one and value(one) else "" for one in pair]


def spread_table(spread: list[Spread]) -> Table:
    """How the ratio of (a) depends on the disk."""
    table = Table(title="(a) at the paper's size, simulated, if an fsync took other times")
    for heading in ("fsync, ms", "CSMA", "OSMA", "OSMA / CSMA"):
        table.add_column(heading, justify="right")
    for one in spread:
        table.add_row(f"{1e3 * one.fsync:g}", readable(one.csma), readable(one.osma), f"{one.ratio:.2f}")
    return table


def model_table(model: CostModel, steps: Fit, commits: Fit) -> Table:
    """The coefficients, and how well they say what was measured."""
    table = Table(title="The cost model, fitted to measured steps")
    table.add_column("what")
    table.add_column("µs", justify="right")
    for name, seconds in {**model.kinds, **model.shared}.items():
        table.add_row(name, f"{1e6 * seconds:,.1f}")
    table.add_row("fsync", f"{1e6 * model.fsync:,.1f}")
    table.add_row("commit", f"{1e6 * model.commit:,.1f}")
    table.add_row("change in a commit", f"{1e6 * model.change:,.2f}", end_section=True)
    for name, fit in (("steps", steps), ("commits", commits)):
        words = f"{name}: {fit.measured:,} measured, R² {fit.r_squared:.2f}, sum off by {fit.total_off:.1%}"
        table.add_row(f"{words}, residual (rms)", f"{1e6 * fit.root_mean_square:,.1f}")
    return table


def plain_table(outcomes: list[Outcome]) -> Table:
    """A plain node beside spaces on the same cores: what distribution costs, and buys."""
    table = Table(title="events a second beside one plain node (`triplewire serve` without a space), same run")
    for heading in ("workload", "plain node", "space of 1, OSMA", "largest space, OSMA", "its part of plain"):
        table.add_column(heading, justify="right")
    largest = max(one.nodes for one in outcomes)
    for plain in (one for one in outcomes if one.strategy == PLAIN):
        alike = {one.nodes: one for one in outcomes if _is_alike(one, plain)}
        cells = [alike[nodes].rate if nodes in alike else 0.0 for nodes in (1, largest)]
        words = TITLES[plain.experiment] + (f", {plain.subscriptions}" if plain.experiment == "c" else "")
        shown = [readable(cell) if cell else "" for cell in cells]
        table.add_row(words, readable(plain.rate), *shown, f"{cells[1] / plain.rate:.2f}" if cells[1] else "")
    return table


def _is_alike(one: Outcome, plain: Outcome) -> bool:
    return (one.strategy, one.experiment, one.subscriptions) == (OSMA, plain.experiment, plain.subscriptions)


def asked(simulated: list[Outcome], real: list[Outcome]) -> list[Figure]:
    """What was asked for."""
    found = []
    for outcomes, where in ((simulated, "simulated"), (real, "real processes")):
        pairs = _pairs(outcomes, "a")
        if pairs:
            nodes, ratio = max((nodes, ratio) for nodes, ratio in pairs.items() if nodes <= PAPER_NODES)
            met = ratio >= AIM_RATIO if nodes in (8, PAPER_NODES) else None
            name = f"(a) OSMA beside CSMA, {nodes} nodes, {where} (the paper: {RATIO})"
            found.append(Figure(name, "≥ 5", ratio, "×", met))
    crowds = [one for one in real if one.experiment == "c" and one.strategy != PLAIN]
    for one in crowds:
        is_asked = one.subscriptions == 60 and one.nodes == 8 and one.strategy == OSMA
        name = f"(c) {one.strategy.upper()}, {one.subscriptions} subscriptions, {one.nodes} real processes"
        name += f" (the paper: {SUBSCRIPTIONS_CSMA:g} with CSMA)" if one.strategy == CSMA else ""
        met = one.throughput >= AIM_EVENTS if is_asked else None
        found.append(Figure(name, "≥ 1,000" if is_asked else "", one.throughput, "events/s", met))
    return [*found, *_storing(simulated, "simulated"), *_storing(real, "real processes")]


def _storing(outcomes: list[Outcome], where: str) -> list[Figure]:
    found = []
    for strategy in (CSMA, OSMA):
        rates = {one.nodes: one.stored_per_second for one in of(outcomes, "nodes", strategy)}
        if len(rates) > 1:
            most = max(rates)
            gain = rates[most] / rates[min(rates)]
            name = f"storing with {strategy.upper()}, {most} nodes beside {min(rates)}, {where}"
            found.append(Figure(name, "", gain, "×", None))
    return found


def _pairs(outcomes: list[Outcome], experiment: str) -> dict[int, float]:
    csma = {one.nodes: one.throughput for one in of(outcomes, experiment, CSMA)}
    osma = {one.nodes: one.throughput for one in of(outcomes, experiment, OSMA)}
    return {nodes: osma[nodes] / csma[nodes] for nodes in csma if nodes in osma}
