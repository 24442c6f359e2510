"""A broadcast reaches everybody once, in N-1 messages and at most ceil(log2 N) hops, for every N, from every root."""

from __future__ import annotations

from random import Random

import pytest

from triplewire.network.hypercube.cube import Cube
from triplewire.testing.simulation.superpeers import RELIABLE, UNRELIABLE, FaultModel, Traffic, World, depths

LARGEST = 200
SETTLE = 15.0


def most_hops(size: int) -> int:
    """The logarithm to base 2, rounded up."""
    return (size - 1).bit_length()


def spread_on(cube: Cube, root: int) -> list[tuple[int, int]]:
    """Who is reached, in how many hops, as often as it is reached."""
    reached = []
    waiting = [(root, -1, 0)]
    while waiting:
        place, came_on, hops = waiting.pop()
        for dimension, other in cube.onward(place, came_on):
            reached.append((other, hops + 1))
            waiting.append((other, dimension, hops + 1))
    return reached


@pytest.mark.parametrize("size", range(1, LARGEST + 1))
def test_every_root_of_every_cube_reaches_each_place_once_in_few_hops(size: int):
    cube = Cube(size)
    for root in range(size):
        reached = spread_on(cube, root)
        assert sorted(place for place, _ in reached) == [place for place in range(size) if place != root]
        assert max((hops for _, hops in reached), default=0) <= most_hops(size)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 31, 32, 33, 77])
def test_super_peers_that_know_each_other_broadcast_in_n_minus_1_messages(size: int):
    world = World(seed=size, save_every=None)
    world.prepare(size)
    world.run_for(3.0)
    traffic = Traffic()
    world.trace.watch = traffic.see
    roots = world.rng.sample(list(world.hosts), min(size, 5))
    for root in roots:
        world.hosts[root].broadcast(root.encode())
    world.run_for(3.0)
    for root in roots:
        heard = {host.id: [spread for spread in host.spread if spread.body == root.encode()] for host in alive(world)}
        assert heard.pop(root) == []
        assert all(len(spreads) == 1 for spreads in heard.values())
        assert max((spreads[0].hops for spreads in heard.values()), default=0) <= most_hops(size)
    if size > 1:
        assert sorted(map(len, traffic.broadcasts.values())) == [size - 1] * len(roots)


@pytest.mark.parametrize("seed", range(6))
def test_after_random_joins_and_leaves_a_broadcast_costs_n_minus_1_messages(seed: int):
    rng = Random(seed)
    world = World(seed)
    world.found(rng.randint(1, 9), interval=0.3)
    for number in range(100, 100 + rng.randint(3, 10)):
        ids = [host.id for host in alive(world)]
        if rng.random() < 0.4 and len(ids) > 1:
            world.leave(rng.choice(ids))
        else:
            world.join(f"sp{number}", rng.sample(ids, 1))
        world.run_for(rng.random() * 2)
    world.run_for(SETTLE + 5)
    traffic = Traffic()
    world.trace.watch = traffic.see
    size = len(world.hosts)
    for host in alive(world):
        host.broadcast(host.id.encode())
    world.run_for(5.0)
    for host in alive(world):
        assert sorted(spread.body.decode() for spread in host.spread) == sorted(world.hosts.keys() - {host.id})
        assert max((spread.hops for spread in host.spread), default=0) <= most_hops(size)
    if size > 1:
        assert sorted(map(len, traffic.broadcasts.values())) == [size - 1] * size
        for edges in traffic.broadcasts.values():
            assert max(depths(edges, edges[0][0]).values()) <= most_hops(size)


@pytest.mark.parametrize("fault_model", [RELIABLE, UNRELIABLE], ids=["fine", "rough"])
@pytest.mark.parametrize("seed", range(5))
def test_while_others_join_and_leave_a_broadcast_reaches_all_who_stay_and_repeats_are_dropped(
    seed: int, fault_model: FaultModel
):
    world = World(seed, fault_model)
    world.found(8, interval=0.5)
    world.run_for(SETTLE)
    staying = ["sp0", "sp1", "sp2", "sp3"]
    for number in range(4, 8):
        world.later(world.rng.random() * 4, world.leave, f"sp{number}")
        world.later(world.rng.random() * 4, world.join, f"sp{number + 100}", world.rng.sample(staying, 2))
    for number in range(12):
        root = world.rng.choice(staying)
        world.later(world.rng.random() * 4, world.hosts[root].broadcast, f"{root} {number}".encode())
    world.run_for(30)
    for host_id in staying:
        bodies = [spread.body.decode() for spread in world.hosts[host_id].spread]
        assert len(set(bodies)) == len(bodies)
        others = {f"{root} {number}" for number in range(12) for root in staying if root != host_id}
        said = {body for other in staying for body in (spread.body.decode() for spread in world.hosts[other].spread)}
        assert set(bodies) == {body for body in said if body.split()[0] != host_id} & others


def alive(world: World):
    return [host for host in world.hosts.values() if host.super_peer is not None]
