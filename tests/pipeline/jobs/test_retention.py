"""What goes from a lake: rows by their time, files and indexes when nobody needs them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from tests.pipeline.jobs.test_compaction import append
from tests.pipeline.samples import EVENTS, files_of, rows_of, written_files

from triplewire.pipeline import open_table
from triplewire.pipeline.jobs.compaction import CompactRequest, compact
from triplewire.pipeline.jobs.retention import RetainRequest, VacuumRequest, retain, vacuum

pytestmark = pytest.mark.xdist_group("spark")


def test_what_was_replaced_goes_when_its_time_is_over(spark, own_lake):
    table = open_table(spark, own_lake, "events")
    compact(spark, CompactRequest(lake=str(own_lake)))
    orphan = own_lake / "events" / "killed-once-00000000" / "00000-0.parquet"
    orphan.parent.mkdir()
    orphan.touch()
    index = own_lake / "_triplewire" / "indexes" / "0123456789abcdef"
    index.mkdir()
    (index / "index.json").touch()
    assert vacuum(VacuumRequest(lake=str(own_lake))).files == 0
    assert table.count() == EVENTS
    done = vacuum(VacuumRequest(lake=str(own_lake), keep_hours=0))
    assert (done.files > 2, done.indexes) == (True, 1)
    assert not orphan.exists()
    tables = ("events", "notifications", "quads", "rejects", "runs")
    assert {str(path) for path in written_files(own_lake)} == {
        path for name in tables for path in files_of(own_lake, name)
    }
    assert len(rows_of(own_lake, "events", "event")) == EVENTS
    assert len(list((own_lake / "_triplewire" / "indexes").glob("[0-9a-f]*"))) == 1


def test_events_that_are_too_old_go_with_all_that_came_of_them(spark, own_lake, tmp_path):
    cut = datetime.now(UTC) - timedelta(days=1_000)
    append(spark, own_lake, tmp_path, "recent", "<urn:s> <urn:p> <urn:o> <urn:recent> .\n")
    compact(spark, CompactRequest(lake=str(own_lake)))
    assert retain(spark, RetainRequest(lake=str(own_lake), older_than=cut)).removed == {}
    append(spark, own_lake, tmp_path, "old", "<urn:s> <urn:p> <urn:o> <urn:old> .\n", days=2_000)
    compact(spark, CompactRequest(lake=str(own_lake)))
    done = retain(spark, RetainRequest(lake=str(own_lake), older_than=cut))
    assert done.removed == {"events": 1, "notifications": 1, "quads": 1}
    for table in ("events", "notifications", "quads"):
        assert "urn:old" not in {event for (event,) in rows_of(own_lake, table, "event")}
    assert len(rows_of(own_lake, "events", "event")) == EVENTS + 1
    assert "old" in {run for (run,) in rows_of(own_lake, "runs", "run")}
