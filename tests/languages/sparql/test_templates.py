"""Whatever texts were read before, a text becomes the query, or the error, that the parser alone makes of it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.languages.sparql import corpus
from tests.languages.text_pairs import text_pairs, texts

from triplewire.algebra.queries import FastQuery, Query
from triplewire.errors import TriplewireError
from triplewire.languages.sparql import SparqlLanguage
from triplewire.languages.sparql.templates import Templates
from triplewire.testing import workloads
from triplewire.testing.strategies import canonical_events, events, fast_sparql, general_sparql

MANY = settings().max_examples > 100
PLAIN = SparqlLanguage().parse_whole

# What a constant may be replaced by: of the same kind or not, equal to others, no term, no token, no constant at all.
IRIS = [
    "<urn:a>",
    "<urn:b>",
    "<urn:p>",
    "<a>",
    "<>",
    "<urn:triplewire:isA>",
    "<urn:a b>",
    "<urn:\ud800>",
    "a",
    "?x",
    ":a",
]
STRINGS = ['"a"', '"b"', '"it\'s"', '"#"', '""', '"true"', '"1"', "'a'", '"""a"""', '"a\\n"', '"<urn:a>"', '"a', '"\0"']
NUMBERS = ["5", "05", "5.0", "-5", "+5", "1e3", "5.", "999999999999999999", "700" * 100]
PIECE = re.compile(r'<[^<>\s]*>|"[^"\n]*"|(?<![\w:?.])[+-]?\d+(?:\.\d+)?')


def outcome(parse, text: str) -> object:
    try:
        return parse(text)
    except TriplewireError as error:
        return type(error), str(error), error.__dict__


def check(templated: SparqlLanguage, text: str) -> None:
    assert outcome(templated.parse, text) == outcome(PLAIN, text)


def check_again_and_again(text: str) -> None:
    """Met once, met again, and made from its template."""
    templated = SparqlLanguage()
    for _ in range(3):
        check(templated, text)


@st.composite
def changed(draw, text: str) -> str:
    """The text with some of its constants replaced."""
    pool = st.sampled_from(IRIS + STRINGS + NUMBERS)

    def other(found: re.Match[str]) -> str:
        return draw(pool) if draw(st.integers(0, 2)) == 0 else found.group()

    return PIECE.sub(other, text)


@settings(max_examples=1500 if MANY else 100)
@given(events(), st.data())
def test_texts_with_other_constants_have_the_parsers_own_query_or_error(event, data):
    text, templated = data.draw(fast_sparql(event.triples)), SparqlLanguage()
    for _ in range(2):
        check(templated, text)
    for _ in range(4):
        check(templated, data.draw(changed(text)))


@settings(max_examples=800 if MANY else 50)
@given(canonical_events(), st.data())
def test_so_do_texts_of_the_general_lane(event, data):
    text, templated = data.draw(general_sparql(event.triples)), SparqlLanguage()
    for other in [text, text, data.draw(changed(text)), data.draw(changed(text))]:
        check(templated, other)


@pytest.mark.parametrize("query", texts("sparql/accepted.txt"))
def test_every_query_of_the_corpus(query):
    check_again_and_again(corpus.with_prologue(query))


@pytest.mark.parametrize(("text", "expected"), text_pairs("sparql/refused.txt"))
def test_every_error_of_the_corpus(text, expected):
    check_again_and_again(text)


@pytest.mark.parametrize("name", ["mixed", "ranges", "zipf", "substrings", "taxonomy", "graphs", "library"])
def test_every_workload(name):
    templated = SparqlLanguage()
    for row in getattr(workloads, name)(200, 1).rows():
        if row.language == "sparql":
            check(templated, row.text)


class Counting:
    """The parser, which counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, text: str) -> Query:
        self.calls += 1
        return PLAIN(text)


def calls_for(*given_texts: str) -> list[int]:
    """How often the parser was called for each text, of which each must have its own query."""
    counting, counted = Counting(), []
    templates = Templates(counting, 10_000)
    for text in given_texts:
        before = counting.calls
        assert outcome(templates.parse, text) == outcome(PLAIN, text)
        counted.append(counting.calls - before)
    return counted


