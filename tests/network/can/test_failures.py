"""Nodes that fail, come back, or claim what they were not given."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.network.can.simulation import World, exported

from triplewire.network.can.effects import Refused, Send
from triplewire.network.can.messages import Claim, Heartbeat, Record, Transfer, TransferRefused
from triplewire.network.can.space import SPACE, Point


def _point(number: int) -> Point:
    return b"<g%d>" % number, b"<s%d>" % (number % 3), b"<p>", b"<o>"


def _space(seed: int, size: int = 5) -> World:
    world = World(seed)
    world.grow(size)
    for number in range(20):
        world.put(_point(number))
    world.run_until_settled()
    return world


class TestTakeover:
    @pytest.mark.parametrize("seed", range(4))
    def test_f1_the_holder_of_the_replica_takes_over_with_everything_stored(self, seed: int):
        world = _space(seed)
        holder = world.nodes["n2"].record.holder
        zones = world.nodes["n2"].zones
        epochs = [claim.epoch for claim in world.nodes["n2"].claims]
        world.stop("n2")
        world.run_until_settled()
        (taken,) = world.taken
        assert taken.owner == "n2"
        assert taken.zones == zones
        assert taken.has_replica
        assert all(world.nodes[str(holder)].owns(zone.lower) for zone in zones)
        assert max(claim.epoch for claim in world.nodes[str(holder)].claims) > max(epochs)
        assert len(world.stored) == 20

    def test_failures_one_after_the_other_lose_nothing(self):
        world = _space(7, size=8)
        for number in range(1, 8):
            world.stop(f"n{number}")
            world.run_until_settled()
        assert world.nodes["n0"].zones == (SPACE,)
        assert len(world.contents["n0"].items) == 20

    def test_a_holder_that_fails_together_with_the_owner_leaves_no_hole(self):
        world = _space(3)
        world.stored.clear()
        world.stop("n1")
        world.stop(str(world.nodes["n1"].record.holder))
        world.run_until_settled()
        assert world.tiling_problems() == []

    def test_a_newcomer_that_fails_before_it_has_answered_leaves_the_zone_with_its_giver(self):
        world = _space(1, size=2)
        world.join("n9")
        while world.sent["Transfer"] < 2:
            world.run(0.01)
        world.stop("n9")
        world.run_until_settled()
        assert set(world.members) == {"n0", "n1"}
        assert len(world.stored) == 20


class TestReturn:
    @pytest.mark.parametrize("seed", range(4))
    def test_an_old_owner_that_comes_back_yields_and_joins_again(self, seed: int):
        world = _space(seed)
        world.stop("n2")
        world.run(30)
        world.join("n8", world.anybody())
        world.run(5)
        assert not world.nodes["n2"].serves(world.now), "its lease has ended"
        world.proceed("n2")
        world.run_until_settled()
        assert "n2" in world.members

    def test_between_takeover_and_return_no_two_serve_one_zone(self):
        world = _space(2)
        world.stop("n3")
        world.run(8)
        world.proceed("n3")
        for _ in range(100):
            world.run(0.25)
            serving = [zone for node in world.running.values() if node.serves(world.now) for zone in node.zones]
            assert not any(a.touches(b) for at, a in enumerate(serving) for b in serving[at + 1 :])
        world.run_until_settled()

    def test_a_short_pause_changes_no_owner(self):
        world = _space(2)
        before = world.nodes["n3"].claims
        world.stop("n3")
        world.run(3)
        world.proceed("n3")
        world.run_until_settled()
        assert world.nodes["n3"].claims == before
        assert world.taken == []

    @pytest.mark.parametrize("seconds", [1, 30])
    def test_a_restarted_node_goes_on_with_what_was_saved_unless_it_was_replaced(self, seconds: int):
        world = _space(5)
        node = world.nodes["n2"]
        claims, neighbours = node.claims, node.neighbours
        world.stop("n2")
        world.run(seconds)
        world.restart("n2", claims, neighbours, incarnation=2)
        world.run_until_settled()
        assert (world.nodes["n2"].claims == claims) == (seconds == 1)

    @pytest.mark.parametrize("seconds", [5, 20, 60])
    def test_f6_a_node_that_was_cut_off_is_one_of_the_space_again(self, seconds: int):
        world = _space(6)
        world.cut = {frozenset(("n1", other)) for other in world.nodes if other != "n1"}
        world.run(seconds)
        world.put(_point(50), at="n0")
        world.run(5)
        world.cut = set()
        world.run_until_settled()
        assert len(world.stored) == 21


class TestClaims:
    """Row A12: a newcomer that claims a zone it was not given is refused."""

    def _heartbeat(self, world: World, record: Record, to: str) -> list[object]:
        beat = Heartbeat(record, (), world.now)
        return list(world.nodes[to].receive(world.now, record.id, beat))

    def test_a12_a_stranger_is_refused(self):
        world = _space(1)
        mallory = Record("mallory", "mallory", claims=(Claim(SPACE, 1000),))
        for node_id in list(world.nodes):
            before = world.nodes[node_id].claims
            effects = self._heartbeat(world, mallory, node_id)
            assert Refused("mallory", "nobody introduced it") in effects
            assert world.nodes[node_id].claims == before
        world.run(5)
        assert world.problems() == []

    def test_a12_a_newcomer_gets_no_more_than_it_was_given(self):
        world = _space(1)
        newcomer = world.nodes["n4"]
        greedy = replace(newcomer.record, version=10_000, claims=(Claim(SPACE, 1000),))
        for node_id in sorted(set(world.nodes) - {"n4"}):
            before = world.nodes[node_id].claims
            effects = self._heartbeat(world, greedy, node_id)
            assert any(isinstance(effect, Refused) and effect.sender == "n4" for effect in effects)
            assert world.nodes[node_id].claims == before
            assert all(claim.zone != SPACE for record in world.nodes[node_id].neighbours for claim in record.claims)

    def test_a12_nobody_speaks_for_another(self):
        world = _space(1)
        beat = Heartbeat(replace(world.nodes["n1"].record, version=10_000, claims=()), (), world.now)
        before = world.nodes["n0"].neighbours
        assert world.nodes["n0"].receive(world.now, "mallory", beat) == [Refused("mallory", "speaks for another")]
        assert world.nodes["n0"].neighbours == before

    def test_a12_nobody_gives_away_what_another_owns(self):
        world = _space(1)
        record = Record("mallory", "mallory")
        transfer = Transfer("t", (Claim(world.nodes["n1"].zones[0], 1000),), (record,), exported([]))
        effects = world.nodes["n0"].receive(world.now, "mallory", transfer)
        assert effects[0] == Refused("mallory", "gives what it does not own")
        assert Send("mallory", TransferRefused("t")) in effects
        assert world.problems() == []
