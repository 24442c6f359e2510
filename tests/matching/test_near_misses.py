"""How close an event has come: by patterns first, then by their join, then by the filter."""

from __future__ import annotations

import pytest

from triplewire import Event, Subscription
from triplewire.matching.near_misses import closeness, nearest_misses

QUERY = 'SELECT ?a { ?a <urn:p> ?b . ?b <urn:q> ?c FILTER(?c = "yes") }'


def event(name: str, turtle: str) -> Event:
    [made] = Event.parse(turtle, "turtle", graph=f"urn:{name}")
    return made


NOTHING = event("nothing", "<urn:a> <urn:x> <urn:b> .")
ONE = event("one", "<urn:a> <urn:p> <urn:b> .")
APART = event("apart", '<urn:a> <urn:p> <urn:b> . <urn:other> <urn:q> "yes" .')
FILTERED = event("filtered", '<urn:a> <urn:p> <urn:b> . <urn:b> <urn:q> "no" .')


@pytest.mark.parametrize(
    ("found", "close"), [(NOTHING, 0.0), (ONE, 0.25), (APART, 0.5), (FILTERED, 0.75)], ids=lambda one: str(one)[:20]
)
def test_each_step_counts(found: Event, close: float):
    assert closeness(Subscription.parse(QUERY), found) == close


def test_the_closest_come_first_with_their_reasons():
    found = nearest_misses(Subscription.parse(QUERY), [NOTHING, FILTERED, ONE, APART], 3)
    assert [miss.event.graph.value for miss in found] == ["urn:filtered", "urn:apart", "urn:one"]
    assert "no" in found[0].reason


def test_an_event_of_another_name_is_not_close():
    query = Subscription.parse("SELECT ?a { GRAPH <urn:wanted> { ?a <urn:p> ?b } }")
    assert closeness(query, ONE) == 0.0


def test_a_query_that_can_never_match_is_never_close():
    query = Subscription.parse("SELECT ?a { ?a <urn:p> ?b FILTER(?b > 3 && ?b < 2) }")
    assert closeness(query, ONE) <= 0.75
