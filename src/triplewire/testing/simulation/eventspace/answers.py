"""Answers as text, and what the oracle answers; where the quadruples of an event lie."""

from __future__ import annotations

from functools import lru_cache

from triplewire.algebra.subscriptions import Subscription
from triplewire.network.can.geometry.space import Point
from triplewire.network.eventspace import quads
from triplewire.rdf.events import Event
from triplewire.testing.answers import Answers
from triplewire.testing.oracle import Oracle

AnswerRows = tuple[str, ...]


def answer_rows(answers: Answers) -> AnswerRows:
    """Solutions as text, in an order of their own.

    >>> from triplewire.rdf.terms import Literal
    >>> answer_rows([{"y": Literal("b"), "x": Literal("c")}, {"x": Literal("a")}])
    ('x="a"', 'x="c" y="b"')
    """
    rows = (dict(row).items() for row in answers)
    return tuple(sorted(" ".join(sorted(f"{name}={term}" for name, term in row)) for row in rows))


@lru_cache(maxsize=200_000)
def oracle_rows(text: str, nquads: bytes) -> AnswerRows | None:
    """What the oracle says to a subscription on an event; None if it does not match."""
    answers = Oracle().match(_parsed(text), Event.parse(nquads)[0])
    return None if answers is None else answer_rows(answers)


@lru_cache(maxsize=10_000)
def _parsed(text: str) -> Subscription:
    return Subscription.parse(text)


@lru_cache(maxsize=100_000)
def points_of(nquads: bytes) -> tuple[Point, ...]:
    """Where the quadruples of an event lie."""
    event = Event.parse(nquads)[0]
    return tuple(quads.points_of(event.graph.value, quads.rows_of(event)))
