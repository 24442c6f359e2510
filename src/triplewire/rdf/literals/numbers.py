"""Numeric literals: their lexical forms, their values and how two of them compare.

SPARQL promotes along integer, decimal, float, double and compares in the type of the higher operand. The ranges are
those that Oxigraph holds: integers of 64 bits, decimals of 128 bits with 18 places after the point. What is beyond has
no value here, as if it were ill-typed. The ranges of types derived from xsd:integer are not checked: `"300"^^xsd:byte`
is the number 300.
"""

from __future__ import annotations

import re
from ctypes import c_float
from decimal import Decimal
from enum import IntEnum
from math import copysign, isnan

from msgspec import Struct

INTEGER_TYPES = (
    "integer",
    "byte",
    "short",
    "int",
    "long",
    "unsignedByte",
    "unsignedShort",
    "unsignedInt",
    "unsignedLong",
    "positiveInteger",
    "negativeInteger",
    "nonPositiveInteger",
    "nonNegativeInteger",
)

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL_FORM = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_FLOAT_NAME = re.compile(r"[+-]?(?:inf|infinity|nan)", re.IGNORECASE)
_PLACES = 18
_SINGLE_BITS = 24


class Rank(IntEnum):
    """The four numeric types, in order of promotion."""

    INTEGER = 0
    DECIMAL = 1
    FLOAT = 2
    DOUBLE = 3


_DECIMAL = Rank.DECIMAL


class Number(Struct, frozen=True, gc=False):
    """A value and the type that it promotes from."""

    value: int | Decimal | float
    rank: Rank


def parse_integer(lexical: str) -> Number | None:
    """The value of xsd:integer and what is derived from it."""
    # 4300 digits are where Python itself refuses; leading zeros may still make a small number of a long text.
    digits = lexical if len(lexical) < 20 else _without_leading_zeros(lexical)
    if digits is None or not _INTEGER.fullmatch(digits):
        return None
    value = int(digits)
    return Number(value, Rank.INTEGER) if -(2**63) <= value < 2**63 else None


def _without_leading_zeros(lexical: str) -> str | None:
    sign = lexical[0] if lexical[0] in "+-" else ""
    digits = lexical[len(sign) :].lstrip("0") or "0"
    return sign + digits if len(digits) < 20 else None


def parse_decimal(lexical: str) -> Number | None:
    """The value of xsd:decimal."""
    match = _DECIMAL_FORM.fullmatch(lexical)
    if match is None:
        return None
    sign, whole, fraction = match[1], match[2].lstrip("0"), (match[3] or "").rstrip("0")
    if (not match[2] and not match[3]) or len(whole) > 21 or len(fraction) > _PLACES:
        return None
    scaled = int(f"{sign}{whole or '0'}{fraction.ljust(_PLACES, '0')}")
    if not -(2**127) <= scaled < 2**127:
        return None
    return Number(Decimal(f"{sign}{whole or '0'}.{fraction or '0'}"), Rank.DECIMAL)


def parse_float(lexical: str) -> Number | None:
    """The value of xsd:float."""
    value = _floating(lexical)
    return None if value is None else Number(c_float(value).value, Rank.FLOAT)


def parse_double(lexical: str) -> Number | None:
    """The value of xsd:double."""
    value = _floating(lexical)
    return None if value is None else Number(value, Rank.DOUBLE)


def _floating(lexical: str) -> float | None:
    if _FLOAT.fullmatch(lexical) or _FLOAT_NAME.fullmatch(lexical):
        return float(lexical)
    return None


def order_numbers(a: Number, b: Number) -> int | None:
    """-1, 0 or 1, or None where one is not a number; the very same NaN, like any value, has its own place."""
    x, y = promoted(a, b)
    if x < y:
        return -1
    if x > y:
        return 1
    return 0 if x == y or _same_nan(a, b) else None


def equal_numbers(a: Number, b: Number) -> bool:
    """Whether they are the same number; NaN is none."""
    x, y = promoted(a, b)
    return x == y


def _same_nan(a: Number, b: Number) -> bool:
    x, y = float(a.value), float(b.value)
    return isnan(x) and isnan(y) and a.rank is b.rank and copysign(1, x) == copysign(1, y)


def promoted(a: Number, b: Number) -> tuple[int | Decimal | float, int | Decimal | float]:
    """Both values in the type of the higher one; integers and decimals compare exactly as they are."""
    rank, other = a.rank, b.rank
    if rank <= _DECIMAL and other <= _DECIMAL:
        return a.value, b.value
    if Rank.DOUBLE in (rank, other):
        return _double(a), _double(b)
    return _single(a), _single(b)


def _double(number: Number) -> float:
    value = number.value
    return _double_of_decimal(value) if isinstance(value, Decimal) else float(value)


def _double_of_decimal(value: Decimal) -> float:
    """Its digits divided by a power of ten, each of them rounded: one rounding more than needed, as Oxigraph does."""
    numerator, denominator = int(value.scaleb(_PLACES)), 10**_PLACES
    while denominator != 1 and numerator % 10 == 0:
        numerator //= 10
        denominator //= 10
    return float(numerator) / float(denominator)


def _single(number: Number) -> float:
    if number.rank is Rank.INTEGER:
        return _single_of_integer(int(number.value))
    return c_float(_double(number)).value


def _single_of_integer(value: int) -> float:
    """Rounded once. By way of a double it would be rounded twice."""
    excess = max(0, value.bit_length() - 53)
    if not excess:
        return c_float(float(value)).value
    shift = value.bit_length() - _SINGLE_BITS
    kept, rest = divmod(abs(value), 1 << shift)
    half = 1 << (shift - 1)
    kept += rest > half or (rest == half and kept % 2 == 1)
    return float((kept << shift) * (-1 if value < 0 else 1))
