"""Numbers enough to stand for all numbers, given the numbers that tests compare with.

The tests cut the number line at a few critical points: each constant, and, where the constant is a float or a double,
the points at which a neighbour begins to round to it. Between two critical points all tests come out alike. Integers
and decimals lie on grids (Oxigraph's decimals have 18 places), so the grid points at and next to each critical point
meet every stretch that has a grid point at all. Floats and doubles are grids too: their next neighbours will do.

One thing is not that simple. A decimal is turned into a double with two roundings, so for constants that lie a few
units in the last place apart the order may not be kept; there the set is not claimed to be complete.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from triplewire.rdf.literals.numbers import Number, Rank, promoted
from triplewire.rdf.literals.values import value_of
from triplewire.rdf.terms import XSD, Literal, NamedNode

_INTEGER, _DECIMAL, _FLOAT, _DOUBLE = XSD["integer"], XSD["decimal"], XSD["float"], XSD["double"]
_PLACES = 18
_SCALE = 10**_PLACES
_NEAR = 8
_MANTISSA = 2**53
_SAMPLES = (Number(0, Rank.INTEGER), Number(2, Rank.INTEGER))


def numerals(constants: Iterable[Literal], *, padding: int = 0) -> list[Literal]:
    """The numbers, as literals. With `padding`, each also in a form with that many zeros in front."""
    numbers = [*_numbers(constants), *_SAMPLES]
    points = sorted({point for number in numbers for point in _critical(number)})
    found = [*_integers(points), *_decimals(points), *_doubles(numbers), *_floats(numbers), *_not_finite()]
    forms = dict.fromkeys(found)
    if padding:
        forms |= dict.fromkeys(_padded(literal, padding) for literal in found)
    return list(forms)


def complete(constants: Iterable[Literal], *, named: Iterable[Literal] = ()) -> bool:
    """Whether `numerals` of these constants provably stand for all numbers, also where tests name some as terms."""
    # Infinity and NaN can be written in many ways, which zeros in front do not tell apart.
    if not all(_finite(number) for number in _numbers(named)):
        return False
    ranks_at: dict[Fraction, list[Rank]] = {}
    for number in _numbers(constants):
        if _finite(number):
            ranks_at.setdefault(Fraction(number.value), []).append(number.rank)
    if not all(_tame(value) for value, ranks in ranks_at.items() if len(ranks) > 1 and max(ranks) >= Rank.FLOAT):
        return False
    return all(_well_apart(a, b, ranks_at[a] + ranks_at[b]) for a, b in pairwise(sorted(ranks_at)))


def _numbers(constants: Iterable[Literal]) -> list[Number]:
    contents = (value_of(constant).content for constant in constants)
    return list(dict.fromkeys(content for content in contents if isinstance(content, Number)))


def _well_apart(low: Fraction, high: Fraction, ranks: Sequence[Rank]) -> bool:
    if max(ranks) < Rank.FLOAT:
        return True
    coarser = Rank.FLOAT if Rank.FLOAT in ranks else Rank.DOUBLE
    return high - low > _NEAR * Fraction(_unit(float(max(abs(low), abs(high))), coarser))


def _tame(value: Fraction) -> bool:
    """Whether no rounding on a decimal's way to a double can carry it past this value."""
    scaled = value * _SCALE
    return bool(scaled.denominator == 1 and abs(value * 5**_PLACES).numerator < _MANTISSA)


def _critical(number: Number) -> Iterator[Fraction]:
    if not _finite(number):
        return
    value = Fraction(number.value)
    yield value
    if number.rank < Rank.FLOAT:
        return
    unit = Fraction(_unit(float(number.value), number.rank))
    for halves in (-4, -2, -1, 1, 2, 4):
        yield value + unit * halves / 2


def _finite(number: Number) -> bool:
    return not isinstance(number.value, float) or math.isfinite(number.value)


def _unit(value: float, rank: Rank) -> float:
    """The distance from a float or double to the next."""
    if rank is Rank.DOUBLE:
        return math.ulp(value)
    single = abs(_single(value))
    return _next_single(single, 1) - single if math.isfinite(single) else math.ulp(value)


def _integers(points: Sequence[Fraction]) -> Iterator[Literal]:
    for point in points:
        for value in range(math.floor(point) - 1, math.ceil(point) + 2):
            yield Literal(str(value), datatype=_INTEGER)


def _decimals(points: Sequence[Fraction]) -> Iterator[Literal]:
    middles = [(a + b) / 2 for a, b in pairwise(points)]
    for point in (*points, *middles):
        scaled = point * _SCALE
        for value in range(math.floor(scaled) - 1, math.ceil(scaled) + 2):
            yield _decimal(value)


def _decimal(scaled: int) -> Literal:
    digits = str(abs(scaled)).rjust(_PLACES + 1, "0")
    fraction = digits[-_PLACES:].rstrip("0") or "0"
    return Literal(f"{'-' if scaled < 0 else ''}{digits[:-_PLACES]}.{fraction}", datatype=_DECIMAL)


def _doubles(numbers: Iterable[Number]) -> Iterator[Literal]:
    for number in numbers:
        value = float(promoted(number, Number(0.0, Rank.DOUBLE))[0])
        for near in (math.nextafter(value, -math.inf), value, math.nextafter(value, math.inf)):
            yield _floating(near, _DOUBLE)


def _floats(numbers: Iterable[Number]) -> Iterator[Literal]:
    for number in numbers:
        single = _single(float(promoted(number, Number(0.0, Rank.FLOAT))[0]))
        for step in (-2, -1, 0, 1, 2):
            yield _floating(_next_single(single, step), _FLOAT)


def _not_finite() -> Iterator[Literal]:
    for datatype in (_FLOAT, _DOUBLE):
        for name in ("NaN", "-NaN", "INF", "-INF"):
            yield Literal(name, datatype=datatype)


def _floating(value: float, datatype: NamedNode) -> Literal:
    if math.isfinite(value):
        return Literal(repr(value), datatype=datatype)
    name = "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"
    return Literal(name, datatype=datatype)


def _single(value: float) -> float:
    """Rounded to single precision."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _next_single(value: float, steps: int) -> float:
    """Some single-precision neighbours further up or, for negative steps, down."""
    if not math.isfinite(value):
        return value
    bits = struct.unpack("i", struct.pack("f", value))[0]
    # Read as integers, floats are in order once the negative ones are turned round.
    place = bits if bits >= 0 else -(bits & 0x7FFFFFFF)
    moved = place + steps
    limited = max(-0x7F800000, min(0x7F800000, moved))
    return float(struct.unpack("f", struct.pack("I", limited if limited >= 0 else -limited | 0x80000000))[0])


def _padded(literal: Literal, padding: int) -> Literal:
    text = literal.value
    sign = "-" if text.startswith("-") else ""
    digits = text.removeprefix("-")
    if not digits[0].isdigit():
        return literal
    return Literal(f"{sign}{'0' * padding}{digits}", datatype=literal.datatype)
