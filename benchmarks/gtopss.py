"""`make bench-gtopss`: figure 9 of the G-ToPSS paper, (a) to (h), with Triplewire beside its three algorithms."""

from __future__ import annotations

import argparse
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks import machine
from benchmarks.engine import OURS
from benchmarks.isolated import run_apart
from benchmarks.paper_cases import Point, Setting, Structure, at, structure
from benchmarks.plots import Dress, Line, draw, from_zero, logarithmic, logarithmic_y, with_second_axis
from benchmarks.reports import FIGURES, QUICK_RESULTS, RESULTS, progress, readable, wide_console, write_json
from triplewire.testing.workloads import Parameters

_GTOPSS, _OPS, _NAIVE = "G-ToPSS", "OPS", "naive scan"
_ALL = (OURS, _GTOPSS, _OPS, _NAIVE)
_MIB = 2**20
_TABLE_1 = Parameters()


class Plan(Struct, frozen=True):
    """How large a run is: the values of what varies, and the number of subscriptions where it does not."""

    subscriptions: tuple[int, ...]
    default: int
    sizes: tuple[tuple[int, int], ...]
    overlaps: tuple[float, ...]
    ratios: tuple[float, ...]
    seconds: float
    limit: float = 900.0


FULL = Plan(
    subscriptions=(2_000, 5_000, 10_000, 20_000, 35_000, 50_000),
    default=10_000,
    sizes=((3, 4), (4, 5), (5, 6), (5, 8), (7, 8), (7, 12), (10, 16)),
    overlaps=(0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
    ratios=(0.01, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0),
    seconds=3.0,
)
QUICK = Plan(
    subscriptions=(500, 1_000, 2_000),
    default=1_000,
    sizes=((3, 4), (5, 6), (7, 12)),
    overlaps=(0.0, 0.5, 1.0),
    ratios=(0.01, 0.1, 1.0),
    seconds=0.3,
)


class Experiment(Struct, frozen=True):
    """What varies, and what was measured at each value."""

    name: str
    varies: str
    points: list[Point]
    structures: list[Structure]

    def settings(self) -> list[list[Point]]:
        """The points of each setting. Two settings may have the same value: as many edges between other nodes."""
        return [self.points[at : at + len(_ALL)] for at in range(0, len(self.points), len(_ALL))]

    def line(self, engine: str, what: str, scale: float = 1.0) -> Line:
        """One engine's measurements, by value."""
        points = [point for point in self.points if point.engine == engine]
        return Line(engine, [p.value for p in points], [getattr(p, what) / scale for p in points])


class Report(Struct, frozen=True):
    """What is written to disk."""

    machine: machine.Machine
    plan: Plan
    defaults: Parameters
    experiments: list[Experiment]


def experiments(plan: Plan) -> list[tuple[str, str, list[Setting]]]:
    """The settings of each experiment: its name, what varies, and the points."""
    return [
        ("subscriptions", "subscriptions", [Setting(n, n, _TABLE_1) for n in plan.subscriptions]),
        (
            "overlap",
            "share of overlapping subscriptions",
            [Setting(share, plan.default, replace(_TABLE_1, overlapping=share)) for share in plan.overlaps],
        ),
        (
            "size",
            "edges in a subscription",
            [Setting(size[1], plan.default, replace(_TABLE_1, subscription=size)) for size in plan.sizes],
        ),
        (
            "ratio",
            "share of matching subscriptions",
            [Setting(share, plan.default, replace(_TABLE_1, matching=share)) for share in plan.ratios],
        ),
    ]


def measured(plan: Plan, bars: Progress) -> list[Experiment]:
    """Every engine at every setting, one after the other."""
    wanted = experiments(plan)
    bar = bars.add_task("figure 9", total=sum(len(settings) * (len(_ALL) + 1) for _, _, settings in wanted))
    done = []
    for name, varies, settings in wanted:
        points, structures = [], []
        for setting in settings:
            for engine in _ALL:
                bars.update(bar, description=f"{name} {setting.value:g}: {engine}")
                points.append(run_apart(at, setting, engine, plan.seconds, seconds=plan.limit, tell=_quietly))
                bars.advance(bar)
            structures.append(structure(setting, _quietly))
            bars.advance(bar)
        done.append(Experiment(name, varies, points, structures))
        _require_agreement(done[-1])
    return done


def _quietly(done: int, total: int) -> None:
    """Settings are small enough to need no bar of their own."""


def _require_agreement(experiment: Experiment) -> None:
    for points in experiment.settings():
        found = {point.engine: point.matches for point in points}
        if len(set(found.values())) != 1:
            raise SystemExit(f"the engines disagree by {experiment.varies} at {points[0].value:g}: {found}")


def draw_all(found: list[Experiment], folder: Path) -> None:
    """Figure 9, panel by panel."""
    by_name = {experiment.name: experiment for experiment in found}
    numbers, overlap, size, ratio = (by_name[name] for name in ("subscriptions", "overlap", "size", "ratio"))
    _draw(folder / "gtopss-a.png", "9(a) Memory and number of subscriptions", numbers, "grown_bytes", _ALL, from_zero)
    _draw(folder / "gtopss-b.png", "9(b) Matching time and number", numbers, "milliseconds", _ALL, logarithmic)
    _draw(folder / "gtopss-c.png", "9(c) Memory and overlap", overlap, "grown_bytes", _ALL, _with_edges(overlap))
    _draw(folder / "gtopss-d.png", "9(d) Memory and subscription size", size, "grown_bytes", _ALL, from_zero)
    _draw(folder / "gtopss-e.png", "9(e) Matching time and size", size, "milliseconds", _ALL, logarithmic_y)
    _draw(folder / "gtopss-f.png", "9(f) Matching time and ratio", ratio, "milliseconds", _ALL, logarithmic_y)
    _draw(folder / "gtopss-g.png", "9(g) G-ToPSS and OPS", numbers, "milliseconds", (OURS, _GTOPSS, _OPS), from_zero)
    _draw(folder / "gtopss-h.png", "9(h) OPS and naive", numbers, "milliseconds", (OURS, _OPS, _NAIVE), from_zero)


def _with_edges(experiment: Experiment) -> Dress:
    """What the paper draws to validate its workload: how many edges GM has."""
    values = [structure.value for structure in experiment.structures]
    return with_second_axis("edges in GM", values, [structure.distinct_edges for structure in experiment.structures])


def _draw(path: Path, title: str, experiment: Experiment, what: str, engines: tuple[str, ...], dress: Dress) -> None:
    scale, unit = (_MIB, "MiB") if what == "grown_bytes" else (1.0, "ms a publication")
    draw(path, title, (experiment.varies, unit), [experiment.line(e, what, scale) for e in engines], dress)


def summary(experiment: Experiment) -> Table:
    """Milliseconds a publication, and memory, of each engine at each value."""
    table = Table(title=f"By {experiment.varies}")
    table.add_column(experiment.varies, justify="right")
    for engine in _ALL:
        table.add_column(f"{engine}, ms", justify="right")
    for engine in _ALL:
        table.add_column(f"{engine}, MiB", justify="right")
    table.add_column("matches", justify="right")
    for points in experiment.settings():
        here = {point.engine: point for point in points}
        times = [readable(here[engine].milliseconds) for engine in _ALL]
        memory = [f"{here[engine].grown_bytes / _MIB:.1f}" for engine in _ALL]
        table.add_row(f"{points[0].value:g}", *times, *memory, f"{here[OURS].matches:,}")
    return table


def main() -> None:
    """Run, print, write, plot."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="a small run, in a few minutes")
    quick = arguments.parse_args().quick
    plan = QUICK if quick else FULL
    console: Console = wide_console()
    facts = machine.facts()
    machine.pin()
    with progress(console) as bars:
        found = measured(plan, bars)
    for experiment in found:
        console.print(summary(experiment))
    results, images = (QUICK_RESULTS, QUICK_RESULTS) if quick else (RESULTS, FIGURES)
    write_json(results / "gtopss.json", Report(facts, plan, _TABLE_1, found))
    draw_all(found, images)


if __name__ == "__main__":
    main()
