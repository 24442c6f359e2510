"""F7: super-peers join, leave and crash under load. No subscription and no acknowledged event is lost."""

from __future__ import annotations

import pytest
from tests.simulation.superpeers.scenes import SETTLE, SIZES, SMALL, assert_right, publish_for, settled

from triplewire.network.timings import Timings
from triplewire.testing.simulation.superpeers import RELIABLE, UNRELIABLE, FaultModel
from triplewire.testing.simulation.superpeers.world import World


@pytest.mark.parametrize("fault_model", [RELIABLE, UNRELIABLE], ids=["fine", "rough"])
@pytest.mark.parametrize("seed", range(4))
def test_f7_join_and_leave_under_load_lose_nothing(seed: int, fault_model: FaultModel):
    """Joins and leaves count as calm here: whatever is in place when they begin is owed all the while."""
    world = settled(7, seed, fault_model)
    for number in range(8):
        world.later(number * 2.0, _join, world, f"new{number}")
    for number in range(4):
        world.later(number * 4.0 + 1.0, world.leave, f"sp{number + 3}", SETTLE)
    publish_for(world, 25.0)
    world.run_for(3 * SETTLE)
    assert_right(world, owed=200, churn_is_fault=False)


def _join(world: World, name: str) -> None:
    world.join(name, ["sp0", "sp1"])
    world.subscribe(name, f"{name}/reader", SMALL)
    world.advertise(name, f"{name}/writer", SIZES)


@pytest.mark.parametrize("seed", range(4))
def test_f7_crashes_and_restarts_under_load_lose_nothing_that_was_acknowledged(seed: int):
    world = settled(6, seed)
    for number in range(12):
        host = f"sp{number % 6}"
        world.later(number * 3.0, world.crash, host)
        world.later(number * 3.0 + world.rng.uniform(0.1, 2.5), world.restart, host)
    publish_for(world, 40.0)
    world.run_for(2 * SETTLE)
    assert_right(world, owed=300)


def test_one_that_was_given_up_comes_back_and_gets_what_it_missed():
    world = settled(5)
    world.crash("sp1")
    publish_for(world, 30.0)
    survivors = [host for host in world.hosts.values() if host.super_peer is not None]
    assert all(host.super_peer is not None and not host.super_peer.members.is_alive("sp1") for host in survivors)
    world.restart("sp1")
    world.run_for(2 * SETTLE)
    assert_right(world, owed=150)


def test_the_whole_network_goes_down_and_comes_back():
    world = settled(5)
    publish_for(world, 3.0)
    for host in list(world.hosts):
        world.crash(host)
    world.run_for(20.0)
    for host in list(world.hosts):
        world.restart(host)
        world.run_for(0.3)
    world.run_for(2 * SETTLE)
    publish_for(world, 5.0)
    world.run_for(SETTLE)
    assert_right(world, owed=50)


@pytest.mark.parametrize("seed", range(2))
def test_a_tenth_fails_at_once(seed: int):
    world = World(seed, timings=Timings())
    world.prepare(40)
    for host in list(world.hosts):
        world.subscribe(host, f"{host}/reader", SMALL)
        world.advertise(host, f"{host}/writer", SIZES)
    world.run_for(SETTLE + 1)
    failing = world.rng.sample(list(world.hosts), 4)
    for host in failing:
        world.crash(host)
    publish_for(world, 20.0)
    standing_query = [host for host in world.hosts.values() if host.super_peer is not None]
    assert all(host.super_peer is not None and len(host.super_peer.members.places) == 36 for host in standing_query)
    for host in failing:
        world.restart(host)
    world.run_for(2 * SETTLE)
    assert_right(world, owed=1000)
    assert all(
        host.super_peer is not None and len(host.super_peer.members.places) == 40 for host in world.hosts.values()
    )
