"""`rdf.literals.values` against Oxigraph's FILTER, pair by pair, and against what SPARQL 1.1 says."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rdf.literals.nasty_terms import TERMS
from tests.rdf.literals.oracle import outcomes

from triplewire.rdf.literals.values import Kind, compare, equal, is_integer, kind_of, less, number
from triplewire.rdf.terms import XSD, BlankNode, Literal, NamedNode, Term, Triple

OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
EXPRESSIONS = [f"?a {operator} ?b" for operator in OPERATORS]


def ours(a: Term, b: Term) -> tuple[bool | None, ...]:
    return tuple(compare(operator, a, b) for operator in OPERATORS)


def differences(left: list[Term], right: list[Term]) -> list[str]:
    return [
        f"{a} ? {b}: wanted {wanted}, found {ours(a, b)}"
        for a, b, wanted in outcomes(EXPRESSIONS, left, right)
        if ours(a, b) != wanted
    ]


def typed(name: str, lexical: str) -> Literal:
    return Literal(lexical, datatype=XSD[name])


def integer(lexical: str) -> Literal:
    return typed("integer", lexical)


def test_all_pairs_of_nasty_terms_compare_as_in_oxigraph() -> None:
    assert differences(TERMS, TERMS) == []


# Numbers, dates and durations near each other, so that most pairs are comparable and some are equal.
_digits = st.text("0123456789", max_size=3)
_long_digits = st.text("0123456789", min_size=15, max_size=22)
_sign = st.sampled_from(["", "", "-", "+"])
_number = st.builds(
    lambda sign, whole, point, fraction: sign + whole + point + (fraction if point else ""),
    _sign,
    st.one_of(_digits, _digits, _long_digits),
    st.sampled_from(["", "."]),
    st.one_of(_digits, _long_digits),
)
_exponent = st.sampled_from(["", "", "e0", "E1", "e-1", "e", "e+20", "e-20", "e300"])
_zone = st.sampled_from(["", "", "Z", "+14:00", "-14:00", "+05:30", "-00:00", "+14:01", "+00:60", "+1:00"])
_year = st.sampled_from(["2020", "2019", "1900", "2000", "0000", "-0004", "-0000", "99999", "020", "12345678901"])
_month = st.sampled_from(["01", "02", "04", "12", "00", "13", "1"])
_day = st.sampled_from(["01", "15", "28", "29", "30", "31", "32", "00"])
_time = st.sampled_from(
    [
        "00:00:00",
        "24:00:00",
        "14:00:00",
        "10:00:00",
        "23:59:59",
        "14:00:00.000000000000000001",
        "24:00:00.0",
        "24:00:01",
        "09:59:59.9",
        "12:60:00",
        "12:00:60",
        "12:00:00.",
        "12:00",
        "00:00:00.1234567890123456789",
    ]
)
_count = st.one_of(st.just(""), st.integers(0, 99).map(str), st.integers(100, 40_000).map(str))


def _duration_of(sign: str, counts: list[str], fraction: str) -> str:
    years, months, days, hours, minutes, seconds = (c and c + u for c, u in zip(counts, "YMDHMS", strict=True))
    seconds = seconds.replace("S", f"{fraction}S")
    time = hours + minutes + seconds
    return f"{sign}P{years}{months}{days}" + (f"T{time}" if time else "")


_duration = st.builds(
    _duration_of,
    st.sampled_from(["", "-"]),
    st.lists(_count, min_size=6, max_size=6),
    st.sampled_from(["", ".5", ".000000000000000001", ".", ".0"]),
)

FAMILIES = {
    "numbers": st.one_of(
        st.builds(typed, st.sampled_from(["integer", "long", "decimal"]), _number),
        st.builds(typed, st.sampled_from(["float", "double"]), st.builds(str.__add__, _number, _exponent)),
    ),
    "dateTime": st.builds(
        lambda y, m, d, t, z: typed("dateTime", f"{y}-{m}-{d}T{t}{z}"), _year, _month, _day, _time, _zone
    ),
    "date": st.builds(lambda y, m, d, z: typed("date", f"{y}-{m}-{d}{z}"), _year, _month, _day, _zone),
    "time": st.builds(lambda t, z: typed("time", t + z), _time, _zone),
    "months": st.one_of(
        st.builds(lambda y, z: typed("gYear", y + z), _year, _zone),
        st.builds(lambda y, m, z: typed("gYearMonth", f"{y}-{m}{z}"), _year, _month, _zone),
        st.builds(lambda m, z: typed("gMonth", f"--{m}{z}"), _month, _zone),
        st.builds(lambda m, d, z: typed("gMonthDay", f"--{m}-{d}{z}"), _month, _day, _zone),
        st.builds(lambda d, z: typed("gDay", f"---{d}{z}"), _day, _zone),
    ),
    "durations": st.builds(
        typed, st.sampled_from(["duration", "duration", "dayTimeDuration", "yearMonthDuration"]), _duration
    ),
    "text": st.one_of(
        st.builds(Literal, st.text("aäb𝄞\ud7ff\ue000", max_size=3)),
        st.builds(lambda t, tag: Literal(t, language=tag), st.text("ab", max_size=2), st.sampled_from(["en", "de"])),
    ),
}


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_generated_literals_compare_as_in_oxigraph(family: str, data: st.DataObject) -> None:
    terms = data.draw(st.lists(FAMILIES[family], min_size=2, max_size=12))
    assert differences(terms, terms) == []


def test_term_identity_is_not_value_equality() -> None:
    one, padded, narrow = integer("1"), integer("01"), typed("int", "1")
    assert len({one, padded, narrow}) == 3
    assert equal(one, padded) is equal(padded, narrow) is True


def test_numeric_promotion_compares_in_the_wider_type() -> None:
    assert equal(typed("float", "0.1"), typed("decimal", "0.1")) is True
    assert equal(typed("float", "0.1"), typed("double", "0.1")) is False
    assert equal(integer("16777217"), typed("float", "16777216")) is True
    assert equal(integer("9007199254740993"), typed("double", "9007199254740992")) is True
    assert equal(integer("9007199254740993"), typed("decimal", "9007199254740993.0")) is True


def test_integers_are_rounded_to_float_once() -> None:
    # Halfway between two floats but for its last bit, which rounding to a double first would drop.
    number_above_half = 2**62 + 2**38 + 1
    assert less(typed("float", str(2**62)), integer(str(number_above_half))) is True
    assert equal(typed("float", str(2**62)), integer(str(2**62 + 2**38))) is True


@pytest.mark.parametrize("operator", OPERATORS)
def test_a1_ill_typed_literals_never_satisfy_a_numeric_comparison(operator: str) -> None:
    for lexical in ("abc", "", " 1", "1.0", "9223372036854775808"):
        assert compare(operator, integer(lexical), integer("1")) is None
        assert compare(operator, integer("1"), integer(lexical)) is None


def test_an_ill_typed_literal_is_equal_to_itself_only() -> None:
    assert equal(integer("abc"), integer("abc")) is True
    assert equal(integer("abc"), integer("abd")) is None
    assert equal(integer("abc"), NamedNode("urn:a")) is False


@pytest.mark.parametrize(
    ("zoned", "floating", "order"),
    [
        ("2020-01-01T12:00:00Z", "2020-01-02T02:00:00", None),
        ("2020-01-01T12:00:00Z", "2020-01-02T02:00:01", "<"),
        ("2020-01-01T12:00:00Z", "2019-12-31T22:00:00", None),
        ("2020-01-01T12:00:00Z", "2019-12-31T21:59:59", ">"),
    ],
)
def test_date_times_without_a_zone_may_be_fourteen_hours_away(zoned: str, floating: str, order: str | None) -> None:
    a, b = typed("dateTime", zoned), typed("dateTime", floating)
    assert equal(a, b) is False
    assert compare("<", a, b) is (None if order is None else order == "<")
    assert compare(">", a, b) is (None if order is None else order == ">")
    assert compare("<", b, a) is (None if order is None else order == ">")


def test_durations_have_a_partial_order() -> None:
    month, days = typed("duration", "P1M"), [typed("duration", f"P{n}D") for n in (27, 28, 30, 31, 32)]
    assert [less(month, d) for d in days] == [False, None, None, None, True]


def test_blank_nodes_are_equal_to_themselves_and_have_no_order() -> None:
    a, b = BlankNode("a"), BlankNode("b")
    assert ours(a, b) == (False, True, None, None, None, None)
    assert ours(a, a) == (True, False, False, True, False, True)
    assert equal(a, integer("abc")) is False


@pytest.mark.parametrize(
    ("term", "value"),
    [
        (integer("+007"), 7),
        (typed("byte", "300"), 300),
        (typed("decimal", "1.50"), Decimal("1.5")),
        (typed("double", "1e3"), 1000.0),
        (typed("float", "0.1"), 0.10000000149011612),
        (typed("double", "-INF"), float("-inf")),
        (integer("abc"), None),
        (integer("1" * 5000), None),
        (integer("0" * 5000 + "1"), 1),
        (typed("boolean", "1"), None),
        (Literal("1"), None),
        (NamedNode("urn:a"), None),
    ],
)
def test_number(term: Term, value: object) -> None:
    assert number(term) == value
    assert type(number(term)) is type(value)


def test_integers_are_those_of_a_derived_type_too() -> None:
    assert all(is_integer(typed(name, "1")) for name in ("integer", "int", "unsignedByte", "nonNegativeInteger"))
    assert not any(map(is_integer, (typed("decimal", "1"), integer("x"), Literal("1"), NamedNode("urn:a"))))


@pytest.mark.parametrize(
    ("term", "kind"),
    [
        (NamedNode("urn:a"), Kind.IRI),
        (BlankNode("a"), Kind.BLANK),
        (Triple(NamedNode("urn:a"), NamedNode("urn:p"), Literal("o")), Kind.TRIPLE),
        (Literal("a"), Kind.STRING),
        (Literal("a", language="en"), Kind.LANG_STRING),
        (integer("1"), Kind.NUMERIC),
        (typed("float", "1"), Kind.NUMERIC),
        (typed("boolean", "1"), Kind.BOOLEAN),
        (typed("dateTime", "2020-01-01T00:00:00"), Kind.DATE_TIME),
        (typed("dateTimeStamp", "2020-01-01T00:00:00Z"), Kind.DATE_TIME),
        (typed("date", "2020-01-01"), Kind.DATE),
        (typed("time", "00:00:00"), Kind.TIME),
        (typed("gYear", "2020"), Kind.G_YEAR),
        (typed("gYearMonth", "2020-01"), Kind.G_YEAR_MONTH),
        (typed("gMonth", "--01"), Kind.G_MONTH),
        (typed("gMonthDay", "--01-01"), Kind.G_MONTH_DAY),
        (typed("gDay", "---01"), Kind.G_DAY),
        (typed("yearMonthDuration", "P1Y"), Kind.DURATION),
        (integer("abc"), Kind.ILL_TYPED),
        (typed("hexBinary", "0A"), Kind.UNKNOWN),
    ],
)
def test_kind_of(term: Term, kind: Kind) -> None:
    assert kind_of(term) is kind
