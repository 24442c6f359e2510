"""Twenty topics. Of each, one super-peer in twenty can publish, and those are drawn at random.

A subscription asks for a topic, or for a topic with a size, or for both with a colour: so some imply others.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from triplewire.testing.simulation.superpeers import Fact, Offer, Query, Span, World

TOPICS = 20
SHARE = 0.05
SIZES = 20
COLOURS = 20
_ASKS_TOPIC, _ASKS_SIZE = 0.1, 0.4

ANYTHING = Offer((Span("colour", 0, COLOURS - 1), Span("size", 0, SIZES - 1), Span("topic", 0, TOPICS - 1)))


def publishers(hosts: list[str], rng: Random) -> list[list[str]]:
    """For each topic those who can publish it: the share that was asked for, and at least one."""
    count = max(1, round(len(hosts) * SHARE))
    return [rng.sample(hosts, count) for _ in range(TOPICS)]


def advertise_topics(world: World, by_topic: list[list[str]]) -> None:
    """Everybody says of which topics it publishes."""
    for topic, hosts in enumerate(by_topic):
        for host in hosts:
            world.advertise(host, f"{host}/writer", offer_of(topic))


def advertise_anything(world: World) -> None:
    """Everybody says that it may publish anything: what a network without advertisements has to assume."""
    for host in list(world.hosts):
        world.advertise(host, f"{host}/writer", ANYTHING)


def offer_of(topic: int) -> Offer:
    return Offer((Span("colour", 0, COLOURS - 1), Span("size", 0, SIZES - 1), Span("topic", topic, topic)))


def lone_queries(count: int, rng: Random) -> list[Query]:
    """Queries of which none implies another."""
    whole = [(topic, size, 0) for topic in range(TOPICS) for size in range(SIZES)]
    return [_query(topic, size, colour) for topic, size, colour in rng.sample(whole, min(count, len(whole)))]


def queries(rng: Random) -> Iterator[Query]:
    """A tenth asks for a topic, three tenths for a size too, the others for a colour as well."""
    while True:
        topic, size, colour = rng.randrange(TOPICS), rng.randrange(SIZES), rng.randrange(COLOURS)
        kind = rng.random()
        if kind < _ASKS_TOPIC:
            yield _query(topic)
        else:
            yield _query(topic, size) if kind < _ASKS_SIZE else _query(topic, size, colour)


def fact_of(topic: int, rng: Random) -> Fact:
    return Fact((("colour", rng.randrange(COLOURS)), ("size", rng.randrange(SIZES)), ("topic", topic)))


def _query(topic: int, size: int | None = None, colour: int | None = None) -> Query:
    asked = (("colour", colour), ("size", size), ("topic", topic))
    return Query(tuple(Span(name, value, value) for name, value in asked if value is not None))
