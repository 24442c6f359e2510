"""Unions of intervals: where the terms of one position may lie."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from msgspec import Struct

from triplewire.network.can.geometry.space import ANY, Interval


class Intervals(Struct, frozen=True):
    """Disjoint intervals in ascending order. Without any, nothing lies in them. Made by `union_of`."""

    parts: tuple[Interval, ...] = ()

    def __contains__(self, value: bytes) -> bool:
        if len(self.parts) == 1:
            return value in self.parts[0]
        at = bisect_right(self.parts, value, key=lambda part: part.lower)
        return at > 0 and value in self.parts[at - 1]

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def is_everything(self) -> bool:
        return self.parts == (ANY,)

    def __and__(self, other: Intervals) -> Intervals:
        if self.is_everything or other.is_everything:
            return other if self.is_everything else self
        return union_of(_overlaps(self.parts, other.parts))

    def __or__(self, other: Intervals) -> Intervals:
        return union_of((*self.parts, *other.parts))

    @property
    def hull(self) -> Intervals:
        """One interval that encloses all of them."""
        return Intervals((Interval(self.parts[0].lower, self.parts[-1].upper),)) if self.parts else self


def union_of(intervals: Iterable[Interval]) -> Intervals:
    """The union, with what overlaps or adjoins put together.

    >>> union_of([Interval(b"c", b"e"), Interval(b"a", b"b"), Interval(b"b", b"d")]).parts
    (Interval(lower=b'a', upper=b'e'),)
    """
    merged: list[Interval] = []
    for part in sorted((one for one in intervals if not one.is_empty), key=lambda one: one.lower):
        last = merged[-1] if merged else None
        if last is not None and (last.upper is None or part.lower <= last.upper):
            upper = None if last.upper is None or part.upper is None else max(last.upper, part.upper)
            merged[-1] = Interval(last.lower, upper)
        else:
            merged.append(part)
    return Intervals(tuple(merged))


def _overlaps(ours: tuple[Interval, ...], theirs: tuple[Interval, ...]) -> list[Interval]:
    """One pass over both: two unions of thousands must not be compared each with each."""
    found: list[Interval] = []
    at = other = 0
    while at < len(ours) and other < len(theirs):
        mine, yours = ours[at], theirs[other]
        found.append(mine.intersection(yours))
        if yours.upper is None or (mine.upper is not None and mine.upper <= yours.upper):
            at += 1
        else:
            other += 1
    return found


EVERYTHING = Intervals((ANY,))
NOTHING = Intervals()