class TestWhenTheParserIsCalled:
    def test_for_the_first_two_of_a_frame_and_once_to_learn_it(self):
        frame = 'SELECT ?s {{ ?s <urn:p{0}> "{0}", {0} FILTER(?s != <urn:s{0}>) }}'
        assert calls_for(*[frame.format(number) for number in range(1, 6)]) == [1, 2, 0, 0, 0]

    @pytest.mark.parametrize(
        "frame",
        [
            'ASK {{ ?s <urn:p> "{}"^^<http://www.w3.org/2001/XMLSchema#date> }}',
            'PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> ASK {{ ?s xsd:p "{}"^^xsd:date }}',
            'ASK {{ ?s <urn:p> "{}"@en-GB }}',
            "ASK {{ ?s <urn:p> ?n FILTER(?n > -{}) }}",
            "ASK {{ ?s <urn:p> ?n FILTER(?n IN (1{0}, 2{0}.5,3{0})) }}",
            "ASK {{ ?s <urn:p> ?c FILTER <urn:triplewire:isA>(?c, <urn:C{}>) }}",
            'ASK {{ ?s <urn:p> ?c FILTER(CONTAINS(?c, "text {}") || STRSTARTS(?c, "{}")) }}',
            "CONSTRUCT {{ ?s a <urn:C{}> }} WHERE {{ GRAPH <urn:g{}> {{ ?s a <urn:D{}> }} }}",
        ],
    )
    def test_these_become_templates(self, frame):
        assert calls_for(*[frame.format(n, n + "1", n + "2") for n in ("12", "13", "14")]) == [1, 2, 0]

    def test_a_text_whose_constants_are_equal_in_another_way_has_a_frame_of_its_own(self):
        frame = "ASK {{ ?s <urn:p> ?n FILTER(?n > {} && ?n > {}) }}"
        assert calls_for(*[frame.format(*pair) for pair in [(1, 2), (3, 4), (5, 6), (7, 7), (8, 8), (9, 9)]]) == [
            *(1, 2, 0),
            *(1, 2, 0),
        ]

    def test_equal_numbers_that_are_cut_differently_go_to_the_parser(self):
        frame = "ASK {{ ?s <urn:p> ?n FILTER(?n >{} && ?n > {}) }}"
        assert calls_for(*[frame.format(*pair) for pair in [(1, 2), (3, 4), (5, 6), (7, 7)]]) == [1, 2, 0, 1]

    def test_so_does_a_constant_that_equals_what_stays(self):
        frame = "PREFIX : <urn:> ASK {{ ?s :p ?x FILTER(?x != :a && ?x != <{}>) }}"
        assert calls_for(*[frame.format(name) for name in ["urn:b", "urn:c", "urn:d", "urn:a"]]) == [1, 2, 0, 1]

    @pytest.mark.parametrize(
        "frame",
        [
            "BASE <urn:{}> ASK {{ ?s <urn:p> <x> }}",
            "ASK {{ ?s <urn:p> ?o FILTER(<urn:{}> (?o)) }}",
            'ASK {{ ?s <urn:p> ?o FILTER("{}"^^<http://www.w3.org/2001/XMLSchema#boolean>) }}',
            "ASK {{ ?s <urn:p> ?o OPTIONAL {{ ?o <urn:q{}> ?x }} }}",
            "ASK {{ ?s <urn:p> ?o FILTER(?nobody > {}) }}",
            "ASK {{ ?s <urn:p> '<urn:{}>' }}",
            'ASK {{ ?s <urn:p> "\\u0041", <urn:{}> }}',
            "SELECT ?s {{ ?s <urn:p> ?o }} LIMIT {} OFFSET 1",
            "ASK {{ # not this one: <urn:{}>\n ?s <urn:p> ?o }}",
        ],
    )
    def test_these_are_given_up(self, frame):
        assert min(calls_for(*[frame.format(number) for number in range(5)])) >= 1

    def test_long_texts_are_left_to_it(self):
        text = f"ASK {{ ?s <urn:p> <urn:{'x' * 5_000}> }}"
        assert calls_for(text, text, text) == [1, 1, 1]

    def test_frames_are_forgotten_when_there_are_too_many(self):
        frame, counting = "ASK {{ ?s <urn:p> <urn:o> . ?s <urn:q> ?v{} }}", Counting()
        templates = Templates(counting, 10_000)
        for number in range(1_100):
            templates.parse(frame.format(number))
        assert len(templates._frames) < 1_100


def test_a_template_makes_equal_queries_and_not_the_same_constants():
    templated = SparqlLanguage()
    made = [templated.parse(f"ASK {{ ?s <urn:p> {number} }}") for number in range(4)]
    assert len({query.core for query in made if isinstance(query, FastQuery)}) == 4
