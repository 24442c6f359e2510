"""One picture with the panels of the paper's figure 2, and one more for storing against nodes."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from benchmarks.eventcloud.outcomes import STRATEGIES, Outcome, of
from benchmarks.eventcloud.tables import ALONG, NAMES, value_of

mpl.use("Agg")

_COLOURS = {"csma": "#2a9d8f", "osma": "#3b7dd8"}
_TITLES = {
    "a": "(a) one subscription, k = 5",
    "b": "(b) publications",
    "c": "(c) subscriptions",
    "d": "(d) accept-all subscription",
    "e": "(e) storing, no subscription",
    "nodes": "storing against nodes",
}
_LABELS = {"e": "seconds", "nodes": "events stored/s"}


def draw(path: Path, simulated: list[Outcome], real: list[Outcome]) -> None:
    """Solid lines are simulated, dashed ones real processes."""
    figure, panels = plt.subplots(2, 3, figsize=(12.0, 7.0), layout="constrained")
    for axes, experiment in zip(panels.flat, _TITLES, strict=True):
        for strategy in STRATEGIES:
            _line(axes, of(simulated, experiment, strategy), "o-", strategy, strategy.upper())
            _line(axes, of(real, experiment, strategy), "s--", strategy, f"{strategy.upper()}, real")
        _finish(axes, experiment)
    figure.suptitle("CSMA and OSMA in the event space: solid simulated, dashed real processes on one machine")
    path.parent.mkdir(parents=True, exist_ok=True)
    plt.savefig(path, dpi=110, metadata={"Software": None})
    plt.close()


def _line(axes: Axes, outcomes: list[Outcome], style: str, strategy: str, label: str) -> None:
    if outcomes:
        ordered = sorted(outcomes, key=ALONG[outcomes[0].experiment])
        xs, ys = [ALONG[one.experiment](one) for one in ordered], [value_of(one) for one in ordered]
        axes.plot(xs, ys, style, color=_COLOURS[strategy], label=label, markersize=4)


def _finish(axes: Axes, experiment: str) -> None:
    if NAMES[experiment] == "nodes":
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(mpl.ticker.ScalarFormatter())
    axes.set_ylim(bottom=0)
    axes.set_title(_TITLES[experiment], fontsize=10)
    axes.set_xlabel(NAMES[experiment])
    axes.set_ylabel(_LABELS.get(experiment, "subscriber throughput, events/s"))
    axes.grid(visible=True, alpha=0.25)
    if axes.lines:
        axes.legend(frameon=False, fontsize=8)
