"""What a run says: tables on the screen, JSON on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from benchmarks.asked import Figure, Findings
from benchmarks.cases import short
from benchmarks.engine import OURS
from benchmarks.throughput import Throughput

HERE = Path(__file__).parent
RESULTS = HERE / "results"
QUICK_RESULTS = RESULTS / "quick"
FIGURES = HERE.parent / "docs" / "figures"
_PAGE_WIDTH = 120


def wide_console() -> Console:
    """The terminal, or a page wide enough for the tables where there is none."""
    console = Console()
    return console if console.is_terminal else Console(width=_PAGE_WIDTH)


def progress(console: Console) -> Progress:
    """A bar for the whole run and one for the measurement that is on."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
    )


def ratios_table(findings: Findings) -> Table:
    """Every engine on every case, and how many times faster Triplewire is there."""
    table = Table(title="Events a second on one core, from N-Quads to subscription ids")
    for heading in ("workload", "subscriptions", "engine"):
        table.add_column(heading)
    for heading in ("events/s", "Triplewire is", "matches/event", "build, s", "bytes/sub."):
        table.add_column(heading, justify="right")
    for index, measured in enumerate(findings.throughput):
        following = findings.throughput[index + 1 : index + 2]
        table.add_row(*_row(measured, findings), end_section=not following or _case(following[0]) != _case(measured))
    for name, reason in findings.unfinished.items():
        table.add_row(name, "", "", reason)
    return table


def _case(measured: Throughput) -> tuple[str, int]:
    return measured.workload, measured.subscriptions


def _row(measured: Throughput, findings: Findings) -> list[str]:
    ours = findings.of(OURS, *_case(measured))
    faster = "" if ours is None or ours is measured else f"{ours.events_per_second / measured.events_per_second:,.1f} ×"
    return [
        measured.workload,
        short(measured.subscriptions),
        measured.engine,
        readable(measured.events_per_second),
        faster,
        f"{measured.matches / measured.events:.2f}",
        f"{measured.building.seconds:.1f}",
        f"{measured.bytes_per_subscription:,.0f}",
    ]


def figures_table(figures: list[Figure]) -> Table:
    """What was asked, what was measured, and whether that is enough."""
    table = Table(title="What was asked")
    table.add_column("figure")
    table.add_column("asked", justify="right")
    table.add_column("measured", justify="right")
    table.add_column("unit")
    table.add_column("met")
    words = {True: "[green]yes[/]", False: "[red]no[/]", None: "[dim]too small a run to say[/]"}
    for figure in figures:
        met = "" if not figure.asked else words[figure.met]
        table.add_row(figure.name, figure.asked, readable(figure.measured), figure.unit, met)
    return table


def readable(number: float) -> str:
    """
    >>> readable(123456.7), readable(12.34), readable(0.01234)
    ('123,457', '12.3', '0.0123')
    """
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def write_json(path: Path, content: Any) -> None:
    """Write a result, made of structs and plain values, so that a person can read it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(content)) + b"\n")
