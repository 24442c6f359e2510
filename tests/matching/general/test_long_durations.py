"""A11 again: durations that Oxigraph takes minutes to order are work, however few the bindings."""

from __future__ import annotations

import pytest
from tests.matching.asking import PREFIXES, event, subscription

from triplewire.languages.sparql.parsing.parser import parse_query
from triplewire.matching import Matcher
from triplewire.matching.evaluation.budget import DEFAULT_STEPS
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.general.work_bound import work_bound

ENDLESS = "P2MT25098437536761H"


def bound(body: str, turtle: str) -> int:
    return work_bound(parse_query(PREFIXES + f"SELECT * {{ {body} }}"), EventView(event(turtle)))


def duration(text: str, kind: str = "duration") -> str:
    return f'"{text}"^^xsd:{kind}'


COMPARED = "?s :p ?d . ?s :q ?e FILTER(?d < ?e)"


def test_an_endless_comparison_is_ended_and_the_subscription_quarantined() -> None:
    """In this process it would block everything, and the test with it."""
    matcher = Matcher(seconds=1.5)
    matcher.add(subscription(f"SELECT ?s {{ {COMPARED} OPTIONAL {{ ?s :r ?x }} }}", name="endless"))
    matcher.add(subscription("SELECT ?s { ?s :p ?d OPTIONAL { ?s :r ?x } }", name="fair"))
    on = event(f":s :p {duration('P4Y')} ; :q {duration(ENDLESS)} .")
    assert [match.subscription_id for match in matcher.match(on)] == ["fair"]
    assert "did not finish within 1.5 s" in matcher.quarantined["endless"]


def test_the_fast_lane_compares_them_at_once() -> None:
    matcher = Matcher()
    matcher.add(subscription(f"SELECT ?s {{ {COMPARED} }}"))
    assert len(matcher.match(event(f":s :p {duration('P4Y')} ; :q {duration(ENDLESS)} ."))) == 1


@pytest.mark.parametrize(
    ("body", "turtle"),
    [
        (COMPARED, f":s :p {duration('P4Y')} ; :q {duration(ENDLESS)} ."),
        (COMPARED, f":s :p {duration('P4Y')} ; :q {duration('-' + ENDLESS)} ."),
        (f"?s :p ?d FILTER(?d < {duration(ENDLESS)})", f":s :p {duration('P4Y')} ."),
        ("?s :p ?d FILTER(?d < xsd:duration(?s))", ":s :p 'x' ."),
        ("?s :p ?d FILTER(?d < STRDT(?s, xsd:dayTimeDuration))", ":s :p 'x' ."),
        ("?s :p ?d FILTER(?d < STRDT(?s, ?t))", ":s :p 'x' ."),
        ("?s :p ?d BIND(?d - ?e AS ?f)", ':s :p "999999999-01-01T00:00:00Z"^^xsd:dateTime .'),
        (
            "?s :p ?d0 " + " ".join(f"BIND(?d{n} + ?d{n} AS ?d{n + 1})" for n in range(30)),
            f":s :p {duration('P1MT10000H')} .",
        ),
    ],
)
def test_what_may_take_long_exceeds_the_budget(body: str, turtle: str) -> None:
    assert bound(body, turtle) > DEFAULT_STEPS


@pytest.mark.parametrize(
    ("body", "turtle"),
    [
        (COMPARED, f":s :p {duration('P4Y')} ; :q {duration('P2MT250H')} ."),
        (COMPARED, f":s :p {duration('P400000Y')} ; :q {duration('P2MT250H')} ."),
        (COMPARED, ":s :p 1 ; :q 2 ."),
        ("?s :p ?d FILTER(?d < STRDT('7', xsd:integer))", ":s :p 1 ."),
        ("?s :p ?d BIND(?d + ?d AS ?e)", ':s :p "2026-01-01T00:00:00Z"^^xsd:dateTime .'),
    ],
)
def test_what_is_usual_counts_as_usual(body: str, turtle: str) -> None:
    assert bound(body, turtle) == 1
