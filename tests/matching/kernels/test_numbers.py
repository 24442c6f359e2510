"""Numbers and datatypes against exact arithmetic: a kernel may leave a value undecided, but never has a wrong one."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.matching.scanning.naive_scanner import naive_decimal, naive_double, naive_float, naive_integer

from triplewire.matching.kernels.columns import EXACT, NOT_A_NUMBER, ROUNDED, UNDECIDED
from triplewire.matching.kernels.scan.datatypes import (
    DATATYPE_NAMES,
    DECIMAL,
    DOUBLE,
    FLOAT,
    INTEGER,
    OTHER_DATATYPE,
    RDF_IRI,
    RESERVED,
    XSD_IRI,
    datatype_code,
)
from triplewire.matching.kernels.scan.numbers import read_number
from triplewire.matching.kernels.scan.rounding import scaled
from triplewire.rdf.literals.numbers import parse_decimal, parse_double, parse_float, parse_integer

numberish = st.one_of(
    st.text(alphabet="0123456789+-.eEINFNa \t", max_size=14),
    st.integers(-(10**20), 10**20).map(str),
    st.decimals(allow_nan=False, allow_infinity=False, places=6).map(str),
    st.floats().map(repr),
    st.floats(width=32).map(repr),
    st.from_regex(r"[+-]?[0-9]{0,22}\.?[0-9]{0,24}([eE][+-]?[0-9]{1,4})?", fullmatch=True),
)


def read(lexical: str, code: int) -> tuple[int, float]:
    text = lexical.encode()
    state, value = read_number(np.frombuffer(b"<" + text + b">", np.uint8), 1, 1 + len(text), code)
    return int(state), float(value)


def code_of(name: str) -> int:
    return DATATYPE_NAMES.index(name.encode()) + 1


def has_white_space(lexical: str) -> bool:
    return any(character in " \t" for character in lexical)


@settings(max_examples=500, deadline=None)
@given(numberish)
@example("9007199254740993")
@example("-0")
@example("+")
@example("")
def test_integers(lexical: str) -> None:
    state, value = read(lexical, INTEGER)
    exact = naive_integer(lexical)
    if state == NOT_A_NUMBER:
        assert exact is None
    elif exact is None:
        assert state == UNDECIDED
        assert has_white_space(lexical)
    elif state != UNDECIDED:
        assert value == float(exact)
        assert state == (EXACT if abs(exact) <= 2**53 else ROUNDED)
    else:
        assert len(lexical) > 17


@settings(max_examples=500, deadline=None)
@given(numberish)
@example("0.1")
@example("2.50000000000000000000000000000")
@example("-.5")
@example("5.")
@example(".")
def test_decimals(lexical: str) -> None:
    state, value = read(lexical, DECIMAL)
    exact = naive_decimal(lexical)
    if state == NOT_A_NUMBER:
        assert exact is None
    elif exact is None:
        assert state == UNDECIDED
        assert has_white_space(lexical)
    elif state != UNDECIDED:
        assert value == float(exact)
        assert (state == EXACT) == (exact == float(exact))


def assert_like(state: int, value: float, expected: float | None) -> None:
    if state == NOT_A_NUMBER:
        assert expected is None
    elif state == EXACT:
        assert expected is not None
        assert struct.pack("d", value) == struct.pack("d", expected)
    else:
        assert state == UNDECIDED
        assert math.isnan(value)


@settings(max_examples=1000, deadline=None)
@given(numberish)
@example("1e22")
@example("9007199254740993e0")
@example("1e")
@example("-INF")
@example("+INF")
@example("nan")
@example("8.5E-300")
def test_doubles(lexical: str) -> None:
    assert_like(*read(lexical, DOUBLE), naive_double(lexical))


@settings(max_examples=1000, deadline=None)
@given(numberish)
@example("0.1")
@example("16777217")
@example("16777217.0000000001")
@example("1.00000005960464477539")
@example("3.4028236e38")
@example("1e-45")
def test_floats(lexical: str) -> None:
    assert_like(*read(lexical, FLOAT), naive_float(lexical))


@settings(max_examples=500, deadline=None)
@given(st.floats(1e-40, 1e40))
def test_a_double_as_programs_print_it_is_decided(value: float) -> None:
    assert read(repr(value), DOUBLE) == (EXACT, value)
    assert read(f"-{value:.16e}", DOUBLE) == (EXACT, -value)


@settings(max_examples=1000, deadline=None)
@given(st.integers(0, 10**18 - 1), st.integers(-60, 60))
@example(2**53 + 1, 0)
@example(2**54 + 2, 0)
@example(10**17 - 1, -60)
def test_scaling_rounds_correctly_or_not_at_all(digits: int, power: int) -> None:
    value = float(scaled(digits, power))
    assert value == float(f"{digits}e{power}") or math.isnan(value)


def test_a_tie_that_cannot_be_told_is_undecided() -> None:
    # 2**53 + 1 lies halfway between two floats, exactly.
    assert read("9007199254740993", DOUBLE)[0] == UNDECIDED


@settings(max_examples=1000, deadline=None)
@given(numberish)
@example("1.0000000000000000001")
@example("9223372036854775808")
@example("NaN")
@example("infinity")
def test_the_exact_path_never_contradicts(lexical: str) -> None:
    paths = {INTEGER: parse_integer, DECIMAL: parse_decimal, DOUBLE: parse_double, FLOAT: parse_float}
    for code_, exact_path in paths.items():
        state, value = read(lexical, code_)
        exact = exact_path(lexical)
        if state == NOT_A_NUMBER:
            assert exact is None
        elif state != UNDECIDED:
            assert exact is not None
            assert value == float(exact.value)


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("byte", -128, 127),
        ("short", -(2**15), 2**15 - 1),
        ("int", -(2**31), 2**31 - 1),
        ("unsignedByte", 0, 255),
        ("unsignedShort", 0, 2**16 - 1),
        ("unsignedInt", 0, 2**32 - 1),
        ("nonNegativeInteger", 0, None),
        ("positiveInteger", 1, None),
        ("nonPositiveInteger", None, 0),
        ("negativeInteger", None, -1),
        ("unsignedLong", 0, None),
        ("long", None, None),
    ],
)
def test_a_value_outside_its_type_is_undecided(name: str, least: int | None, most: int | None) -> None:
    for bound, step in ((least, -1), (most, 1)):
        if bound is not None:
            assert read(str(bound), code_of(name)) == (EXACT, float(bound))
            assert read(str(bound + step), code_of(name))[0] == UNDECIDED
    if least is None or most is None:
        sign = -1 if least is None else 1
        assert read(str(sign * 2**40), code_of(name)) == (EXACT, sign * 2.0**40)


def test_other_datatypes_have_no_number() -> None:
    assert [read("1", code_of(name))[0] for name in ("boolean", "date", "dateTime", "time")] == [NOT_A_NUMBER] * 4
    assert read("1", OTHER_DATATYPE)[0] == NOT_A_NUMBER


def code(iri: bytes) -> int:
    return int(datatype_code(np.frombuffer(b"<" + iri + b">", np.uint8), 1, 1 + len(iri)))


@pytest.mark.parametrize("name", DATATYPE_NAMES)
def test_every_datatype_has_its_code(name: bytes) -> None:
    assert code(XSD_IRI + name) == DATATYPE_NAMES.index(name) + 1
    assert {code(XSD_IRI + name + b"x"), code(XSD_IRI + name[:-1]), code(b"urn:" + name)} == {OTHER_DATATYPE}


def test_datatypes_of_rdf_itself_are_reserved() -> None:
    assert {code(XSD_IRI + b"string"), code(RDF_IRI + b"langString"), code(RDF_IRI + b"dirLangString")} == {RESERVED}
    assert {code(XSD_IRI), code(XSD_IRI[:-1]), code(b""), code(b"urn:x")} == {OTHER_DATATYPE}
