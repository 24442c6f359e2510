"""Lakes of the form before, as they were written."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS, RUNS, SCHEMAS

NOW = datetime(2024, 5, 1, tzinfo=UTC)
NEW_COLUMNS = ("batch", "stamps", "versions")


def write_old_lake(root: Path) -> None:
    """A run, two micro-batches of a stream, the second decided and not carried out, and a third that is not decided."""
    (root / "_triplewire" / "commits").mkdir(parents=True)
    (root / "_triplewire" / "lake.json").write_text('{"format":1}')
    (root / "_triplewire" / "lock").touch()
    _commit(root, root, "tuesday", None)
    _commit(root, root, "papers", 0)
    _commit(root, root / ".staging" / "papers-00000001", "papers", 1)
    _write(root / ".staging" / "papers-00000002", EVENTS, "x", [_event("urn:never", "papers")])


def _commit(root: Path, place: Path, run: str, batch: int | None) -> None:
    name = run if batch is None else f"{run}-{batch:08}"
    event = _event(f"urn:{name}", run)
    notified = {"subscription": "s", "event": event["event"], "time": NOW, "solutions": [], "lane": "fast", "run": run}
    row = {
        "run": run, "job": "match", "batch": batch, "strategy": "replicate", "index": "0", "taxonomy": None,
        "subscriptions": 1, "events": 1, "matches": 1, "rejects": 0, "quarantined": 0, "inputs": ["a.nq"],
        "started": NOW, "finished": NOW, "triplewire": "0", "spark": "0",
    }  # fmt: skip
    _write(place, EVENTS, name, [event])
    _write(place, NOTIFICATIONS, name, [notified])
    _write(place, RUNS, name, [row])
    record = {
        "id": name, "run": run, "adds": [f"{table}/{name}.parquet" for table in (EVENTS, NOTIFICATIONS, RUNS)],
        "removes": [], "inputs": [f"a-{batch}.nq?size=1&modified=x"],
    }  # fmt: skip
    (root / "_triplewire" / "commits" / f"{name}.json").write_bytes(msgspec.json.encode(record))


def _event(name: str, run: str) -> dict:
    return {"event": name, "source": "a.nq", "time": NOW, "payload": b"", "run": run}


def _write(place: Path, table: str, name: str, rows: list[dict]) -> None:
    (place / table).mkdir(parents=True, exist_ok=True)
    columns = [
        field for field in SCHEMAS[table] if field.name not in NEW_COLUMNS or (table, field.name) == (RUNS, "batch")
    ]
    pq.write_table(pa.Table.from_pylist(rows, pa.schema(columns)), place / table / f"{name}.parquet")
