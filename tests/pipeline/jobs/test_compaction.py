"""`compact`: parts and row groups for several tasks, and readers that stay undisturbed."""

from __future__ import annotations

import os
import time

import pyarrow.parquet as pq
import pytest
from tests.pipeline.samples import EVENTS, files_of, request_of, rows_of, write_rows

from triplewire.pipeline import open_table
from triplewire.pipeline.jobs import compaction, compaction_scope
from triplewire.pipeline.jobs.compaction import CompactRequest, compact
from triplewire.pipeline.jobs.matching import MatchRequest, match_files
from triplewire.pipeline.lake import table_writers
from triplewire.pipeline.lake.dataframes import uncompressed_bytes
from triplewire.pipeline.lake.event_lake import existing_lake
from triplewire.pipeline.storage.location import Location
from triplewire.testing.workloads import Row

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


class TestWhatIsNew:
    """Only what is new is rewritten, and what that touches."""

    def compacted(self, spark, lake, **others) -> dict[str, tuple[int, int]]:
        done = compact(spark, CompactRequest(lake=str(lake), **others)).tables
        return {entry.table: (entry.files_before, entry.files_after) for entry in done}

    @pytest.fixture
    def large_enough(self, monkeypatch):
        """Files that a compaction has left count as large, whatever they hold."""
        monkeypatch.setattr(compaction_scope, "ROWS_A_GROUP", 0)
        monkeypatch.setattr(compaction, "ROWS_A_GROUP", 0)

    def test_a_second_compaction_has_nothing_to_do(self, spark, own_lake):
        self.compacted(spark, own_lake)
        runs = rows_of(own_lake, "runs", "run")
        assert self.compacted(spark, own_lake) == {}
        assert rows_of(own_lake, "runs", "run") == runs
        assert set(self.compacted(spark, own_lake, full=True)) == {"events", "notifications", "quads"}

    def test_what_was_compacted_before_stays_as_it_is(self, spark, own_lake, tmp_path, large_enough):
        self.compacted(spark, own_lake)
        before = {table: set(files_of(own_lake, table)) for table in ("events", "notifications", "quads")}
        append(spark, own_lake, tmp_path, "new", "<urn:s> <urn:p> <urn:o> <urn:new> .\n")
        assert set(self.compacted(spark, own_lake)) == {"events", "notifications", "quads"}
        for table, files in before.items():
            assert files < set(files_of(own_lake, table))
        assert rows_of(own_lake, "quads", "subject, event")[-1] == ("<urn:s>", "urn:new")
        assert len(rows_of(own_lake, "events", "event")) == EVENTS + 1

    def test_an_event_that_comes_again_is_one_row_in_every_table(self, spark, feed, own_lake, large_enough):
        self.compacted(spark, own_lake)
        before = {table: rows_of(own_lake, table) for table in ("events", "notifications", "quads")}
        match_files(spark, request_of(feed, own_lake, run_id="again", append=True))
        self.compacted(spark, own_lake)
        assert {table: rows_of(own_lake, table) for table in before} == before

    def test_quads_alone_are_of_new_events_only(self, spark, feed, own_lake, tmp_path):
        self.compacted(spark, own_lake, tables=("quads",))
        before = rows_of(own_lake, "quads")
        match_files(spark, request_of(feed, own_lake, run_id="again", append=True))
        append(spark, own_lake, tmp_path, "new", "<urn:s> <urn:p> <urn:o> <urn:new> .\n")
        self.compacted(spark, own_lake, tables=("quads",))
        found = rows_of(own_lake, "quads")
        assert len(found) == len(before) + 1
        self.compacted(spark, own_lake)
        assert len(rows_of(own_lake, "quads")) == len(before) + 1

    def test_another_content_goes_from_every_table_however_old_the_files(self, spark, own_lake, tmp_path, large_enough):
        append(spark, own_lake, tmp_path, "a", "<urn:s> <urn:p> <urn:1> <urn:new> .\n")
        self.compacted(spark, own_lake)
        append(spark, own_lake, tmp_path, "b", "<urn:s> <urn:p> <urn:2> <urn:new> .\n")
        assert compact(spark, CompactRequest(lake=str(own_lake))).conflicts == 1
        found = [row for row in rows_of(own_lake, "quads", "event, object") if row[0] == "urn:new"]
        assert found == [("urn:new", "<urn:1>")]
        assert [row for row in rows_of(own_lake, "notifications", "event, run") if row[0] == "urn:new"] == [
            ("urn:new", "a")
        ]


def append(spark, lake, folder, run: str, text: str, days: int = 0) -> None:
    """One more run, of one event, so many days old, that is notified of."""
    (folder / f"{run}.nq").write_text(text)
    os.utime(folder / f"{run}.nq", (time.time() - 86_400 * days,) * 2)
    write_rows(folder / "every.jsonl", [Row("every", "sparql", "ASK { ?s <urn:p> ?o }")])
    asked = MatchRequest(
        events=(str(folder / f"{run}.nq"),),
        subscriptions=(str(folder / "every.jsonl"),),
        out=str(lake),
        append=True,
        run_id=run,
    )
    match_files(spark, asked)
