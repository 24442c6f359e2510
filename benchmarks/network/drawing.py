"""The plots: messages, sizes and recovery against the number of super-peers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from benchmarks.network.failing import Recovery
from benchmarks.network.measuring import FLOODING, OURS, POSET, Costs

mpl.use("Agg")

_COLOURS = {OURS: "#d1495b", POSET: "#3b7dd8", FLOODING: "#8d99ae"}
_SIZE = (7.0, 4.2)

Value = Callable[[Costs], float]


def draw_costs(folder: Path, costs: list[Costs]) -> None:
    """Messages for a subscription, alone and in a crowd, and for an event."""
    _, axes = plt.subplots(figsize=_SIZE, layout="constrained")
    for policy in _COLOURS:
        _line(axes, costs, policy, lambda one: one.messages, policy, "-")
        if policy != FLOODING:
            _line(axes, costs, policy, lambda one: one.lone_messages, f"{policy}, nobody else subscribes", ":")
    _finish(axes, "Messages for a subscription", "messages", folder / "network-subscriptions.png")
    _, axes = plt.subplots(figsize=_SIZE, layout="constrained")
    for policy in _COLOURS:
        _line(axes, costs, policy, lambda one: one.event_messages, policy, "-")
    _line(axes, costs, OURS, lambda one: one.reached, "super-peers that want it", "--", "#555555")
    _finish(axes, "Messages for an event", "messages", folder / "network-events.png")


def draw_hops(folder: Path, costs: list[Costs]) -> None:
    """The longest path of any subscription and of any event, below the logarithm."""
    _, axes = plt.subplots(figsize=_SIZE, layout="constrained")
    _line(axes, costs, FLOODING, lambda one: one.event_hops, "log2 N, rounded up", "--")
    _line(axes, costs, OURS, lambda one: one.lone_hops, "longest path of a subscription", "-")
    _line(axes, costs, OURS, lambda one: one.event_hops, "longest path of an event", ":", "#3b7dd8")
    axes.set_ylim(bottom=0)
    _finish(axes, "Hops", "hops", folder / "network-hops.png", log_y=False)


def draw_sizes(folder: Path, costs: list[Costs]) -> None:
    """What a super-peer keeps."""
    _, axes = plt.subplots(figsize=_SIZE, layout="constrained")
    for policy in _COLOURS:
        _line(axes, costs, policy, lambda one: one.poset, f"subscriptions held, {policy}", "-")
    _line(axes, costs, OURS, lambda one: one.index_rows, "rows of the SP/SP indices", "--", "#2a9d8f")
    _finish(axes, "What a super-peer keeps, on average", "entries", folder / "network-sizes.png")


def draw_recovery(folder: Path, recoveries: list[Recovery]) -> None:
    """Virtual seconds, and messages beside them."""
    _, axes = plt.subplots(figsize=_SIZE, layout="constrained")
    xs = [one.super_peers for one in recoveries]
    axes.plot(xs, [one.noticed for one in recoveries], "o-", color="#8d99ae", label="everybody knows")
    axes.plot(xs, [one.attached for one in recoveries], "o-", color="#3b7dd8", label="everybody has attached anew")
    axes.plot(xs, [one.reached for one in recoveries], "o-", color="#d1495b", label="everybody has every probe")
    axes.set_ylim(bottom=0)
    other = axes.twinx()
    other.plot(xs, [one.repairing for one in recoveries], "--", color="#999999")
    other.set_ylabel("messages of repair for each that is left (dashed)", color="#777777")
    other.set_ylim(bottom=0)
    _finish(axes, "A tenth fails at once", "virtual seconds", folder / "network-recovery.png", log_y=False)


def _line(
    axes: Axes, costs: list[Costs], policy: str, value: Value, label: str, style: str, colour: str | None = None
) -> None:
    found = [one for one in costs if one.policy == policy]
    xs, ys = [one.super_peers for one in found], [value(one) for one in found]
    axes.plot(xs, ys, f"o{style}", color=colour or _COLOURS[policy], label=label, markersize=4)


def _finish(axes: Axes, title: str, label: str, path: Path, *, log_y: bool = True) -> None:
    axes.set_xscale("log", base=2)
    if log_y:
        axes.set_yscale("log")
    axes.xaxis.set_major_formatter(mpl.ticker.ScalarFormatter())
    axes.set_xlabel("super-peers")
    axes.set_ylabel(label)
    axes.set_title(title)
    axes.grid(visible=True, alpha=0.25)
    axes.legend(frameon=False, fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    plt.savefig(path, dpi=130, metadata={"Software": None})
    plt.close()
