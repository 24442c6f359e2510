"""The figures of a run, between the marks of the page that discusses them."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.asked import Figure
from benchmarks.eventcloud.page import with_figures
from benchmarks.reports import FIGURES, readable
from benchmarks.views.figures import Findings

__all__ = ["PAGE", "markdown", "with_figures"]

PAGE = FIGURES.parent / "benchmarks.md"


def markdown(findings: Findings, asked: Sequence[Figure]) -> str:
    """All tables."""
    return "\n\n".join([_asked(asked), _rates(findings), _alone(findings), _beside(findings)])


def _asked(asked: Sequence[Figure]) -> str:
    words = {True: "yes", False: "**no**", None: ""}
    rows = [
        (one.name, one.asked, f"{readable(one.measured)} {one.unit}", words[one.met] if one.asked else "")
        for one in asked
    ]
    return _table(("figure", "asked", "measured", "met"), rows)


def _rates(findings: Findings) -> str:
    plain = findings.kinds[0].updates_per_second
    rows = []
    for one in (*findings.rates, *findings.kinds):
        factor = f"{one.updates_per_second / plain:.2f}" if one in findings.kinds else ""
        numbers = (readable(one.updates_per_second), factor, readable(one.cpu_micros), f"{one.load:.1f}")
        rows.append((str(one.kind), f"{one.views:,}", *numbers))
    title = "**Durable updates a second over HTTP, one view touched by each**"
    headings = ("views touched", "views", "updates/s", "times plain", "µs of the node's CPU", "load average")
    return f"{title}\n\n{_table(headings, rows)}"


def _alone(findings: Findings) -> str:
    rows = [
        (
            str(one.kind),
            f"{one.views:,}",
            *map(readable, (one.median, one.percentile_99, one.bytes_a_view, one.put_millis)),
        )
        for one in findings.alone
    ]
    rows += [
        (
            "Incremunica's parts, 2 to 4 patterns",
            f"{one.views:,}",
            *map(readable, (one.median, one.percentile_99, one.bytes_a_view, one.put_millis)),
        )
        for one in findings.incremunica
    ]
    title = "**Views alone, in process: what a change costs them**"
    headings = ("views", "number", "median, µs", "p99, µs", "bytes a view", "ms to put one")
    return f"{title}\n\n{_table(headings, rows)}"


def _beside(findings: Findings) -> str:
    rows = [
        tuple(map(readable, (one.rows, one.store, one.ours, one.theirs, one.factor, one.whole_factor)))
        for one in findings.beside
    ]
    views = findings.beside[0].views
    title = f"**{views:,} views beside running every query again, in process, in memory, on the same store**"
    headings = ("rows each", "the store, µs", "views, µs", "all queries, µs", "times", "times, with the store")
    return f"{title}\n\n{_table(headings, rows)}"


def _table(headings: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(headings) + " |", "|---" + "|---:" * (len(headings) - 1) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
