"""A stream's index follows its subscriptions, wherever they are. No Spark: few subscriptions are indexed without it."""

from __future__ import annotations

from pathlib import Path

import pytest
from deltalake import DeltaTable, write_deltalake
from tests.pipeline.indexing.test_tables import rows
from tests.pipeline.samples import write_rows

from triplewire import Matcher
from triplewire.pipeline.indexing import building
from triplewire.pipeline.jobs.stream import Folder, StreamRequest
from triplewire.pipeline.jobs.stream.index_refresh import RefreshedIndex
from triplewire.pipeline.lake.event_lake import Lake
from triplewire.pipeline.storage.location import Location
from triplewire.testing import workloads

ROWS = list(workloads.library(40, 1).rows())


def following(subscriptions: Path, tmp_path: Path) -> RefreshedIndex:
    request = StreamRequest(
        source=Folder(str(tmp_path / "events"), 1), subscriptions=(str(subscriptions),), out=str(tmp_path / "lake")
    )
    return RefreshedIndex(None, request, Lake(Location.of(tmp_path / "lake")))


def subscribed(refreshed: RefreshedIndex) -> list[str]:
    index = refreshed.current().strategy.index
    return sorted(subscription.id for subscription in Matcher.open(index.snapshot).subscriptions)


@pytest.fixture
def compiled(monkeypatch) -> list[int]:
    """How many rows were compiled, each time."""
    counts, compile_rows = [], building.compile_rows

    def counting(spark, table):
        counts.append(table.num_rows)
        return compile_rows(spark, table)

    monkeypatch.setattr(building, "compile_rows", counting)
    return counts


def test_a_change_of_a_file_is_compiled_alone(tmp_path, compiled):
    file = tmp_path / "subscriptions.jsonl"
    write_rows(file, ROWS)
    refreshed = following(file, tmp_path)
    assert subscribed(refreshed) == sorted(row.id for row in ROWS)
    write_rows(file, [*ROWS[2:], workloads.Row("new", "sparql", "ASK { ?s <urn:p> ?o }")])
    assert subscribed(refreshed) == sorted([*(row.id for row in ROWS[2:]), "new"])
    assert compiled == [40, 1]


def test_a_table_changes_by_rows_that_come_and_by_rows_that_go(tmp_path, compiled):
    table = str(tmp_path / "table")
    for number in range(4):
        write_deltalake(table, rows(f"a{number}"), mode="append")
    refreshed = following(Path(table), tmp_path)
    assert subscribed(refreshed) == ["a0", "a1", "a2", "a3"]
    write_deltalake(table, rows("b"), mode="append")
    assert subscribed(refreshed) == ["a0", "a1", "a2", "a3", "b"]
    # The file of one row goes, and nothing comes: only the log says so.
    DeltaTable(table).delete("id = 'a1'")
    assert subscribed(refreshed) == ["a0", "a2", "a3", "b"]
    assert compiled == [4, 1, 0]


def test_what_cannot_be_read_any_more_leaves_the_last_index(tmp_path):
    file = tmp_path / "subscriptions.jsonl"
    write_rows(file, ROWS)
    refreshed = following(file, tmp_path)
    before = subscribed(refreshed)
    file.write_text("nothing of the kind\n")
    assert subscribed(refreshed) == before
    assert "wanted at least one subscription" in refreshed.unrecorded_rejects()[0].reason
