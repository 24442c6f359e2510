"""Queries, offers and facts of simulated peers: integers under named properties.

Small enough that a person sees at once what matches, and that everything about it is decided exactly.

>>> asked = Query((Span("size", 1, 5), Span("weight", 0, 9)))
>>> print(asked)
size 1..5, weight 0..9
>>> asked.matches(Fact((("size", 3), ("weight", 2), ("age", 7)))), asked.matches(Fact((("size", 3),)))
(True, False)
"""

from __future__ import annotations

from msgspec import Struct


class Span(Struct, frozen=True, order=True):
    """Values from `low` to `high` of a property, both included."""

    property: str
    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.property} {self.low}..{self.high}"


class Fact(Struct, frozen=True):
    """What an event says: at most one value of a property."""

    values: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.values)


class Query(Struct, frozen=True):
    """What a subscription asks: every property that it names, each within its span."""

    spans: tuple[Span, ...]

    def matches(self, fact: Fact) -> bool:
        """Looked at from the definition, value by value."""
        return all(any(within(span, name, value) for name, value in fact.values) for span in self.spans)

    def __str__(self) -> str:
        return ", ".join(map(str, self.spans))


class Offer(Struct, frozen=True):
    """What a publisher will publish: facts with no other properties than these, each within its span."""

    spans: tuple[Span, ...]

    def allows(self, fact: Fact) -> bool:
        """Whether it keeps the promise."""
        return all(any(within(span, name, value) for span in self.spans) for name, value in fact.values)

    def __str__(self) -> str:
        return ", ".join(map(str, self.spans))


def within(span: Span, name: str, value: int) -> bool:
    """Whether the value is of that property and in the span."""
    return span.property == name and span.low <= value <= span.high
