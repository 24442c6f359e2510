"""What a program is filed under is necessary for it to match, and as rare as the statistics say."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triplewire.algebra.subscriptions import Subscription
from triplewire.matching import Matcher
from triplewire.matching.kernels import layout
from triplewire.matching.kernels.index.anchor_keys import anchor_key
from triplewire.rdf.events import Event

TAG_SHIFT = 58
XSD = "http://www.w3.org/2001/XMLSchema#"


def event(*objects: str, predicate: str = "urn:v") -> Event:
    lines = "".join(f"<urn:s> <{predicate}> {thing} <urn:e> .\n" for thing in objects)
    (found,) = Event.parse(lines)
    return found


def filled(texts: list[str], **options) -> Matcher:
    matcher = Matcher(**options)
    for number, text in enumerate(texts):
        matcher.add(Subscription.parse(text, id=str(number)))
    return matcher


def candidates(matcher: Matcher, on: Event) -> int:
    """How many programs an event leads to."""
    before = matcher.stats.candidates
    matcher.match(on)
    return matcher.stats.candidates - before


def tags(matcher: Matcher) -> set[int]:
    return {int(key) >> TAG_SHIFT for segment in matcher._index.segments for key in segment.arrays.anchors.keys}


finite = st.integers(-40, 40).map(lambda n: n / 4)


@settings(max_examples=60)
@given(st.lists(st.tuples(finite, finite), min_size=1, max_size=40), st.lists(finite, min_size=1, max_size=5))
def test_intervals_lead_to_exactly_those_that_hold_the_value(
    ranges: list[tuple[float, float]], values: list[float]
) -> None:
    """The implicit interval tree against comparing with each."""
    bounds = list(dict.fromkeys(tuple(sorted(pair)) for pair in ranges))
    text = "ASK {{ ?s <urn:v> ?v FILTER(?v >= {} && ?v <= {}) }}"
    # Far ranges make the others look narrow, and so worth a guard.
    matcher = filled([text.format(low, high) for low, high in [*bounds, (-1000, -999), (999, 1000)]])
    for value in values:
        on = event(f'"{value}"^^<{XSD}decimal>')
        wanted = [str(n) for n, (low, high) in enumerate(bounds) if low <= value <= high]
        assert [match.subscription_id for match in matcher.match(on)] == wanted
        assert candidates(matcher, on) == len(wanted)


@pytest.mark.parametrize(
    ("pattern", "tag"),
    [
        ("?s <urn:p> <urn:o>", layout.PREDICATE_OBJECT),
        ("<urn:s> <urn:p> ?o", layout.SUBJECT_PREDICATE),
        ("<urn:s> ?p ?o", layout.SUBJECT),
        ("?s ?p <urn:o>", layout.OBJECT),
        ("?s <urn:p> ?o", layout.PREDICATE),
        ("?s ?p ?o FILTER(CONTAINS(?o, 'rare'))", layout.SUBSTRING),
        ("?s ?p ?o FILTER(<urn:triplewire:isA>(?s, <urn:C>))", layout.CLASS_MEMBER),
        ("?s <urn:p> ?o FILTER(?o = 'x')", layout.PREDICATE_OBJECT),
        ("?s <urn:p> ?o FILTER(?o IN ('x', <urn:y>))", layout.PREDICATE_OBJECT),
        ("?s ?p ?o", layout.ANY),
        ("?s ?p ?o FILTER(!CONTAINS(?o, 'rare'))", layout.ANY),
        ("?s ?p ?o FILTER(CONTAINS(?o, ''))", layout.ANY),
    ],
)
def test_anchors(pattern: str, tag: int) -> None:
    assert tags(filled([f"ASK {{ {pattern} }}"])) == {tag}


def test_each_alternative_has_an_entry() -> None:
    matcher = filled(["ASK { ?s <urn:v> ?o FILTER(?o = 'x' || ?o = 'y' || ?o > 100) }"])
    for thing, count in (
        ('"x"', 1),
        ('"y"', 1),
        ('"z"', 0),
        (f'"101"^^<{XSD}integer>', 1),
        (f'"9"^^<{XSD}integer>', 0),
    ):
        assert len(matcher.match(event(thing))) == count


def test_a_guard_keeps_away_events_that_have_only_the_anchor() -> None:
    matcher = filled([f"ASK {{ ?s <urn:v> 'x' ; <urn:w> ?n FILTER(?n >= {n} && ?n <= {n}) }}" for n in range(100)])
    alone = event('"x"')
    assert candidates(matcher, alone) == 0
    (both,) = Event.parse(f'<urn:s> <urn:v> "x" <urn:e> .\n<urn:s> <urn:w> "3"^^<{XSD}integer> <urn:e> .')
    assert candidates(matcher, both) == len(matcher.match(both)) == 1


def test_many_guarded_groups_under_one_anchor() -> None:
    """A large directory is entered by the predicates that the event has."""
    many = 3 * 32
    matcher = filled([f"ASK {{ ?s <urn:v> 'x' . ?s <urn:w{n}> 'y' }}" for n in range(many)])
    (on,) = Event.parse(
        '<urn:s> <urn:v> "x" <urn:e> .\n<urn:s> <urn:w7> "y" <urn:e> .\n<urn:s> <urn:w90> "y" <urn:e> .'
    )
    assert [match.subscription_id for match in matcher.match(on)] == ["7", "90"]


def test_what_events_show_to_be_common_is_no_anchor() -> None:
    """Every event has the type, few have the topic: programs are filed under the topic once that is known."""
    texts = [f"ASK {{ ?s <urn:type> <urn:Paper> ; <urn:topic> <urn:t{n % 300}> ; <urn:n> {n} }}" for n in range(1_200)]
    matcher = filled(texts)
    lines = "<urn:s> <urn:type> <urn:Paper> <urn:e{0}> .\n<urn:s> <urn:topic> <urn:t{0}> <urn:e{0}> .\n"
    matcher.match_nquads("".join(lines.format(n) for n in range(300)).encode())
    matcher._index.compact()
    (segment,) = matcher._index.segments
    kind, paper = (segment.number_of_constant(spelled) for spelled in (b"<urn:type>", b"<urn:Paper>"))
    assert anchor_key(layout.PREDICATE_OBJECT, kind, paper) not in segment.arrays.anchors.keys


def many_conditions(make: Callable[[int], str], joined: str) -> str:
    return f"ASK {{ ?s <urn:v> ?o FILTER({joined.join(make(n) for n in range(80))}) }}"


@pytest.mark.parametrize(
    "text",
    [
        many_conditions(lambda n: f"?o = 'x{n}'", " || "),
        many_conditions(lambda n: f"CONTAINS(?o, 'x{n % 7}')", " || "),
        many_conditions(lambda n: f"?o != 'y{n}'", " && "),
        f"ASK {{ ?s <urn:v> ?o FILTER(?o IN ({', '.join(repr(f'x{n}') for n in range(80))})) }}",
    ],
)
def test_more_conditions_than_are_weighed(text: str) -> None:
    matcher = filled([text])
    assert len(matcher.match(event('"x3"'))) == 1


def test_a_singles_neighbourhood_is_reached() -> None:
    """0.1 as a single is more than the decimal 0.1; compared as singles, they are equal."""
    matcher = filled(["ASK { ?s <urn:v> ?v FILTER(?v = 0.1) }", "ASK { ?s <urn:v> ?v FILTER(?v <= 0.1) }"])
    assert len(matcher.match(event(f'"0.1"^^<{XSD}float>'))) == 2
    assert float(np.float32(0.1)) > 0.1
    assert math.isclose(np.float32(0.1), 0.1, rel_tol=1e-6)
