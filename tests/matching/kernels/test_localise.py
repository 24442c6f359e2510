"""Numbered terms against a dictionary of terms."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.matching.segments.living import renamed

from triplewire.matching.kernels.columns import EVENT_FIRST, EVENT_LAST
from triplewire.matching.scanning.scanner import scan
from triplewire.matching.segments.search import batch_of
from triplewire.rdf.events import Event
from triplewire.testing.strategies import events


def numbered(event: Event, order: list) -> list[tuple[int, int, int]]:
    """The naive twin: terms get numbers as they come, the event's own IRI first."""
    numbers = {f"{event.graph}": 0}
    return [tuple(numbers.setdefault(str(term), len(numbers)) for term in row) for row in order]


@settings(max_examples=100)
@given(st.lists(events(), min_size=1, max_size=4))
def test_equal_terms_equal_numbers(passing: list[Event]) -> None:
    named = [renamed(event, f"urn:event:{place}") for place, event in enumerate(passing)]
    scanned = scan(b"".join(event.nquads for event in named), seed=5)
    batch = batch_of(scanned)
    for place, event in enumerate(named):
        rows = scanned.rows(place)
        found = [tuple(batch.terms[3 * row : 3 * row + 3].tolist()) for row in rows]
        assert found == numbered(event, [scanned.terms(row) for row in rows])
        base = batch.first_term[place]
        for row in rows:
            for position in range(3):
                origin = batch.origins[base + batch.terms[3 * row + position]]
                assert _text(scanned, batch, origin) == _text(scanned, batch, 4 * row + position)


@settings(max_examples=50)
@given(events())
def test_the_chain_of_a_predicate_has_its_quads_each_once(event: Event) -> None:
    scanned = scan(event.nquads, seed=5)
    batch = batch_of(scanned)
    first, last = batch.events[0, EVENT_FIRST], batch.events[0, EVENT_LAST]
    for term in range(batch.first_term[1]):
        chain, quad = [], batch.heads[term]
        while quad >= 0:
            chain.append(int(quad))
            quad = batch.nexts[quad]
        assert sorted(chain) == [quad for quad in range(first, last) if batch.terms[3 * quad + 1] == term]


def _text(scanned, batch, origin: int) -> bytes:
    quad, column = origin >> 2, 3 * (origin & 3)
    start, end = batch.quads[quad, column], batch.quads[quad, column + 1]
    return scanned.data[start:end]
