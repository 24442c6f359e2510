"""Regions: boxes as the store takes them, four sides, each from a lower end up to, but without, an upper one.

The network's boxes have this shape; the store is below the network and asks for no more than that.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeAlias

Point: TypeAlias = tuple[bytes, bytes, bytes, bytes]
"""A quadruple: graph, subject, predicate, object."""


class Interval(Protocol):
    """A side of a box; an `upper` of None is open."""

    @property
    def lower(self) -> bytes: ...

    @property
    def upper(self) -> bytes | None: ...


Box: TypeAlias = Iterable[Interval]
"""Four sides, in the order of a point."""

Side: TypeAlias = tuple[bytes, bytes | None]
Region: TypeAlias = tuple[Side, Side, Side, Side]

EVERYTHING: Region = ((b"", None),) * 4


def region_of(box: Box) -> Region:
    graph, subject, predicate, object_ = ((side.lower, side.upper) for side in box)
    return graph, subject, predicate, object_


def is_exact(side: Side) -> bool:
    """Whether there is one byte string in it.

    >>> is_exact((b"a", b"a" + bytes(1))), is_exact((b"a", b"b"))
    (True, False)
    """
    lower, upper = side
    return upper is not None and len(upper) == len(lower) + 1 and upper[-1] == 0 and upper.startswith(lower)


def is_empty(region: Region) -> bool:
    return any(upper is not None and lower >= upper for lower, upper in region)


def touches(one: Region, other: Region) -> bool:
    """Whether they share a point."""
    return not is_empty(_intersection(one, other))


def encloses(outer: Region, inner: Region) -> bool:
    """Whether every point of one is in the other."""
    return _intersection(outer, inner) == inner


def _intersection(one: Region, other: Region) -> Region:
    graph, subject, predicate, object_ = (
        (max(mine[0], theirs[0]), _lower_of(mine[1], theirs[1])) for mine, theirs in zip(one, other, strict=True)
    )
    return graph, subject, predicate, object_


def _lower_of(one: bytes | None, other: bytes | None) -> bytes | None:
    if one is None or other is None:
        return one if other is None else other
    return min(one, other)


def after_prefix(prefix: bytes) -> bytes | None:
    """The smallest byte string above everything with this prefix; None if there is none."""
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1]) if kept else None
