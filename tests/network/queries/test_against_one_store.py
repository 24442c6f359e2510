"""The answer over the space is that of one store with all the data, whatever the data, the zones and the query."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from tests.network.can.tilings import tilings
from tests.network.queries.asking import Space, same_by_label
from tests.network.queries.generating import query_over, random_events, random_zones

from triplewire.network.queries.explain import explain
from triplewire.network.queries.space_query import SpaceQueryLimits
from triplewire.rdf.events import Event
from triplewire.testing.answers import same_answers
from triplewire.testing.strategies import events, fast_sparql, general_sparql

# Few values are carried, few boxes asked for, and pages are short, so that every limit is met.
TIGHT = SpaceQueryLimits(values=2, boxes=3, lot=2)


@st.composite
def data(draw: st.DrawFn) -> list[Event]:
    """Events of different names, any literals among their terms."""
    found = draw(st.lists(events(), min_size=1, max_size=4))
    return [Event.from_triples(f"http://example.org/event{at}", event.triples) for at, event in enumerate(found, 1)]


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_the_answer_is_that_of_one_store(drawn: st.DataObject) -> None:
    published = drawn.draw(data())
    like = published[0].triples
    text = drawn.draw(st.one_of(fast_sparql(like), general_sparql(like), general_sparql(like)))
    space = Space(published, drawn.draw(tilings(8)), page=drawn.draw(st.sampled_from([1, 3, 1000])))
    note(str(explain(text, space.zones)))
    # Which rows LIMIT leaves is free; the functions of the taxonomy are refused, here as there.
    if "LIMIT" not in text and "tw:" not in text.replace("PREFIX tw:", ""):
        limits = drawn.draw(st.sampled_from([SpaceQueryLimits(), TIGHT]))
        assert same_answers(space.answer(text, limits), space.reference(text))


@pytest.mark.parametrize("seed", range(60))
def test_a_seeded_query_has_the_answer_of_one_store(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("lot", range(20))
def test_two_thousand_more_do_too(lot: int) -> None:
    for seed in range(1000 + 100 * lot, 1100 + 100 * lot):
        check(seed)


def check(seed: int) -> None:
    rng = Random(seed)
    published = random_events(rng)
    space = Space(published, random_zones(published, rng), page=rng.choice([2, 1000]))
    for _ in range(8):
        text = query_over(published, rng)
        limits = rng.choice([SpaceQueryLimits(), TIGHT])
        same = same_by_label(space.answer(text, limits), space.reference(text))
        assert same, f"seed {seed}: {text}\n{explain(text, space.zones)}"
