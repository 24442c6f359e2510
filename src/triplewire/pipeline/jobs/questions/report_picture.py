"""The picture of a report: over time, by subscription, and pairs that fire together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from triplewire.errors import UnknownFormat
from triplewire.pipeline.jobs.questions.reporting import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".png", ".svg", ".pdf")
_MOST_BARS = 20
_LONGEST = 40


def require_picture(path: Path) -> None:
    """Raise `UnknownFormat` if a file's ending is no picture's."""
    if path.suffix not in FORMATS:
        raise UnknownFormat(subject="a picture", wanted=f"one of {', '.join(FORMATS)}", found=repr(path.name))


def draw(report: Report, path: Path) -> None:
    """Draw a report into a file; its ending says in which format."""
    require_picture(path)
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    bars = max(len(report.fired[:_MOST_BARS]), len(report.together[:_MOST_BARS]), 4)
    figure, (times, fired, pairs) = plt.subplots(3, figsize=(10, 4 + 0.5 * bars), height_ratios=[6, bars, bars])
    _over_time(times, report)
    most = report.fired[:_MOST_BARS]
    _bars(fired, [row.subscription for row in most], [row.events for row in most], "events at which it fired")
    both = report.together[:_MOST_BARS]
    _bars(pairs, [f"{row.first} + {row.second}" for row in both], [row.events for row in both], "events of both")
    figure.tight_layout()
    # An event's name may hold what looks like a formula, and a picture is the same whenever it is drawn.
    figure.savefig(path, dpi=120, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)


def _over_time(axes: Axes, report: Report) -> None:
    starts: list[Any] = [bucket.start for bucket in report.over_time]
    for name, counts in (
        ("events", [bucket.events for bucket in report.over_time]),
        ("events at which something fired", [bucket.matched for bucket in report.over_time]),
        ("notifications", [bucket.notifications for bucket in report.over_time]),
    ):
        axes.plot(starts, counts, marker=".", label=name)
    axes.set_ylabel(f"in {report.bucket_seconds:,} s")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=7)


def _bars(axes: Axes, names: list[str], counts: list[int], label: str) -> None:
    drawn = axes.barh(range(len(names)), counts)
    axes.set_yticks(range(len(names)), [_short(name) for name in names], fontsize=7, parse_math=False)
    axes.bar_label(drawn, [f"{count:,}" for count in counts], padding=3, fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel(label)
    axes.margins(x=0.1)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
