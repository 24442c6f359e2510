"""The story of the demo: it holds together, and a node can read all of it."""

from __future__ import annotations

from itertools import count, islice
from random import Random

import pyoxigraph

from triplewire import Event
from triplewire.cli.demo.happenings import Change, Paper, happenings


def story(seed: int, many: int) -> list[Paper | Change]:
    numbers = count()
    return list(islice(happenings(Random(seed), lambda: f"urn:example:paper:{next(numbers)}"), many))


def test_the_same_seed_tells_the_same_story():
    assert story(5, 200) == story(5, 200)
    assert story(5, 200) != story(6, 200)


def test_each_paper_is_one_event_under_its_name():
    papers = [happening for happening in story(1, 100) if isinstance(happening, Paper)]
    assert papers
    for paper in papers:
        [event] = Event.parse(paper.trig, "trig")
        assert event.graph.value == paper.event


def test_the_changes_are_updates_and_no_book_is_lent_twice():
    store = pyoxigraph.Store()
    changes = [happening for happening in story(2, 600) if isinstance(happening, Change)]
    for change in changes:
        store.update(change.update)
        twice = """PREFIX : <http://example.org/library/>
            ASK { ?book :lentTo ?one, ?other FILTER(?one != ?other) }"""
        assert not store.query(twice), change
    kinds = {change.said.split()[1] for change in changes}
    assert {"takes", "waits", "brings", "new"} <= kinds
