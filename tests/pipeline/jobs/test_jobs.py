"""The jobs, on one shared session: what the lake holds is what the matcher says, whatever way it took."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pipeline.samples import EVENTS, expected, files_of, notified, request_of, rows_of, write_rows

from triplewire import Subscription
from triplewire.algebra.advertisements.advertisement import Advertisement
from triplewire.algebra.reasoning.covering import explain_covers
from triplewire.errors import LakeError
from triplewire.pipeline import match, register
from triplewire.pipeline.jobs.compaction import CompactRequest, compact
from triplewire.pipeline.jobs.history import BackfillRequest, ReplayRequest, backfill, replay
from triplewire.pipeline.jobs.matching import match_files
from triplewire.pipeline.jobs.profiling import ProfileRequest, profile
from triplewire.pipeline.sources.options import ReadOptions
from triplewire.testing.workloads import Row

TASKS_WRITE = ("events", "notifications")

pytestmark = pytest.mark.xdist_group("spark")


class TestMatch:
    def test_the_lake_holds_what_the_matcher_says(self, lake, feed):
        found = notified(lake)
        assert set(found) == expected(feed)
        assert len(found) == len(set(found)) > 100

    def test_events_are_kept_in_canonical_text(self, lake):
        payloads = [payload for (payload,) in rows_of(lake, "events", "payload")]
        assert len(payloads) == EVENTS
        assert all(payload.splitlines() == sorted(payload.splitlines()) for payload in payloads)

    def test_the_run_is_recorded(self, lake):
        [(run, events, matches, rejects, subscriptions)] = rows_of(
            lake, "runs", "run, events, matches, rejects, subscriptions"
        )
        assert (run, events, matches, rejects, subscriptions) == ("first", EVENTS, len(notified(lake)), 0, 60)

    def test_the_same_run_again_changes_nothing(self, spark, feed, own_lake):
        before = notified(own_lake)
        assert match_files(spark, request_of(feed, own_lake, run_id="first")).repeated
        assert notified(own_lake) == before

    def test_another_run_is_refused_and_appending_is_not(self, spark, feed, own_lake):
        with pytest.raises(LakeError, match="found data of first"):
            match_files(spark, request_of(feed, own_lake, run_id="second"))
        match_files(spark, request_of(feed, own_lake, run_id="second", append=True))
        assert len(notified(own_lake)) == 2 * len(expected(feed))

    @pytest.mark.slow
    @pytest.mark.parametrize("strategy", ["osma", "csma", "auto"])
    def test_every_strategy_fills_the_same_lake(self, spark, feed, tmp_path, lake, strategy):
        match_files(spark, request_of(feed, tmp_path / "lake", strategy=strategy))
        assert notified(tmp_path / "lake") == notified(lake)
        assert rows_of(tmp_path / "lake", "events", "event, payload") == rows_of(lake, "events", "event, payload")

    def test_auto_lets_tasks_read_the_files_where_the_whole_index_fits(self, spark, feed, tmp_path, lake):
        match_files(spark, request_of(feed, tmp_path / "lake", strategy="auto"))
        assert notified(tmp_path / "lake") == notified(lake)
        assert rows_of(tmp_path / "lake", "runs", "strategy") == [("replicate",)]
        # The tasks that read the files write both tables.
        written = [{Path(path).name[:5] for path in files_of(tmp_path / "lake", name)} for name in TASKS_WRITE]
        assert written[0] == written[1]


class TestHistory:
    def test_a_backfill_adds_what_is_lacking_and_nothing_twice(self, spark, own_lake, tmp_path):
        write_rows(tmp_path / "new.jsonl", [Row("new", "sparql", "ASK { ?s ?p ?o }")])
        asked = BackfillRequest(lake=str(own_lake), subscriptions=(str(tmp_path / "new.jsonl"),))
        assert backfill(spark, asked).run.matches == EVENTS
        assert backfill(spark, asked).run.matches == 0
        assert sum(name == "new" for name, _ in notified(own_lake)) == EVENTS

    def test_a_replay_by_the_recorded_index_gives_the_same_answer(self, spark, lake, tmp_path):
        [(index,)] = rows_of(lake, "runs", "index")
        replay(spark, ReplayRequest(lake=str(lake), out=str(tmp_path / "out"), index=index))
        columns = "subscription, event, time, solutions, lane"
        assert rows_of(tmp_path / "out", "notifications", columns) == rows_of(lake, "notifications", columns)

    def test_a_replay_under_other_subscriptions(self, spark, lake, tmp_path):
        write_rows(tmp_path / "new.jsonl", [Row("new", "sparql", "ASK { ?s ?p ?o }")])
        asked = ReplayRequest(lake=str(lake), out=str(tmp_path / "out"), subscriptions=(str(tmp_path / "new.jsonl"),))
        assert replay(spark, asked).run.matches == EVENTS

    def test_an_index_that_no_run_has_used_is_refused(self, spark, lake, tmp_path):
        with pytest.raises(LakeError, match="wanted the index 0123"):
            replay(spark, ReplayRequest(lake=str(lake), out=str(tmp_path / "out"), index="0123"))

    def test_compaction_keeps_every_row_once_and_sorts_quads(self, spark, feed, own_lake):
        before, events = notified(own_lake), rows_of(own_lake, "events", "event, payload")
        match_files(spark, request_of(feed, own_lake, run_id="again", append=True))
        done = {entry.table: entry for entry in compact(spark, CompactRequest(lake=str(own_lake))).tables}
        assert notified(own_lake) == before
        assert rows_of(own_lake, "events", "event, payload") == events
        assert (done["events"].files_after, done["notifications"].files_after) == (1, 1)
        quads = b"".join(payload for _, payload in events).count(b"\n")
        assert len(rows_of(own_lake, "quads")) == quads
        [path] = files_of(own_lake, "quads")
        import duckdb

        order = duckdb.sql(f"select predicate, object, subject from '{path}'").fetchall()
        assert order == sorted(order, key=lambda row: [text.encode() for text in row])


class TestProfile:
    def test_the_advertisements_cover_what_was_published(self, spark, feed, tmp_path):
        report = profile(spark, ProfileRequest(out=str(tmp_path), events=(str(feed / "events"),)))
        assert report.events == EVENTS
        assert (tmp_path / "profile.png").stat().st_size > 1_000
        values = Advertisement.parse(tmp_path / "advertisements" / "all-values.ttl")
        year = "http://example.org/year"
        inside = Subscription.parse(f"SELECT ?x {{ ?x <{year}> ?y FILTER(?y > 2000) }}")
        outside = Subscription.parse(f"SELECT ?x {{ ?x <{year}> ?y FILTER(?y > 3000) }}")
        assert explain_covers(values, inside).holds
        assert not explain_covers(values, outside).holds
        assert {entry.name for entry in report.properties} >= {year, "http://purl.org/dc/elements/1.1/creator"}


class TestDataSource:
    def test_rows_of_events_and_their_matches(self, spark, feed, tmp_path, lake):
        register(spark)
        rows = spark.read.format("triplewire").option("splitBytes", "20000").load(str(feed / "events"))
        assert rows.columns == ["event", "source", "time", "payload"]
        assert rows.rdd.getNumPartitions() > 3
        [(version,)] = rows_of(lake, "runs", "index")
        found = match(rows, lake / "_triplewire" / "indexes" / version).select("subscription", "event").collect()
        assert {tuple(row) for row in found} == expected(feed)

    def test_bad_input_by_mode(self, spark, tmp_path):
        register(spark)
        (tmp_path / "a.nq").write_text("<urn:s> <urn:p> <urn:o> <urn:e> .\nnonsense\n")
        reader = spark.read.format("triplewire")
        assert reader.option("mode", "DROPMALFORMED").load(str(tmp_path)).count() == 1
        kept = reader.option("mode", "PERMISSIVE").load(str(tmp_path)).where("problem is not null").collect()
        assert kept[0].problem.startswith("line 2: ")
        from pyspark.errors import PySparkException

        with pytest.raises(PySparkException, match=r"a\.nq:2"):
            reader.option("mode", "FAILFAST").load(str(tmp_path)).collect()


@pytest.mark.parametrize("strategy", ["replicate", "osma"])
def test_the_time_of_events_and_notifications_is_that_of_a_property(spark, tmp_path, strategy):
    year = '"2004"^^<http://www.w3.org/2001/XMLSchema#gYear>'
    (tmp_path / "dated.nq").write_text(
        f"<urn:s> <urn:year> {year} <urn:dated> .\n<urn:s> <urn:p> <urn:o> <urn:not> .\n"
    )
    (tmp_path / "every.rq").write_text("ASK { ?s ?p ?o }")
    asked = {"events": (str(tmp_path / "dated.nq"),), "subscriptions": (str(tmp_path / "every.rq"),), "taxonomy": None}
    reading = ReadOptions(event_time="urn:year")
    match_files(spark, request_of(tmp_path, tmp_path / "lake", **asked, reading=reading, strategy=strategy))
    for table in ("events", "notifications"):
        found = dict(rows_of(tmp_path / "lake", table, "event, year(time)"))
        assert (found["urn:dated"], found["urn:not"] > 2004) == (2004, True)
