"""Quadruples from another member: whatever was published passes, and nothing else does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Triple, serialize

from triplewire.errors import MessageRefused
from triplewire.network.eventspace.quads import points_of, rows_of
from triplewire.network.eventspace.screening.rows import check_event_name, check_points, check_rows
from triplewire.rdf.events import Event

TEXT = st.text(max_size=12)
IRIS = st.sampled_from(
    [
        "urn:a",
        "http://example.org/a?b=c#d",
        "http://example.org",
        "urn:ü",
        "https://h:80/%20",
        "x-y.z+1:q",
        "http://[::1]/",
    ]
).map(NamedNode)
LITERALS = st.one_of(
    TEXT.map(Literal),
    st.builds(lambda value: Literal(value, language="en-GB"), TEXT),
    st.builds(lambda value, kind: Literal(value, datatype=kind), TEXT, IRIS),
)
OBJECTS = st.one_of(IRIS, LITERALS, st.builds(Triple, IRIS, IRIS, LITERALS))


@settings(deadline=None)
@given(st.lists(st.tuples(IRIS, IRIS, OBJECTS), min_size=1, max_size=4))
def test_what_was_published_passes(triples):
    quads = [Quad(*triple, NamedNode("urn:event:1")) for triple in triples]
    [event] = Event.parse(serialize(quads, format=RdfFormat.N_QUADS))
    rows = rows_of(event)
    check_rows(rows)
    check_points(points_of("urn:event:1", rows))


BAD_TERMS = [
    b"",
    b"<",
    b"<>",
    b"<urn:a",
    b"<relative>",
    b"<urn:a b>",
    b"<urn:a> <urn:b>",
    b"<urn:\xff>",
    b'"',
    b'"a',
    b'"a"b',
    b'"a" .\n<urn:x> <urn:y> "b"',
    b'"a" . # b',
    b'"a\nb"',
    b'"\xed\xa0\x80"',
    b'"a"^^<b>',
    b'"a"@',
    b"_:",
    b"_:a b",
    b"a",
    b"\0",
    b"<<( <urn:a> <urn:b> )>>",
    b"<<( " * 100_000 + b"<urn:a> <urn:b> <urn:c>" + b" )>>" * 100_000,
]


@pytest.mark.parametrize("bad", BAD_TERMS, ids=lambda term: repr(term[:16]))
def test_a5_what_is_no_term_is_refused(bad: bytes):
    good = b"<urn:a>"
    for row in ((bad, good, good), (good, bad, good), (good, good, bad)):
        with pytest.raises(MessageRefused):
            check_rows([row])
    with pytest.raises(MessageRefused):
        check_points([(bad, good, good, good)])


@pytest.mark.parametrize("row", [(b'"a"', b"<urn:a>", b"<urn:a>"), (b"<urn:a>", b"_:b", b"<urn:a>")])
def test_a_term_in_the_wrong_place_is_refused(row: tuple[bytes, bytes, bytes]):
    with pytest.raises(MessageRefused, match="a subject"):
        check_rows([row])


@settings(deadline=None)
@given(st.tuples(st.binary(max_size=20), st.binary(max_size=20), st.binary(max_size=20)))
def test_any_bytes_pass_or_are_refused(row):
    try:
        check_rows([row])
    except MessageRefused:
        return
    [event] = Event.parse(b" ".join((*row, b"<urn:e> .\n")))
    assert len(event) == 1


@pytest.mark.parametrize("name", ["", "a", "urn:a b", "urn:a>", "urn:e> <urn:f", "\ud7ff"])
def test_what_is_no_name_of_an_event_is_refused(name: str):
    with pytest.raises(MessageRefused):
        check_event_name(name)
