"""Numbers in literals: the float64 that a lexical form stands for.

A kernel never guesses. What it cannot tell with certainty (too many digits, a value outside its type's range, white
space, an exponent beyond what one multiplication settles) is UNDECIDED, and exact arithmetic elsewhere has the word.
"""

from __future__ import annotations

import numpy as np

from triplewire.matching.kernels.columns import EXACT, NOT_A_NUMBER, ROUNDED, UNDECIDED
from triplewire.matching.kernels.hashing import same_bytes
from triplewire.matching.kernels.machine import Bytes, byte_at, inner, kernel
from triplewire.matching.kernels.scan.datatypes import (
    DECIMAL,
    DOUBLE,
    FIRST_DERIVED_INTEGER,
    FLOAT,
    INTEGER,
    is_integer_type,
)
from triplewire.matching.kernels.scan.rounding import EXACT_INTEGER, scaled

# Eighteen digits fit a signed word; a type without a bound has these.
_FAR = 10**18
_LOWEST = np.array(
    [-(2**31), -_FAR, -(2**15), -(2**7), 0, 1, -_FAR, -_FAR, 0, 0, 0, 0],
    np.int64,
)
_HIGHEST = np.array(
    [2**31 - 1, _FAR, 2**15 - 1, 2**7 - 1, _FAR, _FAR, 0, -1, _FAR, 2**32 - 1, 2**16 - 1, 2**8 - 1],
    np.int64,
)

# As many places after the point as Oxigraph's decimals have.
_MOST_PLACES = 18
_POWERS_OF_5 = np.array([5**k for k in range(_MOST_PLACES + 1)], np.int64)

_PLUS, _MINUS, _DOT, _ZERO, _NINE = 0x2B, 0x2D, 0x2E, 0x30, 0x39
_SPACE, _UPPER_E, _CASE = 0x20, 0x45, 0x20
_UPPER_I, _UPPER_N = 0x49, 0x4E
_INF = np.frombuffer(b"INF", np.uint8)


@kernel
def read_number(buffer: Bytes, start: int, end: int, code: int) -> tuple[int, float]:
    """The state and value of a lexical form of the datatype with this code."""
    if is_integer_type(code):
        return _integer(buffer, start, end, code)
    if code == DECIMAL:
        return _decimal(buffer, start, end)
    if code in (DOUBLE, FLOAT):
        state, value = _double(buffer, start, end)
        return _as_float32(state, value) if code == FLOAT else (state, value)
    return NOT_A_NUMBER, np.nan


@inner
def _after_sign(buffer: Bytes, start: int, end: int) -> int:
    if start < end and (byte_at(buffer, start) == _PLUS or byte_at(buffer, start) == _MINUS):
        return start + 1
    return start


@inner
def _after_digits(buffer: Bytes, start: int, end: int) -> int:
    while start < end and _ZERO <= byte_at(buffer, start) <= _NINE:
        start += 1
    return start


@inner
def _digits(buffer: Bytes, start: int, end: int, value: int) -> int:
    """`value` with the digits of a span written behind it, or -1 if that may not fit a word. A dot is passed over."""
    for place in range(start, end):
        digit = byte_at(buffer, place) - _ZERO
        if value >= _FAR // 10:
            return -1
        if digit >= 0:
            value = value * 10 + digit
    return value


@inner
def _malformed(buffer: Bytes, start: int, end: int) -> tuple[int, float]:
    """White space around a number is for others to judge; anything else is plainly ill-typed."""
    for place in range(start, end):
        if byte_at(buffer, place) <= _SPACE or byte_at(buffer, place) == 0x5C:
            return UNDECIDED, np.nan
    return NOT_A_NUMBER, np.nan


@inner
def _integer(buffer: Bytes, start: int, end: int, code: int) -> tuple[int, float]:
    first = _after_sign(buffer, start, end)
    if first == end or _after_digits(buffer, first, end) != end:
        return _malformed(buffer, start, end)
    value = _digits(buffer, first, end, 0)
    if value < 0:
        return UNDECIDED, np.nan
    if byte_at(buffer, start) == _MINUS:
        value = -value
    if code != INTEGER:
        derived = code - FIRST_DERIVED_INTEGER
        if value < _LOWEST[derived] or value > _HIGHEST[derived]:
            return UNDECIDED, np.nan
    state = EXACT if -EXACT_INTEGER <= value <= EXACT_INTEGER else ROUNDED
    return state, float(value)


