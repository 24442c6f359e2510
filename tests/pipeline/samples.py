"""Small feeds and subscriptions on disk, and what a lake holds, for the pipeline's tests."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import duckdb
import msgspec
from deltalake import DeltaTable

from triplewire import Matcher, Taxonomy
from triplewire.languages.files import load_subscriptions
from triplewire.pipeline.jobs.matching import MatchRequest
from triplewire.testing import workloads

EVENTS = 300
SUBSCRIPTIONS = 60


def write_feed(folder: Path, events: int = EVENTS, files: int = 3, seed: int = 5) -> None:
    """`events/*.nq`, `subscriptions.jsonl` and `taxonomy.ttl`."""
    feed = workloads.library(SUBSCRIPTIONS, events, seed)
    (folder / "events").mkdir(parents=True)
    payloads = list(feed.payloads())
    for number in range(files):
        (folder / "events" / f"{number}.nq").write_bytes(b"".join(payloads[number::files]))
    write_rows(folder / "subscriptions.jsonl", feed.rows())
    (folder / "taxonomy.ttl").write_text(feed.taxonomy)


def write_rows(path: Path, rows: Iterable[workloads.Row]) -> None:
    path.write_bytes(b"".join(msgspec.json.encode(row._asdict()) + b"\n" for row in rows))


def request_of(feed: Path, out: Path, **others) -> MatchRequest:
    """A match of a feed into a lake."""
    asked = {
        "events": (str(feed / "events"),),
        "subscriptions": (str(feed / "subscriptions.jsonl"),),
        "taxonomy": str(feed / "taxonomy.ttl"),
        "out": str(out),
    }
    return MatchRequest(**{**asked, **others})


def expected(folder: Path) -> set[tuple[str, str]]:
    """What the matcher alone says about a feed."""
    matcher = Matcher(Taxonomy.parse(folder / "taxonomy.ttl"))
    for subscription in load_subscriptions([folder / "subscriptions.jsonl"]):
        matcher.add(subscription)
    data = b"".join(path.read_bytes() for path in sorted((folder / "events").glob("*.nq")))
    return {(match.subscription_id, match.event.graph.value) for match in matcher.match_nquads(data)}


def rows_of(lake: Path, table: str, columns: str = "*") -> list[tuple]:
    """A table of the lake, read by what knows nothing of Triplewire: Delta says which files, DuckDB reads them."""
    if not (files := files_of(lake, table)):
        return []
    return duckdb.sql(f"select {columns} from read_parquet({files}, union_by_name=true) order by all").fetchall()


def files_of(lake: Path, table: str) -> list[str]:
    """The files that a table has, by its Delta log."""
    return sorted(DeltaTable(lake / table).file_uris()) if (lake / table / "_delta_log").exists() else []


def written_files(lake: Path) -> list[Path]:
    """Every file in the folders of the tables, committed or not."""
    return sorted(lake.glob("[a-z]*/*/*.parquet"))


def tasks_of(lake: Path) -> list[Path]:
    """What tasks have written of their progress: it goes with the run."""
    return list((lake / "_triplewire" / "progress").glob("*"))


def notified(lake: Path) -> list[tuple[str, str]]:
    return rows_of(lake, "notifications", "subscription, event")
