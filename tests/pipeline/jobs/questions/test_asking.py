"""Questions to a lake, beside Oxigraph over its payloads: whatever `quads` has and lacks, in every form of answer."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import duckdb
import pytest
from pyoxigraph import DefaultGraph, Quad, RdfFormat, Store, parse
from tests.pipeline.asking.answers import bound
from tests.pipeline.samples import EVENTS, request_of, rows_of

from triplewire.errors import InputError, SyntaxProblem
from triplewire.pipeline.jobs.compaction import CompactRequest, compact
from triplewire.pipeline.jobs.matching import match_files
from triplewire.pipeline.jobs.questions.asking import AskRequest, ask, write_answer

pytestmark = pytest.mark.xdist_group("spark")

JOINED = """PREFIX dc: <http://purl.org/dc/elements/1.1/>
SELECT ?event ?paper ?creator ?year {
  GRAPH ?event { ?paper dc:creator ?creator }
  ?paper <http://example.org/year> ?year FILTER(?year > 2000 && STRLEN(STR(?creator)) > 3)
}"""
COUNTED = "SELECT (COUNT(*) AS ?n) (COUNT(DISTINCT ?g) AS ?events) { GRAPH ?g { ?s ?p ?o } }"


def store_of(lake) -> Store:
    """The events of a lake, as a node's repository keeps them."""
    store = Store()
    for (payload,) in rows_of(lake, "events", "payload"):
        for quad in parse(payload, format=RdfFormat.N_QUADS):
            store.add(quad)
            store.add(Quad(quad.subject, quad.predicate, quad.object, DefaultGraph()))
    return store


def asked(spark, lake, query, **others) -> Counter:
    answer = ask(spark, AskRequest(lake=str(lake), query=query, **others))
    return Counter(bound(answer.names, row) for row in answer.rows)


def expected(lake, query) -> Counter:
    found = store_of(lake).query(query)
    names = [variable.value for variable in found.variables]
    return Counter(bound(names, row) for row in found)


def test_a_lake_answers_as_a_store_of_its_events(spark, lake):
    found = asked(spark, lake, JOINED)
    assert found == expected(lake, JOINED)
    assert found.total() > 20


def test_events_that_came_after_the_compaction_count_as_those_before(spark, feed, own_lake, tmp_path):
    compact(spark, CompactRequest(lake=str(own_lake), tables=("quads",)))
    (tmp_path / "new.nq").write_text("<urn:s> <urn:p> <urn:o> <urn:new> .\n")
    match_files(spark, request_of(feed, own_lake, events=(str(tmp_path / "new.nq"),), append=True))
    # A second run brings an event that the table has already.
    match_files(spark, request_of(feed, own_lake, run_id="again", append=True))
    assert asked(spark, own_lake, COUNTED) == expected(own_lake, COUNTED)
    [solution] = ask(spark, AskRequest(lake=str(own_lake), query=COUNTED)).solutions()
    assert solution["events"].value == str(EVENTS + 1)


def test_a_time_leaves_the_events_of_that_time(spark, lake):
    [(last,)] = rows_of(lake, "events", "max(time)")
    for since, events in ((last, 1), (last + timedelta(days=1), 0)):
        [solution] = ask(spark, AskRequest(lake=str(lake), query=COUNTED, since=since)).solutions()
        assert (int(solution["events"].value) > 0) == bool(events)
    before = datetime(1990, 1, 1, tzinfo=UTC)
    assert ask(spark, AskRequest(lake=str(lake), query="ASK { ?s ?p ?o }", until=before)) is False


def test_order_offset_and_limit(spark, lake):
    query = "SELECT DISTINCT ?y { ?x <http://example.org/year> ?y } ORDER BY DESC(?y)"
    whole = ask(spark, AskRequest(lake=str(lake), query=query)).rows
    assert len(whole) > 4
    assert [int(row["y"].value) for row in store_of(lake).query(query)] == [
        int(row["y"].value) for row in ask(spark, AskRequest(lake=str(lake), query=query)).solutions()
    ]
    assert ask(spark, AskRequest(lake=str(lake), query=f"{query} LIMIT 2 OFFSET 1")).rows == whole[1:3]
    assert len(ask(spark, AskRequest(lake=str(lake), query=JOINED, limit=3)).rows) == 3


def test_tasks_write_parquet(spark, lake, tmp_path):
    out = str(tmp_path / "answer")
    write_answer(spark, AskRequest(lake=str(lake), query=JOINED), out)
    table = duckdb.sql(f"select event, paper, creator, year from '{out}/*.parquet'")
    names = ("event", "paper", "creator", "year")
    assert Counter(bound(names, row) for row in table.fetchall()) == expected(lake, JOINED)
    with pytest.raises(InputError, match="found files in it"):
        write_answer(spark, AskRequest(lake=str(lake), query=JOINED), out)
    with pytest.raises(InputError, match="found that of an ASK"):
        write_answer(spark, AskRequest(lake=str(lake), query="ASK {}"), str(tmp_path / "no"))


def test_a_construct_makes_each_triple_once_and_blank_nodes_anew(spark, lake):
    query = "CONSTRUCT { ?x <urn:in> ?y . _:b <urn:of> ?x } { ?x <http://example.org/year> ?y }"
    made = ask(spark, AskRequest(lake=str(lake), query=query)).triples()
    kept = [triple for triple in made if triple.predicate.value == "urn:in"]
    assert len(set(kept)) == len(kept)
    assert len({triple.subject for triple in made if triple.predicate.value == "urn:of"}) == len(made) - len(kept)


def test_what_is_no_query_is_refused_before_any_work(spark, lake):
    with pytest.raises(SyntaxProblem):
        ask(spark, AskRequest(lake=str(lake), query="SELECT ?x {"))
