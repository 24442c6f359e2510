"""The plot: events a second by publishers and events a request, the node beside its rival."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib import pyplot as plt

from benchmarks.node.figures import OURS, SYNCED, UNSYNCED, Findings

mpl.use("Agg")

_COLOURS = {OURS: "#d1495b", SYNCED: "#3b7dd8", UNSYNCED: "#8d99ae"}
_SIZE = (7.0, 4.2)


def draw_rates(path: Path, findings: Findings, subscriptions: int) -> None:
    """A group of bars for each number of publishers and events a request, one bar a broker."""
    at_size = [one for one in findings.rates if one.subscriptions == subscriptions]
    cases = sorted({(one.batch, one.publishers) for one in at_size})
    brokers = [name for name in _COLOURS if any(one.broker == name for one in at_size)]
    _, axes = plt.subplots(figsize=_SIZE, layout="constrained")
    width = 0.8 / max(1, len(brokers))
    for place, name in enumerate(brokers):
        found = [(cases.index((o.batch, o.publishers)), o.events_per_second) for o in at_size if o.broker == name]
        xs = [case + place * width for case, _ in found]
        bars = axes.bar(xs, [rate for _, rate in found], width=width, color=_COLOURS[name], label=name)
        axes.bar_label(bars, fmt="{:,.0f}", fontsize=7)
    labels = [f"{publishers} × {batch}" for batch, publishers in cases]
    axes.set_xticks([case + 0.4 - width / 2 for case in range(len(cases))], labels)
    axes.set_yscale("log")
    axes.set_xlabel("publishers × events a request")
    axes.set_ylabel("events/s, acknowledged")
    axes.set_title(f"Durable events a second, {subscriptions:,} subscriptions")
    axes.grid(visible=True, axis="y", alpha=0.25)
    axes.legend(frameon=False, fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    plt.savefig(path, dpi=130, metadata={"Software": None})
    plt.close()
