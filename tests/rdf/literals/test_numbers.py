from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy
from hypothesis import given
from hypothesis import strategies as st

from triplewire.rdf.literals.numbers import (
    Number,
    Rank,
    equal_numbers,
    order_numbers,
    parse_decimal,
    parse_double,
    parse_float,
    parse_integer,
    promoted,
)

INT64 = st.integers(-(2**63), 2**63 - 1)


@given(INT64)
def test_integers_of_64_bits_are_exact(value: int) -> None:
    assert parse_integer(f"{value:+030d}") == Number(value, Rank.INTEGER)


def test_lexical_forms_that_python_would_take_and_xsd_does_not() -> None:
    for text in ("1_0", " 1", "1\n", "٣", "0x1", "", "+", "1L"):
        assert parse_integer(text) is None
        assert parse_decimal(text) is None
        assert parse_double(text) is None
    assert parse_decimal("NaN") is parse_decimal("1e1") is parse_decimal(".") is None


def test_text_of_a_million_digits_costs_nothing() -> None:
    digits = "1" * 1_000_000
    assert parse_integer(digits) is parse_decimal(digits) is parse_decimal(f"0.{digits}") is None
    assert parse_integer("0" * 1_000_000 + "1") == Number(1, Rank.INTEGER)
    assert parse_decimal(f"1.{'0' * 1_000_000}") == Number(Decimal(1), Rank.DECIMAL)


@given(INT64)
def test_an_integer_is_rounded_to_float_as_the_hardware_does(value: int) -> None:
    one = Number(1.0, Rank.FLOAT)
    assert promoted(Number(value, Rank.INTEGER), one)[0] == float(numpy.int64(value).astype(numpy.float32))


@given(st.decimals(-(10**18), 10**18, places=6))
def test_a_decimal_is_within_a_rounding_of_its_double(value: Decimal) -> None:
    double = promoted(Number(value, Rank.DECIMAL), Number(1.0, Rank.DOUBLE))[0]
    assert abs(Fraction(double) - Fraction(value)) <= abs(Fraction(value)) / 2**51


@given(INT64, INT64)
def test_order_is_that_of_the_numbers(a: int, b: int) -> None:
    x, y = Number(a, Rank.INTEGER), Number(Decimal(b), Rank.DECIMAL)
    assert order_numbers(x, y) == (a > b) - (a < b)
    assert equal_numbers(x, y) is (a == b)


def test_nan_is_equal_to_nothing_and_ordered_with_its_like_only() -> None:
    nan, single, one = parse_double("NaN"), parse_float("NaN"), parse_integer("1")
    assert nan is not None
    assert single is not None
    assert one is not None
    assert not equal_numbers(nan, nan)
    assert order_numbers(nan, nan) == 0
    assert order_numbers(nan, one) is order_numbers(nan, single) is None
