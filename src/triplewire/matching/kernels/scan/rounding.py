"""Digits and a power of ten to the nearest float64, without long arithmetic.

A short number takes one operation on two exact floats, which IEEE 754 rounds correctly. A longer one is multiplied as a
pair of floats, the second holding what the first lost; the result is known to some 100 bits, and where both ends of
what it may be round to the same float64, that is the answer. Where they do not, nobody should guess.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from triplewire.matching.kernels.machine import Floats, inner, kernel

EXACT_INTEGER = 2**53
_EXACT_POWER = 22
_MOST_POWER = 60
# Far more than the roundings of all steps together, which stay under 2**-102.
_SLACK = 2.0**-96
_SPLITTER = 2.0**27 + 1


def _powers() -> tuple[Floats, Floats]:
    exact = [Fraction(10) ** power for power in range(-_MOST_POWER, _MOST_POWER + 1)]
    leading = [float(value) for value in exact]
    return np.array(leading), np.array(
        [float(value - Fraction(lead)) for value, lead in zip(exact, leading, strict=True)]
    )


_LEADING, _TRAILING = _powers()


@kernel
def scaled(digits: int, power: int) -> float:
    """`digits * 10**power`, correctly rounded, for digits from 0 to 10**18; NaN where that is not certain."""
    if abs(power) > _MOST_POWER:
        return np.nan
    if digits <= EXACT_INTEGER and abs(power) <= _EXACT_POWER:
        factor: float = _LEADING[_MOST_POWER + abs(power)]
        return digits * factor if power >= 0 else digits / factor
    high = float(digits)
    low = float(digits - int(high))
    leading, trailing = _LEADING[_MOST_POWER + power], _TRAILING[_MOST_POWER + power]
    product = high * leading
    rest = _lost(high, leading, product) + (high * trailing + low * leading)
    least = product + (rest - product * _SLACK)
    most = product + (rest + product * _SLACK)
    return least if least == most else np.nan


@inner
def _lost(a: float, b: float, product: float) -> float:
    """What a product lost by rounding, exactly: each factor is split into halves whose products are exact."""
    a_high, b_high = _upper_half(a), _upper_half(b)
    a_low, b_low = a - a_high, b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@inner
def _upper_half(value: float) -> float:
    shifted = _SPLITTER * value
    return shifted - (shifted - value)
