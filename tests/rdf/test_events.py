from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire.errors import (
    EmptyEvent,
    EventConflict,
    InputError,
    InvalidTerm,
    LimitExceeded,
    SyntaxProblem,
    UnknownFormat,
)
from triplewire.rdf.events import Event, merge_repeats
from triplewire.rdf.limits import Limits
from triplewire.rdf.terms import XSD, BlankNode, Literal, NamedNode, Triple

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
S, P, G, H = (NamedNode(f"urn:{name}") for name in "spgh")
CLIQUE = [(a, b) for a in range(9) for b in range(9) if a != b]


def triple(value: str) -> Triple:
    return Triple(S, P, Literal(value))


class TestWhatAnEventIs:
    def test_on_the_wire_it_is_nquads_sorted_one_a_line(self) -> None:
        [event] = Event.parse(
            '<urn:s> <urn:p> "é" <urn:g> .\n<urn:s> <urn:p> "b" <urn:g> .\n\n<urn:s> <urn:p> "b" <urn:g> .'
        )
        assert event.nquads == '<urn:s> <urn:p> "b" <urn:g> .\n<urn:s> <urn:p> "é" <urn:g> .\n'.encode()
        assert event.triples == (triple("b"), triple("é"))
        assert len(event) == 2

    def test_lines_are_sorted_as_lines(self) -> None:
        objects = [
            Literal("a"),
            Literal("a", language="en"),
            Literal("a", datatype=XSD["int"]),
            Literal("a "),
            NamedNode("urn:a"),
        ]
        event = Event.from_triples(G, [Triple(S, P, o) for o in objects])
        lines = event.nquads.splitlines()
        assert lines == sorted(lines)
        assert [f"{t} {G} ." for t in event.triples] == [line.decode() for line in lines]

    def test_parsing_its_nquads_gives_it_back(self) -> None:
        event = Event.from_triples(
            G, [triple('\0\n\r\t"\\é𝄞\x7f'), Triple(BlankNode("x"), P, Triple(S, P, BlankNode("x")))]
        )
        assert Event.parse(event.nquads) == [event]

    def test_equality_and_hash_are_those_of_name_and_content(self) -> None:
        one = Event.from_triples(G, [triple("a"), triple("b")], source="x", time=NOON)
        same = Event.from_triples("urn:g", [triple("b"), triple("a"), triple("b")], source="y")
        assert one == same
        assert hash(one) == hash(same)
        assert one != Event.from_triples(H, [triple("a"), triple("b")])
        assert one != Event.from_triples(G, [triple("a")])
        assert one != one.nquads

    def test_it_is_immutable_and_can_be_pickled_and_copied(self) -> None:
        event = Event.from_triples(G, [triple("a")], source="x", time=NOON)
        with pytest.raises(AttributeError):
            event.graph = H  # type: ignore[misc]
        for other in (pickle.loads(pickle.dumps(event)), copy.copy(event), copy.deepcopy(event)):
            assert (other, other.source, other.time, other.triples) == (event, "x", NOON, event.triples)

    def test_its_time_is_utc(self) -> None:
        local = datetime(2024, 5, 1, 14, tzinfo=timezone(timedelta(hours=2)))
        event = Event.from_triples(G, [triple("a")], time=local)
        assert event.time == NOON
        assert event.time.tzinfo is UTC
        assert Event.from_triples(G, [triple("a")]).time.tzinfo is UTC
        with pytest.raises(InvalidTerm, match="wanted a time with its time zone"):
            Event.from_triples(G, [triple("a")], time=datetime(2024, 5, 1))

    def test_terms_are_kept_as_they_are_written(self) -> None:
        text = '<urn:s> <urn:p> "01"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:g> .\n'
        assert Event.parse(text)[0].nquads == text.encode()

    def test_language_tags_are_kept_in_lower_case(self) -> None:
        assert Event.parse('<urn:s> <urn:p> "a"@EN-gb <urn:g> .')[0].nquads == b'<urn:s> <urn:p> "a"@en-gb <urn:g> .\n'

    def test_triple_terms_are_carried(self) -> None:
        text = '<urn:s> <urn:p> <<( <urn:s> <urn:p> "a" )>> <urn:g> .\n'
        assert Event.parse(text)[0].nquads == text.encode()

    def test_its_repr_is_short(self) -> None:
        event = Event.from_triples(G, [triple("a")], source="x.nq")
        assert repr(event) == "<Event urn:g with 1 triples from x.nq>"


