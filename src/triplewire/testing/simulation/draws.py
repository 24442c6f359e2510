"""Queries, offers and facts by chance: few properties and few values, so that they overlap and imply each other."""

from __future__ import annotations

from random import Random

from triplewire.testing.simulation.facts import Fact, Offer, Query, Span

_PROPERTIES = ("a", "b", "c")
_TOP = 5
_BROKEN_PROMISES = 0.05


def drawn_query(rng: Random) -> Query:
    """One or two properties; often wide, so that queries imply each other."""
    names = sorted(rng.sample(_PROPERTIES, rng.choice((1, 1, 2))))
    return Query(tuple(_span(rng, name) for name in names))


def drawn_offer(rng: Random) -> Offer:
    """One to three properties."""
    names = sorted(rng.sample(_PROPERTIES, rng.randint(1, 3)))
    return Offer(tuple(_span(rng, name) for name in names))


def drawn_fact(rng: Random, offer: Offer) -> Fact:
    """What was promised; now and then something else."""
    if rng.random() < _BROKEN_PROMISES:
        return Fact(tuple((name, rng.randint(0, _TOP)) for name in _PROPERTIES))
    kept = [span for span in offer.spans if rng.random() < 0.9] or offer.spans[:1]
    return Fact(tuple((span.property, rng.randint(span.low, span.high)) for span in kept))


def _span(rng: Random, name: str) -> Span:
    low, high = sorted((rng.randint(0, _TOP), rng.randint(0, _TOP)))
    return Span(name, low, high)