@inner
def _point(buffer: Bytes, start: int, end: int) -> tuple[int, int]:
    """For digits with at most one dot: where they end, and how many follow the dot; -1 without any digit."""
    whole = _after_digits(buffer, start, end)
    if whole == end or byte_at(buffer, whole) != _DOT:
        return (whole, 0) if whole > start else (-1, 0)
    last = _after_digits(buffer, whole + 1, end)
    if last - start == 1:
        return -1, 0
    return last, last - whole - 1


@inner
def _decimal(buffer: Bytes, start: int, end: int) -> tuple[int, float]:
    first = _after_sign(buffer, start, end)
    last, places = _point(buffer, first, end)
    if last != end:
        return _malformed(buffer, start, end)
    while places > 0 and byte_at(buffer, last - 1) == _ZERO:
        last -= 1
        places -= 1
    mantissa = _digits(buffer, first, last, 0)
    # Longer ones could be rounded as well, but others may round them in more than one step.
    if mantissa < 0 or mantissa > EXACT_INTEGER or places > _MOST_PLACES:
        return UNDECIDED, np.nan
    value = scaled(mantissa, -places)
    state = EXACT if mantissa % _POWERS_OF_5[places] == 0 else ROUNDED
    return state, -value if byte_at(buffer, start) == _MINUS else value


@inner
def _special(buffer: Bytes, start: int, first: int, end: int) -> tuple[int, float]:
    """INF and -INF."""
    if end - first == 3 and same_bytes(buffer, first, _INF, 0, 3):
        if first == start:
            return EXACT, np.inf
        # +INF is of XSD 1.1 only.
        return (EXACT, -np.inf) if byte_at(buffer, start) == _MINUS else (UNDECIDED, np.nan)
    if first < end and (byte_at(buffer, first) | _CASE) in (_UPPER_I | _CASE, _UPPER_N | _CASE):
        # Other spellings of infinity, which some parsers take; and NaN, which compares like nothing else.
        return UNDECIDED, np.nan
    return _malformed(buffer, start, end)


@inner
def _exponent(buffer: Bytes, start: int, end: int) -> int:
    """The exponent written in `e...`; 0 where nothing is written, 10**18 where it is malformed, 10**17 if too long."""
    if start == end:
        return 0
    if byte_at(buffer, start) | _CASE != _UPPER_E | _CASE:
        return _FAR
    first = _after_sign(buffer, start + 1, end)
    if first == end or _after_digits(buffer, first, end) != end:
        return _FAR
    value = _digits(buffer, first, end, 0)
    if value < 0:
        return _FAR // 10
    return -value if byte_at(buffer, start + 1) == _MINUS else value


@inner
def _double(buffer: Bytes, start: int, end: int) -> tuple[int, float]:
    first = _after_sign(buffer, start, end)
    last, places = _point(buffer, first, end)
    if last < 0:
        return _special(buffer, start, first, end)
    exponent = _exponent(buffer, last, end)
    if exponent == _FAR:
        return _malformed(buffer, start, end)
    mantissa = _digits(buffer, first, last, 0)
    if mantissa < 0:
        return UNDECIDED, np.nan
    value = scaled(mantissa, exponent - places)
    if np.isnan(value):
        return UNDECIDED, np.nan
    return EXACT, -value if byte_at(buffer, start) == _MINUS else value


@inner
def _as_float32(state: int, value: float) -> tuple[int, float]:
    """Round on to single precision, unless rounding twice might not be the same as rounding once."""
    size = abs(value)
    if state != EXACT or size == 0.0 or not np.isfinite(value):
        return state, value
    if size < 2.0**-126 or size >= 2.0**127:
        return UNDECIDED, np.nan
    single = np.float32(size)
    nearest = np.float64(single)
    below = np.float64(np.nextafter(single, np.float32(0.0)))
    above = np.float64(np.nextafter(single, np.float32(np.inf)))
    if size in ((below + nearest) / 2, (above + nearest) / 2):
        return UNDECIDED, np.nan
    return EXACT, nearest if value > 0.0 else -nearest
