"""The space: points, intervals of coordinates, and boxes of four intervals.

A zone and the bounds of a pattern are the same shape, a half-open box; they touch if they share a point. Constants,
prefixes and ranges, inclusive or not, all become half-open intervals, so that there is one test for all of them.

    zone.touches(bounds_of(predicate=exactly(coordinate(FOAF["name"]))))
    point_of(quad) in zone
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import TypeAlias

from msgspec import Struct

from triplewire.network.can.geometry.coordinates import after_prefix, coordinate, next_coordinate
from triplewire.rdf.terms import Quad

Point: TypeAlias = tuple[bytes, bytes, bytes, bytes]
"""The coordinates of a quadruple: graph, subject, predicate, object."""


class Dimension(IntEnum):
    """The dimensions of the space, in the order of coordinates in a point."""

    GRAPH = 0
    SUBJECT = 1
    PREDICATE = 2
    OBJECT = 3


def point_of(quad: Quad) -> Point:
    """The point at which a quadruple lives."""
    return (
        coordinate(quad.graph_name),
        coordinate(quad.subject),
        coordinate(quad.predicate),
        coordinate(quad.object),
    )


class Interval(Struct, frozen=True, array_like=True, order=False):
    """All byte strings from `lower` up to, but without, `upper`; None is open. Without arguments, all byte strings."""

    lower: bytes = b""
    upper: bytes | None = None

    def __contains__(self, value: bytes) -> bool:
        return self.lower <= value and (self.upper is None or value < self.upper)

    @property
    def is_empty(self) -> bool:
        return self.upper is not None and self.lower >= self.upper

    @property
    def bounds(self) -> int:
        """How many of its ends are borders, not the ends of the space."""
        return (self.lower != b"") + (self.upper is not None)

    def meets(self, other: Interval) -> bool:
        """Whether they share a byte string."""
        lower = max(self.lower, other.lower)
        return (self.upper is None or lower < self.upper) and (other.upper is None or lower < other.upper)

    def intersection(self, other: Interval) -> Interval:
        return Interval(max(self.lower, other.lower), _lower_of(self.upper, other.upper))

    def encloses(self, other: Interval) -> bool:
        return self.lower <= other.lower and (
            self.upper is None or (other.upper is not None and other.upper <= self.upper)
        )

    def adjoins(self, other: Interval) -> bool:
        """Whether one begins where the other ends."""
        return self.upper == other.lower or other.upper == self.lower

    def clamp(self, value: bytes) -> bytes:
        """The byte string in here, or the end of it, that is nearest to a value."""
        if value < self.lower:
            return self.lower
        return value if self.upper is None or value < self.upper else self.upper


ANY = Interval()


def exactly(value: bytes) -> Interval:
    """One byte string: a constant of a pattern."""
    return Interval(value, next_coordinate(value))


def starting_with(prefix: bytes) -> Interval:
    """All byte strings with a prefix."""
    return Interval(prefix, after_prefix(prefix))


def between(lower: bytes, upper: bytes | None) -> Interval:
    """All byte strings from `lower` to `upper`, both included."""
    return Interval(lower, None if upper is None else next_coordinate(upper))


class Box(Struct, frozen=True, array_like=True):
    """Four intervals, one a dimension. Without arguments, the whole space."""

    graph: Interval = ANY
    subject: Interval = ANY
    predicate: Interval = ANY
    object: Interval = ANY

    def __iter__(self) -> Iterator[Interval]:
        yield self.graph
        yield self.subject
        yield self.predicate
        yield self.object

    def __getitem__(self, dimension: int) -> Interval:
        return (self.graph, self.subject, self.predicate, self.object)[dimension]

    def __contains__(self, point: Point) -> bool:
        # Written out: it is asked for every quadruple and every zone that is known.
        graph, subject, predicate, object_ = point
        side = self.graph
        if graph < side.lower or (side.upper is not None and graph >= side.upper):
            return False
        side = self.subject
        if subject < side.lower or (side.upper is not None and subject >= side.upper):
            return False
        side = self.predicate
        if predicate < side.lower or (side.upper is not None and predicate >= side.upper):
            return False
        side = self.object
        return object_ >= side.lower and (side.upper is None or object_ < side.upper)

    @property
    def is_empty(self) -> bool:
        return any(side.is_empty for side in self)

    @property
    def lower(self) -> Point:
        """The lower corner. It belongs to the box, unless that is empty."""
        return self.graph.lower, self.subject.lower, self.predicate.lower, self.object.lower

    def touches(self, other: Box) -> bool:
        """Whether they share a point."""
        return (
            self.graph.meets(other.graph)
            and self.subject.meets(other.subject)
            and self.predicate.meets(other.predicate)
            and self.object.meets(other.object)
        )

    def encloses(self, other: Box) -> bool:
        return (
            self.graph.encloses(other.graph)
            and self.subject.encloses(other.subject)
            and self.predicate.encloses(other.predicate)
            and self.object.encloses(other.object)
        )

    def intersection(self, other: Box) -> Box:
        return Box(*(mine.intersection(theirs) for mine, theirs in zip(self, other, strict=True)))

    def with_side(self, dimension: int, side: Interval) -> Box:
        """The same box with another interval in one dimension."""
        return Box(*(side if at == dimension else mine for at, mine in enumerate(self)))

    def adjoins(self, other: Box) -> bool:
        """Whether they share a face: they meet end to end in one dimension and overlap in the other three."""
        apart = [at for at in Dimension if not self[at].meets(other[at])]
        return len(apart) == 1 and self[apart[0]].adjoins(other[apart[0]])

    def union(self, other: Box) -> Box | None:
        """The box that is exactly both of them; None if they do not make one."""
        differing = [at for at in Dimension if self[at] != other[at]]
        if len(differing) != 1 or not self[differing[0]].adjoins(other[differing[0]]):
            return None
        low, high = sorted((self[differing[0]], other[differing[0]]), key=lambda side: side.lower)
        return self.with_side(differing[0], Interval(low.lower, high.upper))

    def without(self, other: Box) -> list[Box]:
        """Disjoint boxes that are this one without another."""
        if not self.touches(other):
            return [self]
        if other.encloses(self):
            return []
        pieces: list[Box] = []
        rest = self
        for at in Dimension:
            pieces += [rest.with_side(at, side) for side in _around(rest[at], other[at])]
            rest = rest.with_side(at, rest[at].intersection(other[at]))
        return pieces


Zone: TypeAlias = Box
"""A part of the space that one node is responsible for."""
Bounds: TypeAlias = Box
"""Where the quadruples lie that a pattern can match."""

SPACE = Box()


def bounds_of(
    graph: Interval = ANY,
    subject: Interval = ANY,
    predicate: Interval = ANY,
    object: Interval = ANY,  # noqa: A002
) -> Bounds:
    """The bounds of a pattern: what is not said may be anything."""
    return Box(graph, subject, predicate, object)


def bounds_of_point(point: Point) -> Bounds:
    return Box(*(exactly(value) for value in point))


def _lower_of(one: bytes | None, other: bytes | None) -> bytes | None:
    if one is None or other is None:
        return one if other is None else other
    return min(one, other)


def _around(side: Interval, hole: Interval) -> list[Interval]:
    """What is left of an interval below and above another that it meets."""
    found = []
    if side.lower < hole.lower:
        found.append(Interval(side.lower, hole.lower))
    if hole.upper is not None and (side.upper is None or hole.upper < side.upper):
        found.append(Interval(hole.upper, side.upper))
    return found
