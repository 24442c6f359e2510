"""Members that joined before there was data: who stores next to nothing moves to where most is stored."""

from __future__ import annotations

import pytest
from tests.network.can.simulation import World

from triplewire.network.can.geometry.space import Point


def _alike(number: int) -> Point:
    """All of them lie in one of the zones of a space that was empty when its nodes joined."""
    return (
        b"<http://example.org/events/%d>" % (number // 5),
        b"<http://example.org/%d>" % (number * 7919 % 1000),
        b"<http://example.org/p%d>" % (number % 5),
        b'"%d"' % number,
    )


def _filled(seed: int, size: int, items: int) -> World:
    world = World(seed)
    world.grow(size)
    world.run_until_settled()
    for number in range(items):
        world.put(_alike(number))
    world.run_until_settled()
    return world


@pytest.mark.parametrize("seed", range(3))
def test_data_that_came_after_the_nodes_is_shared_out(seed: int):
    world = _filled(seed, size=8, items=800)
    for _ in range(40):
        world.run(10)
    world.run_until_settled()
    loads = [len(world.contents[node_id].items) for node_id in world.members]
    assert len(loads) == 8
    assert sum(loads) == 800 == len(world.stored)
    assert max(loads) <= 4 * sum(loads) / len(loads)
    assert world.problems() == []


def test_without_much_data_nobody_moves():
    world = _filled(1, size=6, items=40)
    before = {node_id: node.claims for node_id, node in world.members.items()}
    world.run(120)
    assert {node_id: node.claims for node_id, node in world.members.items()} == before


def test_where_all_have_much_nobody_moves():
    world = _filled(2, size=4, items=600)
    world.run(200)
    world.run_until_settled()
    before = {node_id: node.claims for node_id, node in world.members.items()}
    world.run(200)
    assert {node_id: node.claims for node_id, node in world.members.items()} == before
