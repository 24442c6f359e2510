"""What jobs answer, beside SQL that somebody wrote by hand: DuckDB over the table `quads`, which knows no RDF."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import duckdb
import pytest
from tests.pipeline.samples import files_of, notified, request_of, rows_of, write_feed, write_rows

from triplewire.pipeline.jobs.compaction import CompactRequest, compact
from triplewire.pipeline.jobs.history import BackfillRequest, ReplayRequest, backfill, replay
from triplewire.pipeline.jobs.matching import match_files
from triplewire.pipeline.jobs.questions.asking import AskRequest, ask
from triplewire.testing.workloads import Row

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.system]

YEAR, CREATOR = "<http://example.org/year>", "<http://purl.org/dc/elements/1.1/creator>"
NUMBER = "try_cast(regexp_extract({}.object, '^\"(-?[0-9]+)\"', 1) as integer)"


class Case(NamedTuple):
    """What stands in GRAPH, what it shows, and the same as SQL over quads, with the event first."""

    group: str
    shown: str
    sql: str


CASES = {
    "recent": Case(
        f"?paper {YEAR} ?year FILTER(?year > 2005)",
        "?paper",
        f"select y.event, y.subject from quads y where y.predicate = '{YEAR}' and {NUMBER.format('y')} > 2005",
    ),
    "of somebody": Case(
        f"?paper {CREATOR} ?who ; {YEAR} ?year FILTER(?year < 2003 && CONTAINS(STR(?who), 'e'))",
        "?paper ?who",
        f"""select c.event, c.subject, c.object from quads c join quads y using (event, subject)
        where c.predicate = '{CREATOR}' and y.predicate = '{YEAR}' and {NUMBER.format("y")} < 2003
        and contains(regexp_extract(c.object, '^[<"](.*)[>"]', 1), 'e')""",
    ),
    "with or without": Case(
        f"?paper {YEAR} ?year OPTIONAL {{ ?paper {CREATOR} ?who }}",
        "?paper ?who",
        f"""select y.event, y.subject, c.object from quads y
        left join (select * from quads where predicate = '{CREATOR}') c using (event, subject)
        where y.predicate = '{YEAR}'""",
    ),
}


@pytest.fixture(scope="module")
def counted(spark, tmp_path_factory) -> Path:
    """A feed, and a lake with the cases as subscriptions and with `quads`."""
    folder = tmp_path_factory.mktemp("counted")
    write_feed(folder / "feed", events=400, files=3)
    rows = [Row(name, "sparql", f"SELECT {case.shown} {{ {case.group} }}") for name, case in CASES.items()]
    write_rows(folder / "cases.jsonl", rows)
    match_files(spark, request_of(folder / "feed", folder / "lake", subscriptions=(str(folder / "cases.jsonl"),)))
    compact(spark, CompactRequest(lake=str(folder / "lake"), tables=("quads",)))
    return folder


def by_sql(lake: Path, case: Case) -> Counter[tuple]:
    """The rows of a case, as often as they are there."""
    with duckdb.connect() as database:
        files = files_of(lake, "quads")
        database.execute(f"create view quads as select * from read_parquet({files}, union_by_name=true)")
        return Counter(database.execute(case.sql).fetchall())


def pairs(lake: Path) -> set[tuple[str, str]]:
    return {(name, row[0]) for name, case in CASES.items() for row in by_sql(lake, case)}


def test_match_notifies_where_sql_finds_something_with_as_many_solutions(counted):
    lake = counted / "lake"
    assert sorted(notified(lake)) == sorted(pairs(lake))
    assert min(Counter(name for name, _ in notified(lake)).values()) > 20
    solutions = rows_of(lake, "notifications", "subscription, event, len(solutions)")
    for name, case in CASES.items():
        found = Counter(row[0] for row in by_sql(lake, case).elements())
        assert found == {event: count for subscription, event, count in solutions if subscription == name}


def test_backfill_adds_the_same(spark, counted, tmp_path):
    write_rows(tmp_path / "none.jsonl", [Row("none", "sparql", "ASK { <urn:absent> ?p ?o }")])
    lake = tmp_path / "lake"
    match_files(spark, request_of(counted / "feed", lake, subscriptions=(str(tmp_path / "none.jsonl"),)))
    assert notified(lake) == []
    backfill(spark, BackfillRequest(lake=str(lake), subscriptions=(str(counted / "cases.jsonl"),)))
    assert sorted(notified(lake)) == sorted(pairs(counted / "lake"))


def test_replay_says_the_same(spark, counted, tmp_path):
    out = str(tmp_path / "out")
    request = ReplayRequest(lake=str(counted / "lake"), out=out, subscriptions=(str(counted / "cases.jsonl"),))
    replay(spark, request)
    assert sorted(notified(tmp_path / "out")) == sorted(pairs(counted / "lake"))


@pytest.mark.parametrize("name", CASES)
def test_ask_answers_the_same_rows_as_often(spark, counted, name):
    case = CASES[name]
    query = f"SELECT ?event {case.shown} {{ GRAPH ?event {{ {case.group} }} }}"
    answer = ask(spark, AskRequest(lake=str(counted / "lake"), query=query))
    assert Counter((row[0][1:-1], *row[1:]) for row in answer.rows) == by_sql(counted / "lake", case)
