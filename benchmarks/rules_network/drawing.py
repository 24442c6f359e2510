"""The plot: messages of a firing against the number of super-peers."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib import pyplot as plt

from benchmarks.rules_network.measuring import EVERYBODY, OURS, Costs

mpl.use("Agg")

_COLOURS = {OURS: "#d1495b", EVERYBODY: "#8d99ae"}
_SIZE = (7.0, 4.2)


def draw_firings(folder: Path, costs: list[Costs]) -> None:
    """Messages, and dashed the hops over the cube."""
    _, axes = plt.subplots(figsize=_SIZE, layout="constrained")
    for policy, colour in _COLOURS.items():
        found = [one for one in costs if one.policy == policy]
        xs = [one.super_peers for one in found]
        axes.plot(xs, [one.firing.messages for one in found], "o-", color=colour, label=policy, markersize=4)
        hops = [one.firing.hops for one in found]
        axes.plot(xs, hops, "o--", color=colour, label=f"{policy}, hops over the cube", markersize=3, linewidth=1)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(mpl.ticker.ScalarFormatter())
    axes.set_xlabel("super-peers")
    axes.set_ylabel("messages")
    axes.set_title("Messages of a firing, a tenth of the super-peers relevant")
    axes.grid(visible=True, alpha=0.25)
    axes.legend(frameon=False, fontsize=8)
    path = folder / "rules-network-messages.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    plt.savefig(path, dpi=130, metadata={"Software": None})
    plt.close()
