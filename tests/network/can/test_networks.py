"""Whole spaces in memory: after any sequence of joins, leaves and failures the tiling is complete and disjoint."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.network.can.shapes import BOUNDS, POINTS, owners
from tests.network.can.simulation import World

from triplewire.network.can.geometry.space import SPACE, Box, Dimension, Point, bounds_of, exactly, starting_with
from triplewire.network.can.ownership.claims import minus
from triplewire.network.can.ownership.ownership import Stage
from triplewire.network.can.timings import Timings

STEPS = st.lists(st.sampled_from(["join", "join", "leave", "fail", "return"]), max_size=10)
UNRELIABLE = {"loss": 0.1, "doubling": 0.2, "delay": 0.6}
# For tests without failures: few heartbeats.
QUIET = Timings(heartbeat=5, fresh_for=15, suspect_after=30, fail_after=40)


def _quad(rng: Random) -> Point:
    graph, subject, predicate, object_ = (b"<%s%d>" % (kind, rng.randrange(6)) for kind in (b"g", b"s", b"p", b"o"))
    return graph, subject, predicate, object_


def _step(world: World, step: str, number: int) -> None:
    others = sorted(set(world.members) - {"n0"})
    if step == "join" or (step != "return" and not others):
        world.join(f"n{number}", world.anybody(), "n0")
    elif step == "leave":
        world.leave(world.rng.choice(others))
    elif step == "fail":
        world.stop(world.rng.choice(others))
        world.run(20)
    elif world.stopped:
        world.proceed(world.rng.choice(sorted(world.stopped)))


@settings(max_examples=15)
@given(STEPS, st.integers(0, 1000), st.booleans())
def test_the_tiling_is_complete_and_disjoint_after_any_sequence(steps: list[str], seed: int, in_haste: bool):
    """Row F7: nothing that was acknowledged is lost; everything is stored once, and once in replica."""
    world = World(seed)
    world.found()
    for number, step in enumerate(["join", "join", *steps], start=1):
        world.put(_quad(world.rng))
        _step(world, step, number)
        world.run(0.3 if in_haste and step != "fail" else 8)
    world.run_until_settled()
    assert world.problems() == []
    zones = {node_id: list(node.zones) for node_id, node in world.running.items()}
    for _ in range(20):
        assert len(owners(zones, _quad(world.rng))) == 1


@settings(max_examples=8)
@given(st.lists(st.sampled_from(["join", "join", "leave"]), max_size=8), st.integers(0, 1000))
def test_f9_lost_repeated_and_reordered_messages_are_repaired_by_repetition(steps: list[str], seed: int):
    world = World(seed, **UNRELIABLE)
    world.found()
    for number, step in enumerate(["join", *steps], start=1):
        world.put(_quad(world.rng))
        _step(world, step, number)
        world.run(5)
    world.run_until_settled()
    assert world.problems() == []


class TestMulticast:
    @settings(max_examples=10)
    @given(st.lists(BOUNDS, min_size=1, max_size=4), st.integers(0, 100), st.booleans())
    def test_each_touched_zone_is_reached_once(self, asked: list[Box], seed: int, is_unreliable: bool):
        world = World(seed, timings=QUIET)
        world.grow(10, seconds=0.5)
        world.run_until_settled()
        if is_unreliable:
            world.loss, world.doubling, world.delay = 0.2, 0.3, 0.6
        for bounds in asked:
            multicast_id = world.multicast(bounds, b"ask")
            for _ in range(60):
                world.run(0.5)
                if multicast_id in world.completed:
                    break
            assert multicast_id in world.completed
            world.run(2)
            reached = world.received[multicast_id]
            touched = {
                (node_id, zone.intersection(bounds))
                for node_id, node in world.members.items()
                for zone in node.zones
                if zone.touches(bounds)
            }
            assert sorted(map(repr, reached)) == sorted(map(repr, touched))

    def test_without_faults_it_takes_one_message_a_zone_after_the_way_to_the_first(self):
        world = World(3, timings=QUIET)
        world.grow(12, seconds=0.5)
        world.run_until_settled()
        before = world.sent["Multicast"] + world.sent["Cast"]
        zones = sum(len(node.zones) for node in world.members.values())
        origin = next(node_id for node_id, node in world.members.items() if node.owns(SPACE.lower))
        multicast_id = world.multicast(SPACE, b"all", at=origin)
        world.run(1)
        assert multicast_id in world.completed
        assert world.sent["Multicast"] + world.sent["Cast"] - before == zones - 1

    def test_a_split_on_the_way_does_not_make_a_zone_handle_it_twice(self):
        world = World(5, timings=QUIET)
        world.grow(4, seconds=0.5)
        bounds = bounds_of(predicate=starting_with(b"<"))
        multicast_id = world.multicast(bounds, b"ask")
        for number in range(4, 8):
            world.join(f"n{number}")
        world.run_until_settled()
        reached = [box for _, box in world.received[multicast_id]]
        assert minus([bounds], reached) == []
        assert not any(a.touches(b) for at, a in enumerate(reached) for b in reached[at + 1 :])

    @given(POINTS)
    @settings(max_examples=15)
    def test_a_point_is_reached_from_everywhere(self, point: Point):
        world = World(9, timings=QUIET)
        world.grow(8, seconds=0.5)
        world.run_until_settled()
        for node_id in sorted(world.members):
            multicast_id = world.put(point, at=node_id)
            world.run(1)
            assert [at for at, _ in world.received[multicast_id]] == [
                owner for owner, node in world.members.items() if node.owns(point)
            ]


class TestLoad:
    @pytest.mark.parametrize(
        "seed", [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)]
    )
    def test_skewed_data_is_shared_out_by_64_joins(self, seed: int):
        """All subjects start with http://example.org/, which a random point never hits."""
        world = World(seed)
        world.found()
        points = {self._skewed(world.rng, number) for number in range(4_000)}
        world.contents["n0"].add(points)
        for number in range(1, 65):
            world.join(f"n{number}")
            world.run_until_in(f"n{number}")
        world.run_until_settled()
        loads = [len(world.contents[node_id].items) for node_id in world.members]
        assert len(loads) == 65
        assert sum(loads) == len(points)
        assert max(loads) <= 4 * sum(loads) / len(loads)

    @staticmethod
    def _skewed(rng: Random, number: int) -> Point:
        """Few predicates, some subjects that many events are about, graphs of five quadruples."""
        subject = b"<http://example.org/%d>" % int(rng.paretovariate(0.8))
        predicate = b"<http://example.org/p%d>" % rng.randrange(5)
        return b"<http://example.org/events/%d>" % (number // 5), subject, predicate, b'"%d"' % rng.randrange(50)

    def test_a_newcomer_without_data_around_gets_the_zone_of_its_point_cut_in_the_middle(self):
        world = World(1, timings=QUIET)
        world.found()
        world.join("n1", point=(b"a", b"a", b"a", b"a"))
        world.run(1)
        assert world.nodes["n1"].zones[0][Dimension.GRAPH].lower == b"\x7f"


class TestLeaving:
    def test_the_neighbour_that_makes_one_box_with_the_zone_gets_it(self):
        world = World(2)
        world.grow(2)
        world.put((b"<g>", b"<s>", b"<p>", b"<o>"))
        world.run(2)
        world.leave("n1")
        world.run(10)
        assert world.nodes["n1"].stage is Stage.LEFT
        assert world.nodes["n0"].zones == (SPACE,)
        assert world.problems() == []

    def test_all_but_one_may_leave_at_once(self):
        world = World(4)
        world.grow(6)
        for number in range(20):
            world.put((b"<g%d>" % number, b"<s>", b"<p>", b"<o>"))
        world.run(3)
        for number in range(1, 6):
            world.leave(f"n{number}")
        world.run_until_settled()
        assert set(world.members) == {"n0"}
        assert len(world.contents["n0"].items) == 20


def test_a_constant_reaches_few_zones():
    world = World(6, timings=QUIET)
    world.found()
    for number in range(200):
        world.put((b"<g%d>" % (number // 5), b"<s%d>" % (number % 40), b"<p%d>" % (number % 5), b'"%d"' % number))
    for number in range(1, 16):
        world.join(f"n{number}")
        world.run(0.5)
    world.run_until_settled()
    multicast_id = world.multicast(bounds_of(graph=exactly(b"<g7>")), b"reconstruct")
    world.run(2)
    assert multicast_id in world.completed
    assert 0 < len(world.received[multicast_id]) < 16
