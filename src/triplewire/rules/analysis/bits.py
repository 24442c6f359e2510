"""Sets of small numbers as integers, one bit each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def members(bits: int) -> Iterator[int]:
    """The numbers in a set, from the least.

    >>> list(members(0b1010))
    [1, 3]
    """
    while bits:
        least = bits & -bits
        yield least.bit_length() - 1
        bits ^= least


def union(sets: Iterable[int]) -> int:
    """All of them together."""
    found = 0
    for one in sets:
        found |= one
    return found


def least(bits: int) -> int:
    """The least number in a set that is not empty."""
    return (bits & -bits).bit_length() - 1
