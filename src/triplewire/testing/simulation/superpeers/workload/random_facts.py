"""Random queries, offers and facts: few properties and few values, so that they overlap and imply each other."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from triplewire.testing.simulation.superpeers.workload.facts import Fact, Offer, Query, Span

_PROPERTIES = ("a", "b", "c")
_TOP = 5
_BROKEN_PROMISES = 0.05
_TOGETHER = 0.5


def random_query(rng: Random) -> Query:
    """One or two properties; often wide, so that queries imply each other."""
    names = sorted(rng.sample(_PROPERTIES, rng.choice((1, 1, 2))))
    return Query(tuple(_span(rng, name) for name in names))


def random_offer(rng: Random) -> Offer:
    """One to three properties."""
    names = sorted(rng.sample(_PROPERTIES, rng.randint(1, 3)))
    return Offer(tuple(_span(rng, name) for name in names))


def random_fact(rng: Random, offers: Sequence[Offer]) -> Fact:
    """A fact within one of the offers, or several together; rarely something else."""
    if rng.random() < _BROKEN_PROMISES:
        return Fact(tuple((name, rng.randint(0, _TOP)) for name in _PROPERTIES))
    chosen = offers if rng.random() < _TOGETHER else (rng.choice(offers),)
    spans = [span for offer in chosen for span in offer.spans]
    rng.shuffle(spans)
    by_property = {span.property: span for span in spans}
    kept = [span for span in by_property.values() if rng.random() < 0.9] or spans[-1:]
    return Fact(tuple((span.property, rng.randint(span.low, span.high)) for span in sorted(kept)))


def random_rule_fact(rng: Random) -> Fact:
    """The fact that a rule publishes, each time the same."""
    names = sorted(rng.sample(_PROPERTIES, rng.randint(1, 2)))
    return Fact(tuple((name, rng.randint(0, _TOP)) for name in names))


def offer_of(fact: Fact) -> Offer:
    """An offer of this and nothing else."""
    return Offer(tuple(Span(name, value, value) for name, value in fact.values))


def _span(rng: Random, name: str) -> Span:
    low, high = sorted((rng.randint(0, _TOP), rng.randint(0, _TOP)))
    return Span(name, low, high)
