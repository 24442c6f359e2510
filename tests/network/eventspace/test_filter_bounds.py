"""Filters narrow the zones of a pattern, and never leave out one that could match: against brute force."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire.algebra.subscriptions import Subscription
from triplewire.matching import Matcher
from triplewire.network.can.geometry.coordinates import coordinate
from triplewire.network.can.geometry.space import SPACE, Dimension, bounds_of, exactly, point_of
from triplewire.network.can.geometry.splits import Split
from triplewire.network.can.messages import Address
from triplewire.network.eventspace.causality import Stamp
from triplewire.network.eventspace.chains import chain_bounds, chains_of, index_bounds, next_bounds
from triplewire.network.eventspace.messages import SpaceSubscription
from triplewire.rdf.events import Event
from triplewire.rdf.terms import XSD, BlankNode, Literal, NamedNode, Quad, Term, Triple

GRAPH, SUBJECT, P, Q = (NamedNode(f"urn:{name}") for name in ("g", "s", "p", "q"))
# Escaped characters, their neighbours in the order of the space, and what stands around quotes.
TEXTS = st.text('ab"\\\n\t\x00\x7f !#$[]~zé\ufffd\U0001f600', max_size=4)
LANGUAGES = st.sampled_from(["en", "en-gb", "fr"])
IRIS = st.sampled_from([NamedNode(f"urn:{name}") for name in ("a", "b", "b/c", "z", "z!")])
NUMBERS = st.sampled_from(["1", "01", "10", "9", "-3"]).map(lambda text: Literal(text, datatype=XSD["integer"]))
STRINGS = TEXTS.map(Literal)
TAGGED = st.builds(lambda text, language: Literal(text, language=language), TEXTS, LANGUAGES)
UNKNOWN = TEXTS.map(lambda text: Literal(text, datatype=NamedNode("urn:type")))
CONSTANTS = st.one_of(STRINGS, TAGGED, NUMBERS, IRIS, UNKNOWN)
TERMS = st.one_of(CONSTANTS, st.just(BlankNode("b")))

COMPARISONS = st.builds(
    lambda operator, constant, flipped: f"{constant} {operator} ?y" if flipped else f"?y {operator} {constant}",
    st.sampled_from(["=", "!=", "<", "<=", ">", ">="]),
    CONSTANTS,
    st.booleans(),
)
MEMBERSHIPS = st.lists(CONSTANTS, min_size=1, max_size=4).map(lambda found: f"?y IN ({', '.join(map(str, found))})")
PREFIXES = st.builds(
    lambda function, text: f"{function}(?y, {text})",
    st.sampled_from(["STRSTARTS", "CONTAINS", "STRENDS"]),
    st.one_of(STRINGS, TAGGED),
)
TESTS = st.one_of(COMPARISONS, MEMBERSHIPS, PREFIXES)
FILTERS = st.recursive(
    TESTS,
    lambda inner: st.one_of(
        st.builds(lambda a, b: f"({a} && {b})", inner, inner),
        st.builds(lambda a, b: f"({a} || {b})", inner, inner),
        inner.map(lambda one: f"(!({one}))"),
    ),
    max_leaves=3,
)


def subscription(patterns: str, condition: str) -> SpaceSubscription:
    text = f"ASK {{ {patterns} FILTER({condition}) }}"
    return SpaceSubscription(Stamp("n", 1), Address("n", "at-n"), "sparql", text)


@given(FILTERS, st.lists(TERMS, min_size=1, max_size=6))
def test_a_first_pattern_is_indexed_wherever_it_could_match(condition: str, terms: list[Term]) -> None:
    asked = subscription("?x <urn:p> ?y", condition)
    for number, chain in enumerate(chains_of(asked)):
        begun = chain.begin(GRAPH)
        for term in terms:
            if begun is not None and chain.extend(begun, (SUBJECT, P, term)) is not None:
                point = point_of(Quad(SUBJECT, P, term, GRAPH))
                assert any(point in box for box in index_bounds(asked))
                assert any(point in box for box in chain_bounds(asked, number, GRAPH.value))


@given(FILTERS, st.lists(TERMS, min_size=1, max_size=6))
def test_a_rewriting_goes_wherever_it_could_match(condition: str, terms: list[Term]) -> None:
    asked = subscription("?x <urn:p> ?z . ?x <urn:q> ?y", condition)
    for number, chain in enumerate(chains_of(asked)):
        begun = chain.begin(GRAPH)
        reached = chain.extend(begun, (SUBJECT, P, GRAPH)) if begun else None
        for term in terms:
            if reached is not None and chain.extend(reached, (SUBJECT, Q, term)) is not None:
                point = point_of(Quad(SUBJECT, Q, term, GRAPH))
                assert any(point in box for box in next_bounds(asked, number, reached, GRAPH))


PARTS = st.sampled_from(["urn:", "urn:b", "urn:b/", "z", "a", "", "1"])
GENERAL = st.one_of(
    st.builds(lambda part: f'STRSTARTS(STR(?y), "{part}")', PARTS),
    st.builds(lambda sign, part: f'STR(?y) {sign} "{part}"', st.sampled_from(["=", "<", "<=", ">", ">="]), PARTS),
    st.sampled_from(["isIRI(?y)", "isLiteral(?y)", "isBlank(?y)", "sameTerm(?y, <urn:b>)"]),
)
MIXED = st.builds(lambda one, link, other: f"{one} {link} {other}", GENERAL, st.sampled_from(["&&", "||"]), TESTS)


@given(st.one_of(GENERAL, MIXED), st.lists(TERMS, min_size=1, max_size=6))
def test_the_general_lane_is_indexed_wherever_it_could_match(condition: str, terms: list[Term]) -> None:
    asked = subscription("?x <urn:p> ?y", condition)
    matcher = Matcher()
    matcher.add(Subscription.parse(asked.text, id="s"))
    for term in terms:
        if list(matcher.match(Event.from_triples(GRAPH, [Triple(SUBJECT, P, term)]))):
            point = point_of(Quad(SUBJECT, P, term, GRAPH))
            assert any(point in box for box in index_bounds(asked))


def test_a_prefix_of_iris_leaves_out_other_iris() -> None:
    asked = subscription("GRAPH ?g { ?y <urn:p> ?z }", 'STRSTARTS(STR(?y), "http://example.org/")')
    bounds = index_bounds(asked)
    for iri, is_touched in (("http://example.org/a", True), ("http://example.com/a", False), ("urn:a", False)):
        box = bounds_of(subject=exactly(coordinate(NamedNode(iri))))
        assert any(found.touches(box) for found in bounds) == is_touched


def test_what_a_sub_select_keeps_to_itself_is_not_bounded_from_outside() -> None:
    inner = "{ SELECT ?x { ?x <urn:p> ?y } }"
    bounds = index_bounds(subscription(f"{inner} ?y <urn:q> ?v", 'STRSTARTS(STR(?y), "urn:b")'))
    assert any(point_of(Quad(SUBJECT, P, NamedNode("urn:a"), GRAPH)) in box for box in bounds)


@pytest.mark.parametrize(
    ("condition", "left_out"),
    [
        ('STRSTARTS(?y, "m")', ["l", "n"]),
        ('?y >= "m"', ["a", "l"]),
        ('?y < "m"', ["n", "z"]),
        ('!(?y < "m")', ["a"]),
        ('?y IN ("c", "m")', ["a", "d", "z"]),
        ('?y = "c" || ?y = "m"', ["a", "d", "z"]),
    ],
)
def test_zones_are_left_out(condition: str, left_out: list[str]) -> None:
    bounds = index_bounds(subscription("?x <urn:p> ?y", condition))
    for text in left_out:
        assert not any(box.touches(bounds_of(object=exactly(coordinate(Literal(text))))) for box in bounds)
    assert not any(box.touches(bounds_of(object=exactly(b"<urn:a>"))) for box in bounds)


def test_a_range_of_numbers_leaves_out_no_number() -> None:
    """The order of the space is that of texts: "10" comes before "9"."""
    (box,) = index_bounds(subscription("?x <urn:p> ?y", "?y > 9"))
    assert all(coordinate(Literal(text, datatype=XSD["integer"])) in box.object for text in ("10", "9", "-3"))


def test_many_choices_become_a_few_boxes() -> None:
    choices = ", ".join(f'"{number:03}"' for number in range(200))
    bounds = index_bounds(subscription("?x <urn:p> ?y", f"?y IN ({choices})"))
    assert 0 < len(bounds) <= 16
    _, upper = Split(Dimension.OBJECT, coordinate(Literal("2"))).halves(SPACE)
    assert not any(box.touches(upper) for box in bounds)
