"""`compact`: parts and row groups for several tasks, and readers that stay undisturbed."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest
from tests.pipeline.samples import EVENTS, files_of, rows_of

from triplewire.pipeline import open_table
from triplewire.pipeline.jobs import compaction
from triplewire.pipeline.jobs.compaction import CompactRequest, compact
from triplewire.pipeline.lake import table_writers
from triplewire.pipeline.lake.dataframes import uncompressed_bytes
from triplewire.pipeline.lake.event_lake import existing_lake
from triplewire.pipeline.storage.location import Location

pytestmark = pytest.mark.xdist_group("spark")


def test_a_table_becomes_several_parts_of_small_row_groups(spark, own_lake, monkeypatch):
    state = existing_lake(Location.of(own_lake)).state()
    monkeypatch.setattr(compaction, "_PART_BYTES", uncompressed_bytes(state, "events") // 3)
    before = rows_of(own_lake, "events")
    compact(spark, CompactRequest(lake=str(own_lake), tables=("events",)))
    parts = [pq.read_metadata(path) for path in files_of(own_lake, "events")]
    assert len(parts) >= 3
    assert sum(part.num_rows for part in parts) == EVENTS
    assert rows_of(own_lake, "events") == before


def test_row_groups_are_small_enough_for_a_task(tmp_path, monkeypatch):
    monkeypatch.setattr(table_writers, "ROWS_A_GROUP", 40)
    writer = table_writers.TableWriter(table_writers.Draft(Location.of(tmp_path), "x", "run"), "rejects")
    columns = ("file", "line", "event", "subscription", "reason")
    for number in range(10):
        rows = [dict(zip(columns, ("f", number, None, None, "why"), strict=True))] * 10
        writer.write(table_writers.pa.Table.from_pylist(rows, table_writers.SCHEMAS["rejects"]).drop(["run", "batch"]))
    part = writer.close()
    metadata = pq.read_metadata(tmp_path / "rejects" / part.path)
    assert [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)] == [40, 40, 20]


def test_a_table_that_is_open_stays_readable(spark, own_lake):
    table = open_table(spark, own_lake, "events")
    before = sorted(table.collect())
    compact(spark, CompactRequest(lake=str(own_lake)))
    assert sorted(table.collect()) == before
    assert len(rows_of(own_lake, "events", "event")) == EVENTS
