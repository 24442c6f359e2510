"""The outbox answers what is asked of it without reading what nobody asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from triplewire.store import Database, LocalDisk
from triplewire.store.database import FILE
from triplewire.store.tables import log, outbox, registry
from triplewire.store.tables.log import Record
from triplewire.store.tables.outbox import OutboxEntry
from triplewire.store.tables.registry import SubscriptionOptions, SubscriptionRecord


def fill(folder: Path, waiting: int) -> None:
    """Three subscriptions of two owners: to the first two everything waits, to the third nothing."""
    records = [
        Record(n, f"urn:e:{n}", "me", "2024-01-01T00:00:00+00:00", None, 100.0 + n, b"x") for n in range(waiting)
    ]
    entries = [OutboxEntry(number, record.position, record.graph, b"{}") for record in records for number in (1, 2)]
    database = Database(folder)
    for name, owner in (("a", "me"), ("b", "you"), ("c", "me")):
        subscription = SubscriptionRecord(0, owner, name, "sparql", "", SubscriptionOptions(), 0, None, 0)
        database.writer.submit(lambda tx, one=subscription: registry.insert(tx, one)).result(120)
    database.writer.submit(lambda tx: log.append(tx, records)).result(120)
    database.writer.submit(lambda tx: outbox.put(tx, entries)).result(120)
    database.writer.submit(lambda tx: outbox.remove_to(tx, 2, 1)).result(120)
    database.close()


@pytest.mark.parametrize(("owner", "expected"), [(None, {1: 100.0, 2: 102.0}), ("me", {1: 100.0}), ("nobody", {})])
def test_when_the_oldest_that_waits_was_accepted(tmp_path: Path, owner: str | None, expected: dict[int, float]):
    fill(tmp_path, 5)
    database = Database(tmp_path)
    assert database.read(lambda tx: outbox.oldest(tx, owner)) == expected
    database.close()


def steps_of_oldest(folder: Path) -> int:
    """How many instructions SQLite executes."""
    connection = LocalDisk().connect_to_read(folder / FILE)
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    connection.set_progress_handler(count, 1)
    assert len(outbox.oldest(connection)) == 2
    connection.close()
    return steps


def test_the_age_of_the_oldest_costs_no_more_when_more_waits(tmp_path: Path):
    fill(tmp_path / "few", 10)
    fill(tmp_path / "many", 5_000)
    assert steps_of_oldest(tmp_path / "many") == steps_of_oldest(tmp_path / "few")
