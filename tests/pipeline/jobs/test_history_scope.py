"""History is searched by `quads`: the answers are those of matching everything, and what cannot matter is not read."""

from __future__ import annotations

import shutil

import pytest
from tests.pipeline.jobs.test_compaction import append
from tests.pipeline.samples import EVENTS, notified, rows_of, write_rows

from triplewire import Subscription
from triplewire.pipeline.jobs import history_scope
from triplewire.pipeline.jobs.compaction import CompactRequest, compact
from triplewire.pipeline.jobs.history import BackfillRequest, ReplayRequest, backfill, replay
from triplewire.pipeline.jobs.history_scope import QuadPattern, candidates, selective_cores
from triplewire.pipeline.lake.event_lake import existing_lake
from triplewire.pipeline.lake.states import LakeState
from triplewire.pipeline.storage.location import Location
from triplewire.testing.workloads import Row

pytestmark = pytest.mark.xdist_group("spark")

YEAR = "http://example.org/year"


def subscription(text: str) -> Subscription:
    return Subscription.parse(text, id="s")


@pytest.fixture(scope="module")
def sorted_lake(spark, lake, tmp_path_factory):
    """A lake whose quads are sorted, and one event more, whose quads are lacking."""
    folder = tmp_path_factory.mktemp("sorted")
    shutil.copytree(lake, folder / "lake")
    compact(spark, CompactRequest(lake=str(folder / "lake")))
    append(spark, folder / "lake", folder, "later", "<urn:s> <urn:p> <urn:o> <urn:later> .\n")
    return folder / "lake"


def state_of(lake) -> LakeState:
    return existing_lake(Location.of(lake)).state()


class TestWhatIsRequired:
    def test_patterns_that_fix_a_predicate_and_an_end(self):
        asked = subscription("SELECT ?s { ?s <urn:p> <urn:o> ; <urn:q> ?x . <urn:a> <urn:r> ?x }")
        assert set(selective_cores([asked])[0]) == {
            QuadPattern(None, "<urn:p>", "<urn:o>"),
            QuadPattern("<urn:a>", "<urn:r>", None),
        }

    def test_every_alternative_needs_one(self):
        both = "ASK { { ?s <urn:p> <urn:o> } UNION { ?s <urn:q> %s } }"
        assert len(selective_cores([subscription(both % "<urn:x>")])) == 2
        assert selective_cores([subscription(both % "?x")]) is None

    @pytest.mark.parametrize("text", ["ASK { ?s ?p ?o }", "ASK { ?s <urn:p> ?o }", "ASK { ?s ?p <urn:o> }"])
    def test_what_is_too_little(self, text):
        assert selective_cores([subscription(text)]) is None

    def test_more_than_is_worth_it(self, monkeypatch):
        monkeypatch.setattr(history_scope, "_MOST_PATTERNS", 1)
        many = [subscription(f"ASK {{ ?s <urn:p> <urn:{n}> }}") for n in range(2)]
        assert selective_cores(many) is None


def values_of(lake, predicate: str) -> list[tuple[str, str]]:
    rows = rows_of(lake, "quads", "predicate, object, event")
    return [(value, event) for name, value, event in rows if name == f"<{predicate}>"]


class TestCandidates:
    def test_are_events_that_have_such_quads_and_those_whose_quads_are_lacking(self, spark, sorted_lake, monkeypatch):
        monkeypatch.setattr(history_scope, "_LARGEST_SHARE", 1.0)
        values = values_of(sorted_lake, YEAR)
        wanted = values[0][0]
        asked = [subscription(f"SELECT ?s {{ ?s <{YEAR}> {wanted} }}")]
        state = state_of(sorted_lake)
        found = candidates(spark, state, asked, state.files("events")).select("event").collect()
        assert {row.event for row in found} == {event for value, event in values if value == wanted} | {"urn:later"}

    def test_are_none_if_they_are_too_many(self, spark, sorted_lake, monkeypatch):
        monkeypatch.setattr(history_scope, "_LARGEST_SHARE", 0.0)
        state = state_of(sorted_lake)
        asked = [subscription(f"SELECT ?s {{ ?s <{YEAR}> {values_of(sorted_lake, YEAR)[0][0]} }}")]
        assert candidates(spark, state, asked, state.files("events")) is None

    def test_need_sorted_quads(self, spark, lake):
        state = state_of(lake)
        asked = [subscription("ASK { ?s <urn:p> <urn:o> }")]
        assert candidates(spark, state, asked, state.files("events")) is None


def test_a_selective_backfill_finds_what_matching_everything_finds(spark, sorted_lake, tmp_path, monkeypatch):
    monkeypatch.setattr(history_scope, "_LARGEST_SHARE", 1.0)
    wanted = values_of(sorted_lake, YEAR)[0][0]
    asked = [
        Row("year", "sparql", f"SELECT ?s {{ ?s <{YEAR}> {wanted} }}"),
        Row("p", "sparql", "ASK { ?s <urn:p> <urn:o> }"),
    ]
    write_rows(tmp_path / "new.jsonl", asked)
    new = (str(tmp_path / "new.jsonl"),)
    shutil.copytree(sorted_lake, tmp_path / "lake")
    run = backfill(spark, BackfillRequest(lake=str(tmp_path / "lake"), subscriptions=new)).run
    assert run.events == EVENTS + 1
    monkeypatch.setattr(history_scope, "_MOST_PATTERNS", 0)
    replay(spark, ReplayRequest(lake=str(sorted_lake), out=str(tmp_path / "all"), subscriptions=new))
    found = [pair for pair in notified(tmp_path / "lake") if pair[0] in ("year", "p")]
    assert found == notified(tmp_path / "all")
    assert ("p", "urn:later") in found
    assert len(found) == run.matches > 1