class TestGraphs:
    TEXT = (
        "<urn:s> <urn:p> 1 . <urn:h> { <urn:s> <urn:p> 2 } <urn:g> { <urn:s> <urn:p> 3 } <urn:h> { <urn:s> <urn:p> 4 }"
    )

    def test_events_come_in_order_of_first_appearance_and_a_graph_may_be_reopened(self) -> None:
        events = Event.parse(self.TEXT, "trig", graph="urn:d")
        assert [(e.graph.value, len(e)) for e in events] == [("urn:d", 1), ("urn:h", 2), ("urn:g", 1)]

    def test_the_name_given_is_for_the_default_graph_and_may_be_one_of_the_others(self) -> None:
        events = Event.parse(self.TEXT, "trig", graph=G)
        assert [(e.graph, len(e)) for e in events] == [(G, 2), (H, 2)]

    def test_without_a_name_one_is_minted_from_source_time_and_content(self) -> None:
        def minted(text: str, source: str | None, time: datetime) -> str:
            return Event.parse(text, "turtle", source=source, time=time)[0].graph.value

        text = "<urn:s> <urn:p> 1 ."
        name = minted(text, "a", NOON)
        assert name.startswith("urn:triplewire:event:20240501T120000.000000Z:")
        assert name == minted(text, "a", NOON)
        others = {
            minted(text, "b", NOON),
            minted(text, None, NOON),
            minted(text, "a", NOON + timedelta(microseconds=1)),
            minted("<urn:s> <urn:p> 2 .", "a", NOON),
        }
        assert len(others | {name}) == 5

    def test_a_blank_node_names_no_event(self) -> None:
        with pytest.raises(InvalidTerm, match="wanted an IRI as the name"):
            Event.from_triples(BlankNode("g"), [triple("a")])  # type: ignore[arg-type]

    @pytest.mark.parametrize("name", ["", "relative", "urn:a b", "http://<"])
    def test_a_name_must_be_an_absolute_iri(self, name: str) -> None:
        with pytest.raises(InvalidTerm, match="wanted an absolute IRI as the name of an event"):
            Event.parse('<urn:s> <urn:p> "a" .', graph=name)

    @pytest.mark.parametrize(
        ("format_", "text"),
        [
            ("nquads", ""),
            ("nquads", "# nothing\n"),
            ("turtle", "@prefix a: <urn:> ."),
            ("trig", "<urn:g> {}"),
            ("jsonld", "{}"),
        ],
    )
    def test_no_triples_is_no_event(self, format_: str, text: str) -> None:
        with pytest.raises(EmptyEvent, match="message: wanted at least one triple, found none"):
            Event.parse(text, format_, source="message")
        with pytest.raises(EmptyEvent):
            Event.from_triples(G, [])

    def test_only_triples_make_an_event(self) -> None:
        with pytest.raises(InvalidTerm, match="wanted a triple, found str"):
            Event.from_triples(G, ["a"])  # type: ignore[list-item]


class TestBlankNodes:
    def test_labels_in_nquads_are_kept(self) -> None:
        [event] = Event.parse("_:x <urn:p> _:y <urn:g> .")
        assert event.nquads == b"_:x <urn:p> _:y <urn:g> .\n"

    @pytest.mark.parametrize(
        ("format_", "text"),
        [
            ("turtle", "<urn:s> <urn:p> [ <urn:p> (1 [] _:x) ], _:x ."),
            ("trig", "<urn:g> { [] <urn:p> ([] ()) }"),
            (
                "jsonld",
                '{"urn:p": [{"urn:q": {"@list": [1, {"urn:r": 1}]}}, {"urn:q": 2}], "urn:a": {"urn:b": {"urn:c": 1}}}',
            ),
            (
                "rdfxml",
                '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description><rdf:value>'
                "<rdf:Description><rdf:value>1</rdf:value></rdf:Description></rdf:value></rdf:Description></rdf:RDF>",
            ),
        ],
    )
    def test_parsing_a_document_twice_gives_equal_events(self, format_: str, text: str) -> None:
        first, *others = [Event.parse(text, format_, graph=G, time=NOON) for _ in range(5)]
        assert all(other == first for other in others)
        assert b"_:b0 " in first[0].nquads

    def test_blank_nodes_keep_to_their_event(self) -> None:
        text = "<urn:g> { _:y <urn:p> _:x } <urn:h> { _:x <urn:p> _:x }"
        g, h = Event.parse(text, "trig")
        assert g.nquads == b"_:b0 <urn:p> _:b1 <urn:g> .\n"
        assert h.nquads == b"_:b0 <urn:p> _:b0 <urn:h> .\n"

    def test_a8_a_clique_of_blank_nodes_is_not_canonicalised(self) -> None:
        text = "".join(f"_:n{a} <urn:p> _:n{b} .\n" for a, b in CLIQUE)
        for format_ in ("nquads", "turtle"):
            [event] = Event.parse(text, format_, graph=G)
            assert len(event) == len(CLIQUE)


