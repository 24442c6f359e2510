"""The plot: microseconds an update by the rows of an answer, views kept beside queries that are run again."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes

from benchmarks.engine import OURS
from benchmarks.plots import Line, draw, logarithmic
from benchmarks.views.figures import Findings

RERUNNING = "every query again"


def draw_rows(path: Path, findings: Findings) -> None:
    """Two lines, and both axes by powers of ten."""
    rows = [one.rows for one in findings.beside]
    lines = [
        Line(OURS, rows, [one.ours for one in findings.beside]),
        Line(RERUNNING, rows, [one.theirs for one in findings.beside]),
    ]

    def dress(axes: Axes) -> None:
        logarithmic(axes)

    views = findings.beside[0].views
    draw(path, f"What {views:,} views cost an update, one of them touched", ("rows of an answer", "µs"), lines, dress)
