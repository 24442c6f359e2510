"""An index that is made from the one before answers as one that is made from nothing, and little is compiled for it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triplewire import Matcher, Subscription
from triplewire.pipeline.index import IndexRef, index_at, version_of
from triplewire.pipeline.indexing.building import PendingIndex, compile_changes, put_in_place
from triplewire.pipeline.indexing.rows import SCHEMA
from triplewire.testing import workloads
from triplewire.testing.workloads import Row

FEED = workloads.library(120, 30)
ROWS = list(FEED.rows())
EVENTS = FEED.nquads()
QUERY = "ASK {{ ?s <urn:p{}> ?o }}"


def table_of(rows: list[Row], owner: str | None = None) -> pa.Table:
    entries = [{**row._asdict(), "owner": owner, "file": "f", "source": f"f {row.id}", "place": 1} for row in rows]
    return pa.Table.from_pylist(entries, SCHEMA)


def build(rows: list[Row] | pa.Table, root: Path) -> tuple[IndexRef, PendingIndex]:
    pending = compile_changes(None, rows if isinstance(rows, pa.Table) else table_of(rows), root)
    return put_in_place(pending, None, root), pending


def answers(index: IndexRef) -> list[tuple[str, str, str]]:
    found = Matcher.open(index.snapshot).match_nquads(EVENTS)
    return sorted((m.subscription_id, m.event.graph.value, str(list(m.solutions))) for m in found)


def added(rows: list[Row]) -> Matcher:
    matcher = Matcher()
    for row in rows:
        matcher.add(Subscription.parse(row.text, row.language, id=row.id))
    return matcher


def same_as_from_nothing(index: IndexRef, rows: list[Row]) -> None:
    matcher = added(rows)
    opened = Matcher.open(index.snapshot)
    assert index.version == version_of(matcher.subscriptions, None)
    assert index.subscriptions == len(rows)
    assert sorted(map(key, opened.subscriptions)) == sorted(map(key, matcher.subscriptions))
    expected = matcher.match_nquads(EVENTS)
    assert answers(index) == sorted((m.subscription_id, m.event.graph.value, str(list(m.solutions))) for m in expected)


def key(subscription: Subscription) -> tuple[str, str, str]:
    return subscription.id, subscription.language, subscription.text


def test_from_nothing(tmp_path):
    index, pending = build(ROWS, tmp_path)
    assert pending.looked_at == len(ROWS)
    same_as_from_nothing(index, ROWS)


def test_the_same_rows_in_another_order_are_the_same_index(tmp_path):
    index, _ = build(ROWS, tmp_path)
    again, pending = build(ROWS[::-1], tmp_path)
    assert (again, pending.looked_at) == (index, 0)


@settings(max_examples=25)
@given(st.data())
def test_any_change_is_compiled_alone_and_answers_as_from_nothing(tmp_path_factory, data):
    root = tmp_path_factory.mktemp("indexes")
    rows = dict(enumerate(ROWS[:60]))
    build(list(rows.values()), root)
    for _ in range(2):
        gone = data.draw(st.sets(st.sampled_from(sorted(rows)), max_size=4))
        changed = data.draw(st.sets(st.sampled_from(sorted(rows)), max_size=4)) - gone
        more = data.draw(st.integers(0, 8))
        before = dict(rows)
        rows = {n: row for n, row in rows.items() if n not in gone}
        rows |= {n: Row(rows[n].id, "sparql", QUERY.format(n)) for n in changed}
        rows |= {n: ROWS[n] for n in range(60, 60 + more)}
        index, pending = build(list(rows.values()), root)
        assert pending.looked_at == sum(before.get(n) != row for n, row in rows.items())
        same_as_from_nothing(index, list(rows.values()))


def test_where_more_has_changed_than_stayed_all_is_compiled(tmp_path):
    build(ROWS, tmp_path)
    _, pending = build([*ROWS[:20], *(Row(f"n{n}", "sparql", QUERY.format(n)) for n in range(30))], tmp_path)
    assert pending.looked_at == 50


@pytest.mark.parametrize(
    "change", [{"language": "graph", "text": "?s <urn:p> ?o"}, {"owner": "somebody"}, {"text": QUERY.format(7)}]
)
def test_a_language_an_owner_or_a_text_is_a_change(tmp_path, change):
    rows = table_of([Row(f"s{n}", "sparql", QUERY.format(n)) for n in range(10)])
    first, _ = build(rows, tmp_path)
    entries = rows.to_pylist()
    entries[3] |= change
    index, pending = build(pa.Table.from_pylist(entries, SCHEMA), tmp_path)
    assert (pending.looked_at, pending.change.removed) == (1, ["s3"])
    assert index.version != first.version
    [found] = [s for s in Matcher.open(index.snapshot).subscriptions if s.id == "s3"]
    expected = {"language": "sparql", "text": QUERY.format(3), "owner": None} | change
    assert {name: getattr(found, name) for name in expected} == expected


def test_no_owner_and_an_empty_one_are_the_same(tmp_path):
    rows = [Row("s", "sparql", QUERY.format(1)), Row("t", "sparql", QUERY.format(2))]
    build(table_of(rows), tmp_path)
    _, pending = build(table_of(rows, owner=""), tmp_path)
    assert pending.looked_at == 0


def test_what_is_refused_is_left_out_and_looked_at_each_time(tmp_path):
    bad = [Row("bad", "sparql", "ASK { ?x"), Row("worse", "klingon", "")]
    index, pending = build([*ROWS[:40], *bad], tmp_path)
    assert [problem.reject.subscription for problem in pending.refused] == ["bad", "worse"]
    assert pending.refused[0].reject.reason.startswith("f bad:")
    assert pending.subscriptions == 40
    same_as_from_nothing(index, ROWS[:40])
    again, pending = build([*ROWS[:40], *bad], tmp_path)
    assert (again, pending.looked_at, len(pending.refused)) == (index, 2, 2)


def test_a_damaged_index_is_not_built_upon(tmp_path):
    index, _ = build(ROWS, tmp_path)
    (index.snapshot / "manifest.json").write_bytes(b"{}")
    changed, pending = build(ROWS[1:], tmp_path)
    assert pending.looked_at == len(ROWS) - 1
    same_as_from_nothing(changed, ROWS[1:])


def test_one_that_says_nothing_of_itself_is_passed_over(tmp_path):
    index, _ = build(ROWS, tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "index.json").write_bytes(b"not JSON")
    (tmp_path / "newer").mkdir()
    (tmp_path / "newer" / "index.json").write_bytes(msgspec.json.encode(msgspec.structs.replace(index, format=99)))
    assert build(ROWS, tmp_path)[0] == index == index_at(index.folder)
