"""What the demo brings along: it is in the package, and a node can read it."""

from __future__ import annotations

from importlib.resources import files

import pyoxigraph
import pytest

from triplewire import Subscription
from triplewire.cli.demo.happenings import BOOKS, READERS
from triplewire.cli.demo.showcase import Standing, subscriptions, views
from triplewire.languages.rdftl import parse_rules
from triplewire.languages.sparql import parse_dataset_query

LIBRARY = files("triplewire.cli.demo") / "library"


def catalogue() -> pyoxigraph.Store:
    store = pyoxigraph.Store()
    store.load((LIBRARY / "catalogue.ttl").read_bytes(), pyoxigraph.RdfFormat.TURTLE)
    return store


def test_there_is_a_subscription_in_every_language():
    assert {one.language for one in subscriptions()} == {"sparql", "formula", "graph"}
    for one in subscriptions():
        Subscription.parse(one.text, language=one.language, id=one.name)


@pytest.mark.parametrize("view", views(), ids=lambda view: view.name)
def test_a_view_is_a_query_over_the_living_graph(view: Standing):
    parse_dataset_query(view.text)


def test_the_rules_have_names():
    rules = parse_rules((LIBRARY / "rules.rdftl").read_text("utf-8"))
    assert [rule.id for rule in rules] == ["put_aside", "recommend"]


@pytest.mark.parametrize(("kind", "names"), [("Book", BOOKS), ("Reader", READERS)])
def test_the_catalogue_has_whom_and_what_the_story_is_about(kind: str, names: tuple[str, ...]):
    found = catalogue().query(f"SELECT ?one {{ ?one a <http://example.org/library/{kind}> }}")
    assert {row["one"].value for row in found} == {f"http://example.org/library/{name}" for name in names}
