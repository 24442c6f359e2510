"""Rules over a lake's history: in the order of time, beside the same events one by one; and nothing is written."""

from __future__ import annotations

import os

import duckdb
import pytest
from tests.pipeline.jobs.questions.test_rule_replay import EX, RULES, TEXT, TYPE
from tests.pipeline.samples import write_rows

from triplewire.errors import InputError
from triplewire.pipeline.jobs.matching import MatchRequest, match_files
from triplewire.pipeline.jobs.questions.rules_dry_run import RulesRequest, dry_run
from triplewire.testing.workloads import Row

pytestmark = pytest.mark.xdist_group("spark")

# The title comes before its book: by time it is the other way round.
FILES = {
    "a.nq": (2_000, f'<urn:b> <{EX}title> "Logic" <urn:e:title> .\n'),
    "b.nq": (1_000, f"<urn:b> {TYPE} <{EX}Book> <urn:e:book> .\n"),
    "c.nq": (3_000, f'<urn:b> <{EX}title> "Sets" <urn:e:more> .\n<urn:s> <urn:p> <urn:o> <urn:e:other> .\n'),
    "d.nq": (4_000, f'<urn:x> <{EX}title> "Nowhere" <urn:e:stranger> .\n'),
}


@pytest.fixture(scope="module")
def history(spark, tmp_path_factory):
    folder = tmp_path_factory.mktemp("history")
    (folder / "events").mkdir()
    for name, (time, text) in FILES.items():
        (folder / "events" / name).write_text(text)
        os.utime(folder / "events" / name, (time, time))
    write_rows(folder / "s.jsonl", [Row("all", "sparql", "ASK { ?s ?p ?o }")])
    out = folder / "lake"
    files = {"events": (str(folder / "events"),), "subscriptions": (str(folder / "s.jsonl"),)}
    match_files(spark, MatchRequest(**files, out=str(out)))
    (folder / "schema.ttl").write_text(TEXT)
    # A rule that a book triggers by its class, so that the book is taken.
    (folder / "rules.rdftl").write_text(
        RULES + "RULE books ON INSERT resource() AS INSTANCE OF ex:Book IF True DO INSERT ($delta, ex:note, 'book');;"
    )
    return folder


def request_of(history, **others) -> RulesRequest:
    files = {"rules": str(history / "rules.rdftl"), "schema": str(history / "schema.ttl")}
    return RulesRequest(lake=str(history / "lake"), **files, **others)


def test_what_rules_would_have_done(spark, history, tmp_path):
    before = sorted(path for path in (history / "lake").rglob("*") if path.is_file())
    found = dry_run(spark, request_of(history, out=str(tmp_path / "units")))
    assert (found.events, found.applied, found.refused) == (5, 3, 1)
    fired = {row.rule: (row.listens, row.fired) for row in found.rules}
    assert fired == {"notes": (True, 2), "counts": (True, 1), "books": (True, 1), "ends": (False, 0)}
    assert [event for event, _ in found.reasons] == ["urn:e:stranger"]
    assert len(found.inserted) == 6
    units = duckdb.sql(f"select event, rule from '{tmp_path}/units/*.parquet' order by \"order\"").fetchall()
    assert [row for row in units if row[1] is None][:3] == [
        ("urn:e:book", None),
        ("urn:e:title", None),
        ("urn:e:more", None),
    ]
    assert sorted(path for path in (history / "lake").rglob("*") if path.is_file()) == before


def test_rules_that_no_event_can_trigger_are_refused(spark, history, tmp_path):
    rule = "ON DELETE (_, ex:title, _) IF True DO DELETE (_, ex:note, _);;"
    (tmp_path / "none.rdftl").write_text(f"USING NAMESPACE ex http://example.org/\n{rule}")
    request = RulesRequest(
        lake=str(history / "lake"), rules=str(tmp_path / "none.rdftl"), schema=str(history / "schema.ttl")
    )
    with pytest.raises(InputError, match="at least one rule ON INSERT"):
        dry_run(spark, request)
