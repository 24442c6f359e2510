"""A11 again: durations that Oxigraph takes minutes to add are work; to compare them is none."""

from __future__ import annotations

import pytest
from tests.matching.asking import event, matched, subscription

from triplewire.matching import Matcher

ENDLESS = "P2MT25098437536761H"


def duration(text: str) -> str:
    return f'"{text}"^^xsd:duration'


@pytest.mark.parametrize("optional", ["", "OPTIONAL { ?s :r ?x }"])
def test_endless_durations_are_compared_at_once_in_both_lanes(optional):
    on = event(f":s :p {duration('P4Y')} ; :q {duration(ENDLESS)} .")
    assert matched(f"SELECT ?s {{ ?s :p ?d . ?s :q ?e FILTER(?d < ?e) {optional} }}", on)


@pytest.mark.parametrize(
    ("body", "turtle"),
    [
        (f"?s :p ?d BIND(?d + {duration(ENDLESS)} AS ?f)", ':s :p "2026-01-01T00:00:00Z"^^xsd:dateTime .'),
        ("?s :p ?d BIND(NOW() - xsd:duration(?d) AS ?f)", f":s :p '{ENDLESS}' ."),
        ("?s :p ?d BIND(NOW() + STRDT(?d, xsd:dayTimeDuration) AS ?f)", ":s :p 'PT25098437536761H' ."),
    ],
)
def test_what_may_take_long_exceeds_the_budget(body, turtle):
    matcher = Matcher(budget=100_000)
    matcher.add(subscription(f"SELECT * {{ {body} }}", name="endless"))
    assert matcher.match(event(turtle)) == []
    assert "steps" in matcher.quarantined["endless"]


def test_what_is_usual_is_calculated():
    on = event(':s :p "2026-01-01T00:00:00Z"^^xsd:dateTime .')
    [solution] = matched(f"SELECT ?f {{ ?s :p ?d BIND(?d + {duration('P2MT250H')} AS ?f) }}", on).solutions
    assert solution["f"].value == "2026-03-11T10:00:00Z"
