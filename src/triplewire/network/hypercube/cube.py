"""The shape of the cube: places, labels and neighbours, for every N, as arithmetic.

N super-peers have the places 0 to N-1. The bits of a place, lowest first, are its label; with k = floor(log2 N) a label
has k+1 bits if its place is one of a pair that differs in bit k only, else k. The labels are a complete prefix code:
a short one stands for both vertices of the full cube that begin with it, which is HyperCuP's covering for a missing
neighbour. A newcomer takes place N, and so splits the label of place N - 2^k; when a member leaves, the last place
moves into the gap. Lengths differ by one at most, so none is longer than ceil(log2 N).

In dimension d of place w are all that share w's bits below d and differ in bit d. These sets, one for each bit of
w's label, hold every other place once. A broadcast that reached w on dimension D goes on to one of each set above D.

>>> cube = Cube(6)
>>> [cube.label(place) for place in range(6)]
['000', '100', '01', '11', '001', '101']
>>> cube.neighbour(3, 0), cube.neighbour(3, 1), cube.dimension(3, 5)
(2, 1, 1)
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct


class Cube(Struct, frozen=True):
    """A hypercube of `size` super-peers, complete or not."""

    size: int

    def dimensions(self, place: int) -> int:
        """How many bits the label of a place has."""
        whole = self._whole
        return whole + 1 if place >> whole or place + (1 << whole) < self.size else whole

    def label(self, place: int) -> str:
        """The bits of a place, lowest first."""
        return "".join(str(place >> bit & 1) for bit in range(self.dimensions(place)))

    def neighbour(self, place: int, dimension: int) -> int:
        """The one that a place has chosen in one of its dimensions."""
        across = place ^ (1 << dimension)
        return across if across < self.size else across - (1 << self._whole)

    def neighbours(self, place: int) -> list[int]:
        """The chosen ones, by dimension."""
        return [self.neighbour(place, dimension) for dimension in range(self.dimensions(place))]

    def choosers(self, place: int) -> Iterator[tuple[int, int]]:
        """The places that have chosen this one, with the dimension. Two may share one: the halves of a split label."""
        for dimension in range(self.dimensions(place)):
            across = place ^ (1 << dimension)
            for other in (across, across + (1 << self._whole)):
                if other < self.size and self._has_chosen(other, dimension, place):
                    yield other, dimension

    def dimension(self, place: int, other: int) -> int:
        """The dimension of a place in which another one is: the first in which their labels differ."""
        differ = place ^ other
        return (differ & -differ).bit_length() - 1

    def onward(self, place: int, dimension: int = -1) -> Iterator[tuple[int, int]]:
        """Where a broadcast is forwarded from a place that it reached on a dimension: dimensions and places."""
        for higher in range(dimension + 1, self.dimensions(place)):
            yield higher, self.neighbour(place, higher)

    def next_towards(self, place: int, other: int) -> int:
        """The next hop on the route to another place."""
        return self.neighbour(place, self.dimension(place, other))

    def _has_chosen(self, place: int, dimension: int, other: int) -> bool:
        return dimension < self.dimensions(place) and self.neighbour(place, dimension) == other

    @property
    def _whole(self) -> int:
        """How many dimensions are complete."""
        return self.size.bit_length() - 1
