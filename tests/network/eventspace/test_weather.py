"""Dense, seeded runs in bad weather: crashes, zones that move, and zones that two nodes believe to own."""

from __future__ import annotations

from random import Random

import pytest
from tests.network.eventspace.test_matching import Run, check, renamed
from tests.network.eventspace.tiling import TiledSpace, tiled

from triplewire.algebra.subscriptions import Subscription
from triplewire.network.can.geometry.coordinates import coordinate
from triplewire.network.can.geometry.space import Dimension
from triplewire.network.can.geometry.splits import Split
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.rdf.events import Event
from triplewire.rdf.terms import NamedNode

CSMA, OSMA = PublicationStrategy.CSMA, PublicationStrategy.OSMA
QUERIES = (
    "SELECT ?x ?z { ?x <http://example.org/p> ?y . ?y <http://example.org/q> ?z }",
    "ASK { ?x <http://example.org/q> ?y FILTER(?y = <http://example.org/b>) }",
    "SELECT * { ?x ?p ?y . ?y ?q ?z . ?z <http://example.org/r> ?w }",
    "ASK { GRAPH ?g { ?x <http://example.org/r> ?y } FILTER NOT EXISTS { ?x <http://example.org/p> ?y } }",
    "SELECT * { ?x <http://example.org/p> ?y . ?z <http://example.org/q> ?x . ?w <http://example.org/r> ?z }",
)
NODES = 3


def drawn_event(rng: Random, number: int) -> Event:
    def name(letters: str) -> str:
        return f"<http://example.org/{rng.choice(letters)}>"

    lines = {f"{name('abcd')} {name('pqr')} {name('abcd')} <urn:e> ." for _ in range(6)}
    return renamed(Event.parse("\n".join(lines))[0], number)


def drawn_split(rng: Random) -> Split:
    dimension = rng.choice([Dimension.SUBJECT, Dimension.PREDICATE, Dimension.OBJECT])
    letters = "pqr" if dimension is Dimension.PREDICATE else "abcd"
    return Split(dimension, coordinate(NamedNode(f"http://example.org/{rng.choice(letters)}")))


def some(rng: Random) -> int | None:
    return rng.choice([0, 2, 5, 15, None])


def run_of(seed: int, strategies: list[PublicationStrategy]) -> tuple[Run, Random]:
    rng = Random(seed)
    zones = tiled([(rng.randrange(8), drawn_split(rng)) for _ in range(6)])
    return Run(TiledSpace(zones, NODES, strategies, rng), clients=2), rng


def act(run: Run, rng: Random, number: int) -> None:
    """One subscription is issued or two events are published, at some nodes."""
    if number % 3 == 0:
        subscription = Subscription.parse(QUERIES[number // 3 % len(QUERIES)], id=f"s{number}")
        run.subscribe(rng.randrange(NODES), rng.randrange(2), subscription)
    else:
        run.publish(rng.randrange(NODES), rng.randrange(2), drawn_event(rng, number))


STRATEGIES = pytest.mark.parametrize("strategies", [[CSMA], [OSMA], [CSMA, OSMA]], ids=["csma", "osma", "mixed"])


@STRATEGIES
@pytest.mark.parametrize("seed", range(8))
def test_a_dispute_that_ends_in_a_deposit_loses_nothing(seed: int, strategies: list[PublicationStrategy]) -> None:
    run, rng = run_of(seed, strategies)
    for number in range(15):
        if rng.random() < 0.5:
            run.space.end_dispute()
        run.space.dispute(rng.randrange(20), rng.randrange(NODES))
        act(run, rng, number)
        run.space.deliver(some(rng))
    run.space.end_dispute()
    run.space.deliver()
    assert check(run, by_arrival=False) > 0
    assert not any(node.holder.waiting for node in run.space.nodes)


@STRATEGIES
@pytest.mark.parametrize("seed", range(8))
def test_crashes_and_moving_zones_change_nothing(seed: int, strategies: list[PublicationStrategy]) -> None:
    run, rng = run_of(seed, strategies)
    for number in range(15):
        act(run, rng, number)
        for _ in range(rng.randrange(3)):
            run.space.deliver(some(rng))
            crashed = rng.randrange(NODES)
            run.space.crash(crashed)
            run.repeat(crashed)
        run.space.move(drawn_split(rng), rng.randrange(NODES))
    run.space.deliver()
    assert check(run) > 0
    assert not any(node.holder.waiting for node in run.space.nodes)
