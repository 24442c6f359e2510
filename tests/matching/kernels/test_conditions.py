"""The kernel's word on a test is the algebra's word: YES and NO must agree, and only UNSURE may leave it open."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from triplewire.algebra.constraints import (
    Comparator,
    ComparisonTest,
    Condition,
    Constraint,
    IntegerTest,
    MembershipTest,
    TextRelation,
    TextTest,
)
from triplewire.algebra.evaluation import met
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Ask, Core, FastQuery
from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.kernels.layout import NO, YES
from triplewire.matching.scanning.scanner import scan
from triplewire.matching.segments.live_index import LiveIndex
from triplewire.matching.segments.search import MATCH_EVENT, MATCH_OUTCOME, MATCH_SUBSCRIPTION
from triplewire.rdf.events import Event
from triplewire.rdf.terms import XSD, BlankNode, Literal, NamedNode, Triple

X, Y = Variable("x"), Variable("y")
P, Q, S = NamedNode("urn:p"), NamedNode("urn:q"), NamedNode("urn:s")


def typed(lexical: str, datatype: str) -> Literal:
    return Literal(lexical, datatype=XSD[datatype])


NUMBERS = [
    *(typed(text, "integer") for text in ("0", "-0", "1", "01", "+1", "-7", "16777217", "9007199254740991")),
    *(typed(text, "integer") for text in ("9007199254740992", "9007199254740993", "9223372036854775807", "1" * 25)),
    *(
        typed(text, "decimal")
        for text in ("1.0", ".5", "1.", "0.1", "0.3", "0.1000000000000000055", "0.333333333333333333")
    ),
    *(typed(text, "decimal") for text in ("9007199254740993.0", "16777217.0", "0.10000000149011612")),
    *(
        typed(text, "double")
        for text in ("1", "1e0", "0.1", "-0e0", "INF", "-INF", "NaN", "9007199254740993e0", "3e-1")
    ),
    *(typed(text, "float") for text in ("1", "0.1", "16777216", "16777217", "NaN", "INF", "3.4e38", "1e-45")),
    *(typed("1", name) for name in ("int", "long", "byte", "unsignedByte", "positiveInteger")),
    typed("300", "byte"),
    typed("-1", "unsignedInt"),
]
ODD = [
    typed("abc", "integer"),
    typed("", "integer"),
    typed(" 1", "integer"),
    typed("1e5", "decimal"),
    typed("0x1A", "integer"),
    typed("١", "integer"),
    typed("1,5", "decimal"),
    typed("true", "boolean"),
    typed("1", "boolean"),
    typed("maybe", "boolean"),
    Literal("1", datatype=NamedNode("urn:own")),
    typed("2020-01-01", "date"),
    typed("2020-01-01Z", "date"),
    typed("2020-01-01T00:00:00", "dateTime"),
    typed("2020-01-01T05:30:00+05:30", "dateTime"),
    typed("2020-13-01", "date"),
    typed("12:00:00", "time"),
    typed("P1Y", "duration"),
]
TEXTS = [
    Literal(""),
    Literal("abc"),
    Literal("xabcx"),
    Literal("ab\nc"),
    Literal("a\tbc"),
    Literal('say "abc"'),
    Literal("back\\slash"),
    Literal("bell\u0007abc"),
    Literal("\u007fabc"),
    Literal("naïve Ωmega 𝒳"),
    Literal("abc", language="en"),
    Literal("abc", language="de-CH"),
    Literal("ab\nc", language="en"),
    typed("abc", "token"),
    Literal("abc", datatype=NamedNode("urn:own")),
]
OTHERS = [NamedNode("urn:abc"), NamedNode("urn:other"), BlankNode("b")]
VALUES = [*NUMBERS, *ODD, *TEXTS, *OTHERS]

COMPARED = [
    *(NUMBERS[n] for n in (0, 2, 6, 8, 9, 10)),
    typed("0.1", "decimal"),
    typed("0.1000000000000000055", "decimal"),
    typed("0.333333333333333333", "decimal"),
    typed("0.1", "double"),
    typed("0.1", "float"),
    typed("16777216", "float"),
    typed("NaN", "double"),
    typed("INF", "double"),
    typed("true", "boolean"),
    typed("2020-01-01", "date"),
    typed("2020-01-01T00:00:00Z", "dateTime"),
    Literal("abc"),
    Literal("abc", language="en"),
    Literal("1"),
    typed("abc", "integer"),
    Literal("abc", datatype=NamedNode("urn:own")),
    NamedNode("urn:abc"),
]
SOUGHT = [
    "",
    "a",
    "abc",
    "b\nc",
    "\t",
    '"abc"',
    "\\",
    "\\s",
    "\u0007",
    "\u007f",
    "ï",
    "Ωmega",
    "𝒳",
    "n",
    "u0007",
    "007F",
]
LISTS = [
    (),
    (Literal("abc"),),
    (Literal("abc"), typed("1", "integer")),
    (typed("1", "integer"), NamedNode("urn:abc"), Literal("xabcx")),
    (typed("abc", "integer"), Literal("abc")),
    (typed("2020-01-01", "date"), typed("0.1", "decimal")),
    (NamedNode("urn:abc"), NamedNode("urn:other")),
    tuple(typed(str(n), "integer") for n in range(40)),
]
TESTS = [
    *(ComparisonTest(operator, X, constant) for operator, constant in product(Comparator, COMPARED)),
    *(ComparisonTest(operator, typed("1", "integer"), X) for operator in Comparator),
    *(TextTest(relation, X, Literal(text)) for relation, text in product(TextRelation, SOUGHT)),
    *(TextTest(relation, X, Literal("abc", language="en")) for relation in TextRelation),
    *(MembershipTest(X, constants) for constants in LISTS),
    IntegerTest(X),
]
CONDITIONS = [Condition(test, holds) for test, holds in product(TESTS, (True, False))]


def outcomes(conditions: list[tuple[Condition, ...]], events: list[Event], patterns=None) -> dict[tuple[int, int], int]:
    """What the kernels say, by event and alternative; what is left out is NO."""
    patterns = patterns or (Pattern(S, P, X),)
    engine = LiveIndex(99)
    for number, alternative in enumerate(conditions):
        query = FastQuery(Ask(), Core(patterns, Constraint((alternative,))))
        engine.add(Subscription(str(number), "sparql", "", query))
    [found] = engine.search(scan(b"".join(event.nquads for event in events), engine.seed), 10_000)
    rows = found.matches[:, [MATCH_EVENT, MATCH_SUBSCRIPTION, MATCH_OUTCOME]].tolist()
    return {(event, int(found.segment.id_of(number))): outcome for event, number, outcome in rows}


def event_of(number: int, *triples: Triple) -> Event:
    return Event.from_triples(NamedNode(f"urn:event:{number:03}"), triples)


def agrees(outcome: int, truth: bool) -> bool:
    return truth if outcome == YES else not truth if outcome == NO else True


@pytest.fixture(scope="module")
def table() -> dict[tuple[int, int], int]:
    events = [event_of(n, Triple(S, P, value)) for n, value in enumerate(VALUES)]
    return outcomes([(condition,) for condition in CONDITIONS], events)


@pytest.mark.parametrize("value", range(len(VALUES)), ids=lambda n: str(VALUES[n])[:40])
def test_every_condition_on_a_value(table, value: int) -> None:
    wrong = [
        (CONDITIONS[n], table.get((value, n), NO))
        for n in range(len(CONDITIONS))
        if not agrees(table.get((value, n), NO), met(CONDITIONS[n], {X: VALUES[value]}))
    ]
    assert not wrong


DECIDED = [
    (typed("1", "integer"), ComparisonTest(Comparator.LESS, X, typed("2", "integer"))),
    (typed("0.5", "decimal"), ComparisonTest(Comparator.LESS, X, typed("0.7", "decimal"))),
    (typed("1e0", "double"), ComparisonTest(Comparator.EQUAL, X, typed("1", "integer"))),
    (typed("7", "byte"), IntegerTest(X)),
    (Literal("abc"), ComparisonTest(Comparator.EQUAL, X, Literal("abc"))),
    (Literal("xabcx"), TextTest(TextRelation.CONTAINS, X, Literal("abc"))),
    (Literal("abc", language="en"), TextTest(TextRelation.STARTS, X, Literal("ab"))),
    (NamedNode("urn:abc"), MembershipTest(X, (NamedNode("urn:x"), NamedNode("urn:abc")))),
]


@pytest.mark.parametrize(("value", "test"), DECIDED)
def test_what_is_common_is_decided_without_evaluation(value, test) -> None:
    assert outcomes([(Condition(test),)], [event_of(0, Triple(S, P, value))]) == {(0, 0): YES}


def test_two_variables() -> None:
    pairs = list(product(VALUES, VALUES))
    patterns = (Pattern(S, P, X), Pattern(S, Q, Y))
    conditions = [Condition(ComparisonTest(op, X, Y), holds) for op, holds in product(Comparator, (True, False))]
    events = [event_of(n, Triple(S, P, x), Triple(S, Q, y)) for n, (x, y) in enumerate(pairs)]
    table = outcomes([(condition,) for condition in conditions], events, patterns)
    wrong = [
        (pair, condition)
        for (event, pair), (number, condition) in product(enumerate(pairs), enumerate(conditions))
        if not agrees(table.get((event, number), NO), met(condition, {X: pair[0], Y: pair[1]}))
    ]
    assert not wrong


digits = st.integers(0, 10**20).map(str)
decimals = st.builds("{}.{}".format, st.integers(-(10**9), 10**9), st.integers(0, 10**17))
doubles = st.floats(allow_nan=False).map(repr).map(lambda text: text.replace("inf", "INF"))
numbers = st.one_of(
    digits.map(lambda text: typed(text, "integer")),
    decimals.map(lambda text: typed(text, "decimal")),
    doubles.map(lambda text: typed(text, "double")),
    doubles.map(lambda text: typed(text, "float")),
)


@st.composite
def neighbours(draw) -> tuple[Literal, Literal]:
    """Two numbers that are equal, or nearly."""
    first = draw(numbers)
    nearest = float(first.value)
    text = repr(nearest).replace("inf", "INF")
    other = st.sampled_from([typed(text, "double"), typed(text, "float"), first])
    return first, draw(st.one_of(other, numbers))


@settings(max_examples=150)
@given(st.lists(neighbours(), min_size=6, max_size=12))
@example([(typed("9007199254740993", "integer"), typed("9007199254740992", "double"))])
@example([(typed("0.30000000000000001665", "decimal"), typed("0.3", "double"))])
@example([(typed("0.17275721742606226", "double"), typed("0.172757217426062276", "decimal"))])
@example([(typed("0.172757217426062276", "decimal"), typed("0.17275721742606226", "double"))])
def test_numbers_that_nearly_tie(pairs: list[tuple[Literal, Literal]]) -> None:
    """Also as a range: the interval that files a subscription must hold every number that satisfies it."""
    events = [event_of(n, Triple(S, P, value)) for n, (value, _) in enumerate(pairs)]
    conditions = [Condition(ComparisonTest(op, X, constant)) for op in Comparator for _, constant in pairs]
    table = outcomes([(condition,) for condition in conditions], events)
    for (event, (value, _)), (number, condition) in product(enumerate(pairs), enumerate(conditions)):
        truth = met(condition, {X: value})
        assert agrees(table.get((event, number), NO), truth), (value, condition)
