"""What arrives is read as `Event.parse` reads it, whichever way it is read."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from triplewire.algebra.subscriptions import Subscription
from triplewire.errors import InputError
from triplewire.node.access.grants import require_publishable
from triplewire.node.matching.event_parsing import Arrival, Given, events_in
from triplewire.node.matching.live_matchers import LiveMatchers
from triplewire.rdf.events import Event
from triplewire.rdf.formats import NQUADS, TURTLE
from triplewire.rdf.limits import DEFAULT_LIMITS, Limits
from triplewire.store.tables.identities import Grant

NOW = datetime(2024, 5, 1, tzinfo=UTC)
LINES = [
    '<urn:s> <urn:p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:a> .\n',
    '<urn:s> <urn:p> "é"@EN <urn:a> .\n',
    '<urn:s> <urn:p> "\\u00e9" <urn:b> .\n',
    "_:x <urn:p> _:y <urn:b> .\n",
    "<urn:r>   <urn:p>\t<urn:o> <urn:b> . # why not\n",
    "<urn:s> <urn:p> <<( <urn:s> <urn:p> <urn:o> )>> <urn:c> .\n",
    "# a comment\n",
    "\n",
    "<urn:s> <urn:p> <urn:o> .\n",
    "<urn:s> <urn:p> <urn:o> _:g .\n",
    "<urn:s> <urn:p> <relative> <urn:a> .\n",
    "<urn:s> <urn:p> <urn:o> <urn:d> .",
    "broken\n",
]


def read(data: bytes, limits: Limits = DEFAULT_LIMITS) -> list[Event] | tuple[type, str]:
    try:
        return events_in(data, NQUADS, Given(graph="urn:default", source="me", time=NOW), limits)
    except InputError as error:
        return type(error), str(error)


def parsed(data: bytes, limits: Limits = DEFAULT_LIMITS) -> list[Event] | tuple[type, str]:
    try:
        return Event.parse(data, "nquads", graph="urn:default", source="me", time=NOW, limits=limits)
    except InputError as error:
        return type(error), str(error)


def facts(events: list[Event] | tuple[type, str]) -> object:
    if isinstance(events, tuple):
        return events
    return [(one.graph, one.nquads, one.triples, one.time, one.source, len(one)) for one in events]


@given(st.lists(st.sampled_from(LINES), max_size=8))
@example([LINES[0], LINES[1]])
@example([LINES[0], LINES[3], LINES[1]])
@example(LINES[:8])
def test_both_ways_give_equal_events_or_the_same_error(lines):
    data = "".join(lines).encode()
    assert facts(read(data)) == facts(parsed(data))


def test_plain_events_take_the_short_way():
    assert [type(one) for one in read("".join(LINES[:4]).encode())] == [Arrival, Arrival]


@pytest.mark.parametrize("data", [b"# \xff\n" + LINES[0].encode(), b'<urn:s> <urn:p> "\xc3\x28" <urn:a> .\n'])
def test_a1_text_that_is_not_utf8_is_refused(data):
    assert read(data) == parsed(data)
    assert isinstance(read(data), tuple)


@pytest.mark.parametrize(
    "limits",
    [
        Limits(event_bytes=100),
        Limits(document_bytes=100),
        Limits(quads=1),
        Limits(iri_length=10),
        Limits(literal_length=3),
        Limits(depth=0),
        Limits(expanded_bytes=100),
    ],
)
def test_a7_limits_hold_either_way(limits):
    text = "".join(f'<urn:subject> <urn:p> "text {number}" <urn:event> .\n' for number in range(4))
    text += "<urn:s> <urn:p> <<( <urn:s> <urn:p> <urn:o> )>> <urn:c> .\n"
    assert facts(read(text.encode(), limits)) == facts(parsed(text.encode(), limits))
    assert isinstance(read(text.encode(), limits), tuple)


def test_other_formats_are_read_too():
    [event] = events_in(b"<urn:s> a <urn:C> .", TURTLE, Given(graph="urn:e", source=None, time=NOW), DEFAULT_LIMITS)
    assert event.graph.value == "urn:e"


def test_nobody_reads_the_triples_of_an_event_whose_publisher_and_reader_may_do_everything(monkeypatch):
    def read(_: Arrival) -> None:
        raise AssertionError("wanted the text only")

    monkeypatch.setattr(Arrival, "triples", property(read))
    [event] = events_in(LINES[0].encode(), NQUADS, Given(source="me", time=NOW), DEFAULT_LIMITS)
    require_publishable(event, Grant())
    require_publishable(event, Grant(graphs=("urn:",)))
    matchers = LiveMatchers()
    matchers.add(Subscription.parse("SELECT ?s { ?s <urn:p> 1 }", id="1"), Grant())
    assert [match.subscription_id for match in matchers.matches([event])] == ["1"]
