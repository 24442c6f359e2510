"""Reports, beside what DuckDB counts in the same tables."""

from __future__ import annotations

from datetime import UTC, datetime

import duckdb
import pytest
from tests.pipeline.samples import EVENTS, SUBSCRIPTIONS, files_of, rows_of, write_rows

from triplewire.pipeline.jobs.questions.reporting import ReportRequest, report
from triplewire.testing.workloads import Row

pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture(scope="module")
def found(spark, lake, feed, tmp_path_factory):
    more = tmp_path_factory.mktemp("more") / "more.jsonl"
    write_rows(more, [Row("never", "sparql", "ASK { <urn:nobody> ?p ?o }"), Row("all", "sparql", "ASK { ?s ?p ?o }")])
    files = (str(feed / "subscriptions.jsonl"), str(more))
    request = ReportRequest(lake=str(lake), subscriptions=files, taxonomy=str(feed / "taxonomy.ttl"))
    return report(spark, request)


def test_what_fires_how_often(found, lake):
    counted = rows_of(lake, "notifications", "subscription")
    assert found.notifications == len(counted) > 100
    assert {row.subscription: row.events for row in found.fired} == {
        name: sum(other == (name,) for other in counted) for (name,) in counted
    }
    assert [row.events for row in found.fired] == sorted((row.events for row in found.fired), reverse=True)


def test_which_fire_together(found, lake):
    table = f"read_parquet({files_of(lake, 'notifications')})"
    pairs = duckdb.sql(
        f"select a.subscription, b.subscription, count(*) from {table} a join {table} b using (event) "
        "where a.subscription < b.subscription group by all order by 3 desc, 1, 2 limit 20"
    ).fetchall()
    assert [(row.first, row.second, row.events) for row in found.together] == pairs
    assert all(0 < row.share <= 1 for row in found.together)


def test_when(found, lake):
    assert (found.events, sum(bucket.events for bucket in found.over_time)) == (EVENTS, EVENTS)
    assert sum(bucket.notifications for bucket in found.over_time) == found.notifications
    assert sum(bucket.matched for bucket in found.over_time) == found.matched < EVENTS


def test_which_are_silent_and_what_each_costs(found):
    fired = {row.subscription for row in found.fired}
    costs = {cost.subscription: cost for cost in found.costs}
    assert len(costs) == SUBSCRIPTIONS + 2
    # It was not in the index of any run, whatever it matches.
    assert set(found.silent) == set(costs) - fired >= {"never", "all"}
    assert (costs["all"].candidates, costs["all"].matches, costs["all"].unindexed) == (EVENTS, EVENTS, True)
    assert (costs["never"].candidates, costs["never"].unindexed) == (0, False)
    assert all(costs[row.subscription].matches == row.events for row in found.fired)
    assert found.sample == EVENTS


def test_a_time_without_events_is_an_empty_report(spark, lake):
    empty = report(spark, ReportRequest(lake=str(lake), until=datetime(1990, 1, 1, tzinfo=UTC)))
    assert (empty.events, empty.fired, empty.together, empty.over_time) == (0, [], [], [])
    assert (empty.silent, empty.costs) == (None, None)