class TestInput:
    def test_a_file_is_read_by_its_suffix(self, tmp_path: Path) -> None:
        file = tmp_path / "event.ttl"
        file.write_text("<urn:s> <urn:p> 'a', [] .")
        [event] = Event.parse(file, graph=G)
        assert (len(event), event.source) == (2, str(file))
        assert Event.parse(str(file), graph=G) == [event]
        assert Event.parse(file, "trig", graph=G) == [event]
        assert Event.parse(file, None, graph=G, source="sensor")[0].source == "sensor"

    def test_a_file_of_unknown_suffix_is_nquads_unless_another_format_is_named(self, tmp_path: Path) -> None:
        file = tmp_path / "event.data"
        file.write_text('<urn:s> <urn:p> "a" <urn:g> .')
        assert len(Event.parse(file)) == 1
        with pytest.raises(UnknownFormat, match=r"wanted a known file suffix, .*found 'event\.data'"):
            Event.parse(file, None)

    def test_an_unknown_format_is_refused(self) -> None:
        with pytest.raises(UnknownFormat, match=r"wanted a known RDF format, .*found 'n3'"):
            Event.parse("", "n3")

    def test_an_error_names_the_file(self, tmp_path: Path) -> None:
        file = tmp_path / "event.nq"
        file.write_text('<urn:s> <urn:p> "a" <urn:g> .\noops')
        with pytest.raises(SyntaxProblem, match=r"event\.nq:2:1: "):
            Event.parse(file)

    def test_a_base_resolves_relative_iris(self) -> None:
        [event] = Event.parse('{"@id": "s", "urn:p": {"@id": ""}}', "jsonld", graph=G, base="http://example.org/")
        assert event.nquads == b"<http://example.org/s> <urn:p> <http://example.org/> <urn:g> .\n"


