"""Which positions stand on which page, whatever the log holds today.

A page has a fixed range of positions, so a page that is full never changes: what is behind its end comes on later ones.
An index has a fixed range of pages, for the same reason, and the root leads to every index.
"""

from __future__ import annotations

from msgspec import Struct

PAGE_EVENTS = 100
INDEX_PAGES = 100
_INDEX_EVENTS = PAGE_EVENTS * INDEX_PAGES


class Ends(Struct, frozen=True):
    """What the log holds: the positions behind the floor, up to the head."""

    floor: int
    head: int


class Span(Struct, frozen=True):
    """The positions of a page or an index, the first and the last included, whether or not they are there."""

    number: int
    first: int
    last: int

    def is_full(self, ends: Ends) -> bool:
        """Nothing will be added to it."""
        return ends.head >= self.last

    def is_forgotten(self, ends: Ends) -> bool:
        """Retention has removed everything in it."""
        return ends.floor >= self.last

    def is_there(self, ends: Ends) -> bool:
        return self.first <= ends.head and not self.is_forgotten(ends)

    def kept(self, ends: Ends) -> tuple[int, int]:
        """The first and the last of its positions that the log holds."""
        return max(self.first, ends.floor + 1), min(self.last, ends.head)


def page(number: int) -> Span:
    """
    >>> page(0), page(2)
    (Span(number=0, first=1, last=100), Span(number=2, first=201, last=300))
    """
    return Span(number, number * PAGE_EVENTS + 1, (number + 1) * PAGE_EVENTS)


def index(number: int) -> Span:
    """
    >>> index(1)
    Span(number=1, first=10001, last=20000)
    """
    return Span(number, number * _INDEX_EVENTS + 1, (number + 1) * _INDEX_EVENTS)


def indexes(ends: Ends) -> list[Span]:
    """Those in which something is left.

    >>> [span.number for span in indexes(Ends(floor=10_000, head=20_001))]
    [1, 2]
    >>> indexes(Ends(floor=7, head=7))
    []
    """
    if ends.head <= ends.floor:
        return []
    return [index(number) for number in range(ends.floor // _INDEX_EVENTS, (ends.head - 1) // _INDEX_EVENTS + 1)]


def pages(number: int, ends: Ends) -> list[Span]:
    """The pages of an index in which something is left."""
    spans = (page(number * INDEX_PAGES + place) for place in range(INDEX_PAGES))
    return [span for span in spans if span.is_there(ends)]
