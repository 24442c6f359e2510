"""Bounds are sound: whatever satisfies a filter lies within them."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Quad, Store
from tests.network.can.shapes import INTERVALS, VALUES
from tests.network.queries.generating import COMPARATORS, EX, IRIS, LITERALS, TEXTS

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.parsing.parser import parse_query
from triplewire.languages.sparql.syntax import ast
from triplewire.network.can.geometry.coordinates import coordinate
from triplewire.network.queries.bounds.filters import bounds_of_condition
from triplewire.network.queries.bounds.intervals import EVERYTHING, Intervals, union_of
from triplewire.network.queries.bounds.spellings import spellings_of
from triplewire.rdf.terms import BlankNode, Literal, NamedNode, Term, Triple

TERMS: list[Term] = [
    *IRIS,
    *LITERALS,
    BlankNode("n"),
    Triple(IRIS[0], IRIS[1], LITERALS[0]),
    *(
        NamedNode(text)
        for text in ("http:", "http://a", "http://a.b", "http://a.b/", "http://a/b", "urn:x", "http://é")
    ),
]


def bounds(condition: str) -> Intervals:
    tree = parse_query(f"ASK {{ ?s ?p ?v FILTER({condition}) }}")
    [found] = [element for element in tree.where.elements if isinstance(element, ast.Filter)]
    return bounds_of_condition(found.condition).get(Variable("v"), EVERYTHING)


STORE = Store()
STORE.extend(Quad(NamedNode(f"urn:{at}"), NamedNode("urn:p"), term) for at, term in enumerate(TERMS))


def satisfying(condition: str) -> list[Term]:
    """The terms for which Oxigraph finds a condition to be true."""
    rows = STORE.query(f"SELECT ?s {{ ?s ?p ?v FILTER({condition}) }}")
    return [TERMS[int(row["s"].value.removeprefix("urn:"))] for row in rows]


CONSTANTS = [*map(str, LITERALS), *map(str, IRIS)]
STRINGS = [str(Literal(text)) for text in (*TEXTS, EX, f"{EX}a", f"{EX}a/", "http://a.b", "http://a.b/", "t", "P")]
CONDITIONS = [
    *(f"?v {sign} {constant}" for sign in COMPARATORS for constant in CONSTANTS),
    *(f"{constant} {sign} ?v" for sign in COMPARATORS for constant in CONSTANTS[::5]),
    *(f"STR(?v) {sign} {text}" for sign in COMPARATORS for text in STRINGS),
    *(f"STRSTARTS({what}, {text})" for what in ("?v", "STR(?v)") for text in STRINGS),
    *(f"sameTerm(?v, {constant})" for constant in CONSTANTS),
    *(f"{name}(?v)" for name in ("isIRI", "isLITERAL", "isBLANK", "isNUMERIC")),
    *(f"?v IN ({one}, {two})" for one, two in zip(CONSTANTS, CONSTANTS[7:], strict=False)),
    *(f"?v < {one} || ?v >= {two}" for one, two in zip(STRINGS, STRINGS[3:], strict=False)),
    *(f"?v < {one} && !(?v = {two})" for one, two in zip(STRINGS, STRINGS[3:], strict=False)),
]


@pytest.mark.parametrize("part", range(8))
def test_what_satisfies_a_condition_lies_within_its_bounds(part: int) -> None:
    for condition in CONDITIONS[part::8]:
        within = bounds(condition)
        outside = [term for term in satisfying(condition) if coordinate(term) not in within]
        assert not outside, condition


_ODD = 'am!z"\\ \n\x7f\ufffeé0'


@given(st.text(_ODD, max_size=4), st.lists(st.text(_ODD, max_size=5), max_size=6))
def test_ranges_of_strings_hold_all_strings_in_them(border: str, texts: list[str]) -> None:
    for sign, compare in (("<", str.__lt__), ("<=", str.__le__), (">", str.__gt__), (">=", str.__ge__)):
        within = bounds(f"?v {sign} {Literal(border)}")
        for text in texts:
            if compare(text, border):
                assert coordinate(Literal(text)) in within


@pytest.mark.parametrize(
    ("condition", "term", "is_within"),
    [
        ("?v < 'm'", Literal("n"), False),
        ("?v < 'm'", Literal("l"), True),
        ("?v < 'm'", Literal("m"), False),
        ("?v <= 'm'", Literal("m"), True),
        ("?v >= 'm'", Literal("l"), False),
        ("?v = 'm'", Literal("mm"), False),
        ("?v > 5", Literal("abc"), False),
        ("?v > 5", NamedNode("urn:a"), False),
        ("STRSTARTS(STR(?v), 'http://a')", NamedNode("http://b"), False),
        ("STRSTARTS(STR(?v), 'http://a')", Literal("http://b"), False),
        ("STRSTARTS(?v, 'a')", Literal("ba"), False),
        ("STR(?v) < 'http://b'", NamedNode("http://c"), False),
        ("?v = <urn:a> || ?v = <urn:b>", NamedNode("urn:aa"), False),
    ],
)
def test_bounds_are_as_narrow_as_the_order_allows(condition: str, term: Term, is_within: bool) -> None:
    assert (coordinate(term) in bounds(condition)) is is_within


def test_what_oxigraph_holds_to_be_one_term_lies_among_its_spellings() -> None:
    for term in TERMS:
        if isinstance(term, NamedNode | Literal):
            rows = STORE.query(f"SELECT ?s {{ ?s ?p {term} }}")
            same = [TERMS[int(row["s"].value.removeprefix("urn:"))] for row in rows]
            assert term in same
            assert all(coordinate(other) in spellings_of(term) for other in same)


@given(st.lists(INTERVALS, max_size=5), st.lists(INTERVALS, max_size=5), VALUES)
def test_unions_of_intervals_are_sets(ours: list, theirs: list, value: bytes) -> None:
    one, other = union_of(ours), union_of(theirs)
    is_in_one, is_in_other = any(value in part for part in ours), any(value in part for part in theirs)
    assert (value in one, value in other) == (is_in_one, is_in_other)
    assert (value in (one & other)) is (is_in_one and is_in_other)
    assert (value in (one | other)) is (is_in_one or is_in_other)
    assert value in one.hull or value not in one


def test_many_intervals_are_intersected_in_one_pass() -> None:
    rng = Random(0)
    values = [bytes([rng.randrange(256) for _ in range(3)]) for _ in range(2000)]
    one = union_of(spellings_of(NamedNode(f"urn:{value.hex()}")).parts[0] for value in values)
    assert (one & one) == one
