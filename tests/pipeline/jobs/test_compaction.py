"""`compact`: parts and row groups for several tasks, and readers that stay undisturbed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.pipeline.samples import EVENTS, rows_of

from triplewire.pipeline import open_table
from triplewire.pipeline.jobs import compaction
from triplewire.pipeline.jobs.compaction import CompactRequest, compact
from triplewire.pipeline.lake import dataframes

pytestmark = pytest.mark.xdist_group("spark")


def test_a_table_becomes_several_parts_of_small_row_groups(spark, own_lake, monkeypatch):
    size = dataframes.uncompressed_bytes(dataframes.Lake(own_lake), "events")
    monkeypatch.setattr(compaction, "_PART_BYTES", size // 3)
    monkeypatch.setattr(dataframes, "ROWS_A_GROUP", 40)
    before = rows_of(own_lake, "events")
    compact(spark, CompactRequest(lake=str(own_lake), tables=("events",)))
    parts = [pq.read_metadata(path) for path in (own_lake / "events").glob("*.parquet")]
    groups = [part.row_group(number).num_rows for part in parts for number in range(part.num_row_groups)]
    assert len(parts) >= 3
    assert (sum(groups), max(groups)) == (EVENTS, 40)
    assert rows_of(own_lake, "events") == before
    assert spark.read.parquet(str(own_lake / "events")).rdd.getNumPartitions() > 1


def test_a_table_that_is_open_stays_readable_until_its_time_is_over(spark, own_lake):
    table = open_table(spark, own_lake, "events")
    before = sorted(table.collect())
    assert compact(spark, CompactRequest(lake=str(own_lake))).removed == 0
    assert sorted(table.collect()) == before
    assert len(rows_of(own_lake, "events", "event")) == EVENTS
    for record in (own_lake / "_triplewire" / "commits").glob("compact-*.json"):
        os.utime(record, (time.time() - 8 * 86_400,) * 2)
    again = compact(spark, CompactRequest(lake=str(own_lake), tables=("rejects",)))
    assert again.removed >= 1
    assert len(rows_of(own_lake, "events", "event")) == EVENTS
    kept = {path.relative_to(own_lake / "_triplewire" / "files") for path in _files(own_lake / "_triplewire" / "files")}
    assert kept == {path.relative_to(own_lake) for path in _files(own_lake) if path.parts[-3] != "files"}


def _files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.parquet"))