class TestLimits:
    def refused(self, text: str, limits: Limits, format_: str = "turtle") -> tuple[str, int]:
        with pytest.raises(LimitExceeded) as caught:
            Event.parse(text, format_, graph=G, source="message", limits=limits)
        assert caught.value.source == "message"
        return caught.value.limit, caught.value.allowed

    def test_a7_an_event_too_large_is_refused(self) -> None:
        text = "<urn:s> <urn:p> 'aaaaaaaaaa' ."
        [event] = Event.parse(text, "turtle", graph=G)
        size = len(event.nquads)
        assert Event.parse(text, "turtle", graph=G, limits=Limits(event_bytes=size)) == [event]
        assert self.refused(text, Limits(event_bytes=size - 1)) == ("event_bytes", size - 1)

    def test_a7_the_default_is_one_mebibyte(self) -> None:
        text = "".join(f'<urn:s> <urn:p> "{n}{"a" * 100_000}" .\n' for n in range(11))
        with pytest.raises(LimitExceeded, match="event too large"):
            Event.parse(text, graph=G)

    def test_a7_a_document_too_large_is_refused_before_it_is_parsed(self) -> None:
        assert self.refused("not even RDF", Limits(document_bytes=3)) == ("document_bytes", 3)

    def test_a_document_that_is_small_only_as_written_is_refused(self) -> None:
        text = f"@prefix a: <urn:{'a' * 100}> . " + "".join(f"a:g{n} {{ a: a: a:{n} }}" for n in range(100))
        assert len(text) < 3000
        assert self.refused(text, Limits(expanded_bytes=20_000), "trig") == ("expanded_bytes", 20_000)

    def test_too_many_quads_are_refused_at_the_first_too_many(self) -> None:
        text = "<urn:s> <urn:p> 1, 2, 3, 3 . THEN NONSENSE"
        assert self.refused(text, Limits(quads=2)) == ("quads", 2)

    def test_repeated_quads_and_those_of_other_events_do_not_count(self) -> None:
        text = "<urn:g> { <urn:s> <urn:p> 1, 2, 1 } <urn:h> { <urn:s> <urn:p> 1, 2 }"
        assert len(Event.parse(text, "trig", limits=Limits(quads=2))) == 2

    def test_long_literals_and_iris_are_refused(self) -> None:
        assert self.refused("<urn:s> <urn:p> 'aaaaaaaaaa' .", Limits(literal_length=9)) == ("literal_length", 9)
        assert self.refused("<urn:s> <urn:p> <urn:aaaaaa> .", Limits(iri_length=9)) == ("iri_length", 9)
        assert self.refused("<urn:s> <urn:p> 'a'^^<urn:aaaaaa> .", Limits(iri_length=9)) == ("iri_length", 9)
        nested = "<urn:s> <urn:p> <<( <urn:s> <urn:p> <urn:aaaaaa> )>> ."
        assert self.refused(nested, Limits(iri_length=9)) == ("iri_length", 9)

    def test_length_is_in_characters(self) -> None:
        assert Event.parse("<urn:s> <urn:p> 'ééééé' .", "turtle", limits=Limits(literal_length=5))

    def test_triples_at_hand_have_the_same_limits(self) -> None:
        with pytest.raises(LimitExceeded):
            Event.from_triples(G, [triple("a"), triple("b")], limits=Limits(quads=1))

    def test_a3_depth_is_refused(self) -> None:
        assert self.refused("<urn:s> <urn:p> ((())) .", Limits(depth=2)) == ("depth", 2)


class TestRepeats:
    def test_identical_repeats_are_dropped(self) -> None:
        a = Event.from_triples(G, [triple("a")], source="first")
        again = Event.from_triples(G, [triple("a")], source="second")
        b = Event.from_triples(H, [triple("a")])
        assert merge_repeats([a, b, again]) == [a, b]
        assert merge_repeats([a, again])[0].source == "first"

    def test_one_name_with_two_contents_is_a_conflict_that_names_both_sources(self) -> None:
        a = Event.from_triples(G, [triple("a")], source="first.nq")
        b = Event.from_triples(G, [triple("b")], source="second.nq")
        with pytest.raises(EventConflict) as caught:
            merge_repeats([a, b])
        assert str(caught.value) == (
            "second.nq: wanted one content for the event <urn:g>, found another in first.nq (2 triples differ)"
        )


_label = st.text("xyz", min_size=1, max_size=2)
_iri = st.builds(lambda name: NamedNode(f"urn:{name}"), _label)
_literal = st.one_of(
    st.builds(Literal, st.text(max_size=5)),
    st.builds(lambda text: Literal(text, language="en"), st.text(max_size=3)),
    st.builds(lambda text: Literal(text, datatype=XSD["integer"]), st.sampled_from(["1", "01", "abc"])),
)
_resource = st.one_of(_iri, st.builds(BlankNode, _label))
_triples = st.builds(Triple, _resource, _iri, st.one_of(_resource, _literal))


@given(st.lists(_triples, min_size=1, max_size=8))
def test_any_event_survives_its_own_nquads(triples: list[Triple]) -> None:
    event = Event.from_triples(G, triples)
    assert set(event.triples) == set(triples)
    assert Event.parse(event.nquads) == [event]
    assert Event.from_triples(G, reversed(triples)) == event


@given(st.binary(max_size=60), st.sampled_from(["nquads", "ntriples", "trig", "turtle", "jsonld", "rdfxml"]))
def test_a1_any_bytes_give_events_or_an_error_of_ours(data: bytes, format_: str) -> None:
    try:
        events = Event.parse(data, format_)
    except InputError:
        return
    assert events
