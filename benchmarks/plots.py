"""Plots as PNG. One colour for each engine, the same everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from msgspec import Struct

from benchmarks.asked import Findings
from benchmarks.engine import OURS

mpl.use("Agg")

COLOURS = {
    OURS: "#d1495b",
    "DuckDB join": "#e0a100",
    "CLIPS": "#7a5195",
    "Oxigraph ASK": "#3b7dd8",
    "EventCloud": "#2a9d8f",
    "G-ToPSS": "#264653",
    "OPS": "#8d99ae",
    "naive scan": "#b08968",
    "every query again": "#3b7dd8",
}
Dress = Callable[[Axes], object]
_SIZE = (7.0, 4.2)


class Line(Struct, frozen=True):
    """One engine's points."""

    engine: str
    xs: list[float]
    ys: list[float]


def draw(
    path: Path, title: str, labels: tuple[str, str], lines: Iterable[Line], dress: Callable[[Axes], object]
) -> None:
    """A line chart; `dress` may set scales and ticks."""
    _, axes = plt.subplots(figsize=_SIZE, layout="constrained")
    for line in lines:
        width = 2.4 if line.engine == OURS else 1.4
        axes.plot(line.xs, line.ys, "o-", color=COLOURS[line.engine], label=line.engine, linewidth=width, markersize=4)
    axes.set_title(title)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.grid(visible=True, alpha=0.25)
    dress(axes)
    axes.legend(frameon=False, fontsize=9)
    _save(path)


def logarithmic(axes: Axes) -> None:
    """Both axes by powers of ten."""
    axes.set_xscale("log")
    axes.set_yscale("log")


def logarithmic_y(axes: Axes) -> None:
    """The upright axis by powers of ten."""
    axes.set_yscale("log")


def from_zero(axes: Axes) -> None:
    """Nothing is cut off below."""
    axes.set_ylim(bottom=0)


def with_second_axis(label: str, xs: list[float], ys: list[float]) -> Dress:
    """From zero, and beside it a dashed grey line on an axis of its own."""

    def dress(axes: Axes) -> None:
        from_zero(axes)
        other = axes.twinx()
        other.plot(xs, ys, "--", color="#999999")
        other.set_ylabel(label, color="#777777")
        other.set_ylim(bottom=0)

    return dress


def draw_growth(path: Path, findings: Findings) -> None:
    """Events a second against the number of subscriptions, mixed workload."""
    lines = []
    for engine in COLOURS:
        points = [t for t in findings.throughput if t.engine == engine and t.workload == "mixed"]
        points.sort(key=lambda t: t.subscriptions)
        if points:
            lines.append(Line(engine, [t.subscriptions for t in points], [t.events_per_second for t in points]))
    draw(path, "Mixed workload, one match an event, one core", ("subscriptions", "events/s"), lines, logarithmic)


def draw_kinds(path: Path, findings: Findings, subscriptions: int) -> None:
    """Events a second of each engine for each kind of workload."""
    at_size = [t for t in findings.throughput if t.subscriptions == subscriptions]
    kinds = list(dict.fromkeys(t.workload for t in at_size))
    engines = [engine for engine in COLOURS if any(t.engine == engine and t.workload != "mixed" for t in at_size)]
    if not engines:
        return
    _, axes = plt.subplots(figsize=_SIZE, layout="constrained")
    height = 0.8 / len(engines)
    for place, engine in enumerate(engines):
        found = [(kinds.index(t.workload), t.events_per_second) for t in at_size if t.engine == engine]
        rows = [kind + place * height for kind, _ in found]
        axes.barh(rows, [speed for _, speed in found], height=height, color=COLOURS[engine], label=engine)
    axes.set_yticks([kind + 0.4 - height / 2 for kind in range(len(kinds))], kinds)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlim(left=1)
    axes.set_xlabel("events/s")
    axes.set_title(f"Kinds of workload, {subscriptions:,} subscriptions, one core")
    axes.grid(visible=True, axis="x", alpha=0.25)
    axes.legend(frameon=False, fontsize=9)
    _save(path)


def _save(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    plt.savefig(path, dpi=130, metadata={"Software": None})
    plt.close()
