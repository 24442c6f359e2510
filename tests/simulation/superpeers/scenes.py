"""What the scenes have in common: a network that has settled, with a subscriber and a publisher at every super-peer."""

from __future__ import annotations

from typing import TypeVar

from triplewire.testing.simulation.superpeers import (
    RELIABLE,
    Checker,
    Fact,
    FaultModel,
    Offer,
    Query,
    Span,
    World,
    explained,
)
from triplewire.testing.simulation.superpeers.histories.history import Notified, Published, Record

Kind = TypeVar("Kind", bound=Record)
SETTLE = 15.0
EVERYTHING = Query((Span("size", 0, 9),))
SMALL = Query((Span("size", 0, 4),))
SIZES = Offer((Span("size", 0, 9),))


def size(value: int) -> Fact:
    return Fact((("size", value),))


def settled(super_peers: int, seed: int = 1, fault_model: FaultModel = RELIABLE, **options: object) -> World:
    """Everybody subscribes to small sizes, and offers all."""
    world = World(seed, fault_model, **options)  # type: ignore[arg-type]
    world.found(super_peers)
    for host in list(world.hosts):
        world.subscribe(host, f"{host}/reader", SMALL)
        world.advertise(host, f"{host}/writer", SIZES)
    world.run_for(SETTLE + 1)
    return world


def publish_all(world: World, value: int = 2) -> list[str]:
    """Everybody who is up publishes something."""
    up = [host.id for host in world.hosts.values() if host.super_peer is not None]
    return [world.publish(host, f"{host}/writer", size(value)) for host in up]


def publish_for(world: World, seconds: float, every: float = 0.25) -> None:
    """Somebody publishes something, again and again."""
    for number in range(int(seconds / every)):
        world.later(number * every, _publish_somewhere, world)
    world.run_for(seconds)


def _publish_somewhere(world: World) -> None:
    up = [host.id for host in world.hosts.values() if host.super_peer is not None and not host.is_leaving]
    host = world.rng.choice(up)
    world.publish(host, f"{host}/writer", size(world.rng.randint(0, 9)))


def told(world: World) -> dict[str, set[str]]:
    """The events that somebody at each super-peer was told of."""
    found: dict[str, set[str]] = {host: set() for host in world.hosts}
    for record in of_kind(world, Notified):
        found.setdefault(record.node, set()).add(record.event)
    return found


def published_at(world: World, hosts: list[str]) -> set[str]:
    return {record.event for record in of_kind(world, Published) if record.node in hosts}


def of_kind(world: World, kind: type[Kind]) -> list[Kind]:
    return [record for record in world.history.records if isinstance(record, kind)]


def assert_right(world: World, *, owed: int, churn_is_fault: bool = True) -> None:
    """The checker finds nothing, and had enough to look for."""
    checker = Checker(world.history, SETTLE, churn_is_fault=churn_is_fault)
    violation = checker.first_violation()
    assert violation is None, explained(violation, world.history.seed, world.trace.tail())
    assert sum(1 for _ in checker.owed()) >= owed
