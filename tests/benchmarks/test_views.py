"""The views benchmark measures what it says: each update touches one view, and whoever tells otherwise is found out."""

from __future__ import annotations

from itertools import pairwise

import pytest
from benchmarks.rivals.rerunning import Rerunning, Told
from benchmarks.views.alone import alone, beside, filled
from benchmarks.views.figures import figures
from benchmarks.views.hearing import Heard
from benchmarks.views.library import Desk, Kind, Library, query
from benchmarks.views.loads import Acknowledged
from benchmarks.views.measuring import Plan, measure
from benchmarks.views.node import Shelf
from benchmarks.views.page import markdown, with_figures
from benchmarks.views.told import check_told

from triplewire.store.database import Database
from triplewire.store.tables import outbox, registry
from triplewire.store.tables.outbox import OutboxEntry
from triplewire.store.tables.registry import VIEW, SubscriptionOptions, SubscriptionRecord

TINY = Library(1_000, shelves=50)


def test_there_are_as_many_triples_as_asked_for_and_no_shelf_is_empty():
    assert len(filled(TINY)) == 1_000
    assert TINY.books == 160 > TINY.shelves


@pytest.mark.parametrize("kind", Kind)
def test_an_update_touches_the_view_of_its_shelf_and_no_other(kind):
    store, desk = filled(TINY), Desk()
    rival = Rerunning(store, [query(kind, shelf) for shelf in range(TINY.shelves)])
    # The second time round MINUS has its book back.
    for value, shelf in enumerate([3, 4, 3, 4, 5], start=1):
        store.update(desk.update(kind, shelf, value))
        assert [told.query for told in rival.compare()] == [shelf]


def test_a_status_comes_round_and_is_never_the_same_twice_running():
    desk = Desk()
    texts = [desk.update(Kind.PLAIN, 3) for _ in range(250)] + [desk.update(Kind.PLAIN, 3, 7 * 10**9)]
    assert len(set(texts)) == 101
    assert all(one != other for one, other in pairwise(texts))


def test_whoever_runs_queries_again_tells_what_has_changed():
    store = filled(TINY)
    rival = Rerunning(store, [query(Kind.PLAIN, 3)])
    assert rival.compare() == []
    store.update(Desk().update(Kind.PLAIN, 3, 7))
    book = b"<http://library.example/book3>\t"
    assert rival.compare() == [Told(0, [book + b"7"], [book + b"0"])]


@pytest.mark.parametrize("kind", Kind)
def test_views_are_measured_alone(kind):
    found = alone(TINY, kind, 10, 20, lambda done, total: None)
    assert found.views == 10
    assert found.median > 0


def test_views_are_measured_beside_running_every_query_again():
    found = beside(TINY, 10, 20, lambda done, total: None)
    assert found.rows == pytest.approx(3.2)
    assert found.factor == found.theirs / found.ours
    assert found.whole_factor < max(found.factor, 1)


def test_a_reader_takes_the_moment_from_what_was_added():
    heard = Heard()
    heard.hear(
        b'data: {"change":9,"added":[{"book":{"type":"uri","value":"urn:7"},"status":{"type":"literal","value":"12"}}],'
        b'"removed":[{"status":{"type":"literal","value":"99999999999999999999"}}]}\n'
    )
    assert heard.delays.seconds[0] > 0
    with pytest.raises(RuntimeError, match="wanted a status"):
        heard.hear(b'data: {"change":9,"added":[],"removed":[{"status":{"type":"literal","value":"12"}}]}\n')


class TestWhatWasTold:
    """What waits in outboxes is held against what was acknowledged."""

    one, other = Shelf(Kind.PLAIN, 1), Shelf(Kind.PLAIN, 2)

    @pytest.fixture
    def folder(self, tmp_path):
        database = Database(tmp_path / "data")
        options = SubscriptionOptions()

        def work(tx):
            for number, shelf in enumerate([self.one, self.other], start=1):
                registry.insert(tx, SubscriptionRecord(0, "anonymous", shelf.view, VIEW, "", options, 0, None, 0))
                outbox.put(tx, [OutboxEntry(number, 1, "urn:e", b'{"change":1,"variables":[],"answer":[]}')])
            outbox.put(tx, [OutboxEntry(1, 2, "urn:e", b'{"change":5,"added":[{}],"removed":[]}')])

        database.writer.submit(work).result()
        database.close()
        return tmp_path

    def test_each_update_once_is_right(self, folder):
        assert check_told(folder, [Acknowledged(5, self.one)]) == 1

    @pytest.mark.parametrize(
        "acknowledged",
        [
            [],
            [Acknowledged(6, one)],
            [Acknowledged(5, other)],
            [Acknowledged(5, one), Acknowledged(5, one)],
            [Acknowledged(5, one), Acknowledged(6, other)],
        ],
        ids=["one too many", "another change", "another view", "one twice", "one missing"],
    )
    def test_anything_else_is_wrong(self, folder, acknowledged):
        with pytest.raises(RuntimeError, match="wanted the changes"):
            check_told(folder, acknowledged)


@pytest.mark.system
def test_a_tiny_run_measures_everything(tmp_path):
    plan = Plan(1_000, few=2, many=10, most=50, writers=4, seconds=0.2, slices=1, beside=5, updates=10)
    steps: list[str] = []
    found = measure(plan, tmp_path, steps.append)
    assert found.missing is not None
    assert "fetch" in found.missing
    assert [one.views for one in found.rates] == [2, 10, 50]
    assert [one.kind for one in found.kinds] == list(Kind)
    assert min(one.updates_per_second for one in (*found.rates, *found.kinds)) > 0
    assert found.delays[0].notifications > 0
    # Each update that was acknowledged has told one view, which `measure` has checked.
    assert found.told > found.delays[0].notifications
    assert [one.views for one in found.alone] == [2, 10, 50, 10, 10, 10]
    assert steps
    asked = figures(found, is_full=True)
    assert {one.asked for one in asked} == {"≥ 1,000", "≤ 2", "< 50", "≥ 100", ""}
    page = with_figures("before\n<!-- measured -->\n<!-- end of what was measured -->\n", markdown(found, asked))
    assert page.count("| 2 to 4 patterns | ") == 3 + 1 + 3
    assert "**Views alone" in page
