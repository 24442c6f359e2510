"""The pipeline from end to end: make a digital library's feed, index subscriptions, match on Spark, look into the lake.

`make demo` runs this. `python examples/pipeline.py --events 2000 --subscriptions 500` is a small one.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
from deltalake import DeltaTable
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from triplewire.cli.generate import Name, generate_command
from triplewire.cli.names import shortened
from triplewire.cli.pipeline.progress import ProgressBar
from triplewire.cli.screen import printable
from triplewire.pipeline.jobs.matching import MatchRequest, match_files
from triplewire.pipeline.lake.tables import Run
from triplewire.pipeline.session import SessionSettings, spark_session
from triplewire.rdf.prefixes import WELL_KNOWN

SEED = 7
PREFIXES = {**WELL_KNOWN, "ex": "http://example.org/"}
SHOWN = 5


def main() -> None:
    arguments = _arguments()
    console = Console(highlight=False)
    home = Path(arguments.home)
    shutil.rmtree(home, ignore_errors=True)
    data, lake = home / "data", home / "lake"
    with console.status("making a feed of papers, and subscriptions in three languages"):
        generate_command(data, Name.LIBRARY, arguments.events, arguments.subscriptions, SEED, matches=1.0, files=4)

    request = MatchRequest(
        events=(str(data / "events"),),
        subscriptions=(str(data / "subscriptions.jsonl"),),
        taxonomy=str(data / "taxonomy.ttl"),
        out=str(lake),
        run_id="demo",
    )
    console.print("starting Spark, indexing subscriptions, matching", style="dim")
    with spark_session(SessionSettings(master=arguments.master)) as spark:
        outcome = match_files(spark, request, ProgressBar())
    console.print(summary(outcome.run))
    console.print(notifications(lake, texts_of(data / "subscriptions.jsonl")))
    console.print(Text(f"The lake is {lake}: its tables are Delta tables, for Spark, DuckDB or pandas.", "bold"))


def summary(run: Run) -> Table:
    """What the run did."""
    seconds = (run.finished - run.started).total_seconds()
    table = Table(box=SIMPLE_HEAD, title="What happened", title_justify="left", title_style="bold", show_header=False)
    for label, value in (
        ("events", f"{run.events:,}"),
        ("subscriptions", f"{run.subscriptions:,}"),
        ("notifications", f"{run.matches:,}"),
        ("rejects", f"{run.rejects:,}"),
        ("seconds on Spark", f"{seconds:,.1f}"),
        ("events a second", f"{run.events / seconds:,.0f}"),
    ):
        table.add_row(label, value)
    return table


def notifications(lake: Path, texts: dict[str, tuple[str, str]]) -> Table:
    """Some notifications, one of each kind of query first, with the query that each answers."""
    table = Table(box=SIMPLE_HEAD, title="Five notifications", title_justify="left", title_style="bold")
    for heading in ("subscription", "query", "event", "solution"):
        table.add_column(heading, overflow="fold")
    rows = _first_rows(DeltaTable(lake / "notifications"), 2_000)
    rows.sort(key=lambda row: (int(row["subscription"][1:]) // 4 % 400, row["subscription"]))
    for row in _various(rows, texts):
        language, text = texts[row["subscription"]]
        solution = ", ".join(f"?{name} = {shortened(term, PREFIXES)}" for name, term in row["solutions"][0])
        cells = (
            f"{row['subscription']} ({language})",
            shortened(text, PREFIXES),
            shortened(f"<{row['event']}>", PREFIXES),
            solution,
        )
        table.add_row(*map(printable, cells), end_section=True)
    return table


def _first_rows(table: DeltaTable, count: int) -> list[dict[str, Any]]:
    """Some rows, read here. A scan of the whole table would go on reading ahead after these, until the program ends."""
    rows: list[dict[str, Any]] = []
    for file in table.file_uris():
        with pq.ParquetFile(file) as parts:
            for batch in parts.iter_batches(count):
                rows += batch.to_pylist()
                if len(rows) >= count:
                    return rows[:count]
    return rows


def _various(rows: list[dict[str, Any]], texts: dict[str, tuple[str, str]]) -> list[dict[str, Any]]:
    """The first row of each language, then of other subscriptions, then whatever there is."""
    by_language = {texts[row["subscription"]][0]: row for row in reversed(rows)}
    by_subscription = {row["subscription"]: row for row in reversed(rows)}
    chosen: list[dict[str, Any]] = []
    for row in (*by_language.values(), *reversed(by_subscription.values()), *rows):
        if row not in chosen:
            chosen.append(row)
        if len(chosen) == SHOWN:
            break
    return chosen


def texts_of(path: Path) -> dict[str, tuple[str, str]]:
    """Language and text of each subscription."""
    rows = map(msgspec.json.decode, path.read_bytes().splitlines())
    return {row["id"]: (row["language"], row["text"]) for row in rows}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--subscriptions", type=int, default=20_000)
    parser.add_argument("--home", default="demo-lake", help="a folder that is made anew")
    parser.add_argument("--master", default=None, help="where Spark runs")
    return parser.parse_args()


if __name__ == "__main__":
    main()
