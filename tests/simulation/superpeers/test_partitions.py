"""F6: a super-peer is partitioned, also one way; both sides keep serving, and after healing all is delivered once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.simulation.superpeers.scenes import (
    SETTLE,
    assert_right,
    publish_all,
    publish_for,
    published_at,
    settled,
    size,
    told,
)

from triplewire.testing.simulation.network import Cut
from triplewire.testing.simulation.superpeers import UNRELIABLE
from triplewire.testing.simulation.superpeers.world import World

Break = Callable[[World], Cut]
BREAKS: dict[str, Break] = {
    "both ways": lambda world: world.isolate("sp2"),
    "not heard": lambda world: world.isolate("sp2", hears=True),
    "hears nobody": lambda world: world.isolate("sp2", is_heard=True),
    "in two": lambda world: world.split(["sp1", "sp2", "sp5"]),
}


@pytest.mark.parametrize("name", BREAKS)
@pytest.mark.parametrize("seconds", [2.0, 12.0, 40.0], ids=["blink", "past silence", "long"])
def test_f6_after_healing_everything_is_delivered_once(name: str, seconds: float):
    world = settled(6, seed=round(seconds))
    cut = BREAKS[name](world)
    publish_for(world, seconds)
    world.heal(cut)
    publish_for(world, 5.0)
    world.run_for(2 * SETTLE)
    assert_right(world, owed=int(seconds))


@pytest.mark.parametrize("seed", range(3))
def test_f6_both_sides_keep_serving(seed: int):
    world = settled(7, seed)
    some, others = ["sp1", "sp2", "sp5"], ["sp0", "sp3", "sp4", "sp6"]
    cut = world.split(some)
    world.run_for(SETTLE)
    publish_all(world)
    world.run_for(3.0)
    heard = told(world)
    for side in (some, others):
        for host in side:
            assert published_at(world, side) <= heard[host]
    assert not heard["sp1"] & published_at(world, others)
    world.heal(cut)
    world.run_for(2 * SETTLE)
    assert_right(world, owed=49)
    assert all(published_at(world, list(world.hosts)) == events for events in told(world).values())


def test_f6_one_that_is_cut_off_alone_serves_its_own_peers():
    world = settled(4)
    cut = world.isolate("sp3")
    world.run_for(SETTLE)
    event = world.publish("sp3", "sp3/writer", size(2))
    world.run_for(1.0)
    assert event in told(world)["sp3"]
    world.heal(cut)
    world.run_for(2 * SETTLE)
    assert all(event in events for events in told(world).values())


@pytest.mark.parametrize("seed", range(3))
def test_f6_a_partition_in_rough_weather(seed: int):
    world = settled(6, seed, UNRELIABLE)
    cut = world.isolate("sp4")
    publish_for(world, 15.0)
    world.heal(cut)
    world.run_for(3 * SETTLE)
    assert_right(world, owed=40)


def test_f6_partitions_that_follow_each_other_faster_than_they_are_noticed():
    world = settled(5)
    for turn in range(12):
        cut = world.split([f"sp{turn % 5}", f"sp{(turn + 2) % 5}"])
        publish_for(world, 1.5)
        world.heal(cut)
        world.run_for(0.2)
    world.run_for(2 * SETTLE)
    assert_right(world, owed=100)
