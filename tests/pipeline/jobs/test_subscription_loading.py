"""Subscriptions that no index takes are rejects, whatever the strategy. No Spark."""

from __future__ import annotations

import pytest
from tests.pipeline.samples import request_of, write_rows

from triplewire.errors import BadInputRefused, InputError
from triplewire.matching import Compiler, Matcher
from triplewire.pipeline.jobs.subscription_loading import load_subscriptions
from triplewire.pipeline.storage.location import Location
from triplewire.pipeline.strategies import osma
from triplewire.testing.workloads import Row

ROWS = [Row("good", "sparql", "ASK { ?s <urn:p> ?o }"), Row("bad", "sparql", "ASK { ?s <urn:q> ?o }")]


@pytest.fixture
def feed(tmp_path, monkeypatch):
    """Two subscriptions, of which an index takes one, whether they are added or compiled."""
    for kind in (Matcher, Compiler):
        monkeypatch.setattr(kind, "add", _choosy(kind.add))
    monkeypatch.setattr(osma, "_fitting_parts", lambda *_: 2)
    (tmp_path / "feed").mkdir()
    write_rows(tmp_path / "feed" / "subscriptions.jsonl", ROWS)
    return tmp_path / "feed"


def _choosy(add):
    def choosy(target, subscription, **others):
        if subscription.id == "bad":
            raise InputError("wanted a query that Oxigraph accepts, found another")
        add(target, subscription, **others)

    return choosy


@pytest.mark.parametrize("strategy", ["replicate", "osma"])
class TestWhatNoIndexTakes:
    def test_is_a_reject_each_time_and_the_rest_is_prepared(self, feed, tmp_path, strategy):
        request = request_of(feed, tmp_path / "lake", taxonomy=None)
        first, again = (
            load_subscriptions(None, request, Location.of(tmp_path / "indexes"), strategy) for _ in range(2)
        )
        assert (first.strategy.name, first.strategy.index.subscriptions) == (strategy, 1)
        assert [(reject.subscription, reject.reason.split(",")[0]) for reject in first.rejects] == [
            ("bad", "wanted a query that Oxigraph accepts")
        ]
        assert again == first

    def test_ends_a_strict_run(self, feed, tmp_path, strategy):
        request = request_of(feed, tmp_path / "lake", taxonomy=None, strict=True)
        with pytest.raises(BadInputRefused, match="bad: wanted a query"):
            load_subscriptions(None, request, Location.of(tmp_path / "indexes"), strategy)


def test_another_problem_stays_what_it_is(feed, tmp_path):
    write_rows(feed / "subscriptions.jsonl", ROWS[:1])
    with pytest.raises(InputError, match="wanted one of the strategies"):
        load_subscriptions(None, request_of(feed, tmp_path / "lake", taxonomy=None), Location.of(tmp_path), "broadcast")
