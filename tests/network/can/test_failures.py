"""Nodes that fail, come back, or claim what they were not given."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.network.can.simulation import World

from triplewire.network.can.effects import Refused, Send
from triplewire.network.can.geometry.space import SPACE, Point
from triplewire.network.can.messages import Claim, Heartbeat, Record, Transfer, TransferRefused


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
        world.proceed("n2")
        world.run_until_settled()
        assert "n2" in world.members

    def test_f6_one_that_took_everything_over_and_that_nobody_remembers_yields_and_joins_again(self):
        world = _space(2)
        others = set(world.nodes) - {"n2"}
        world.cut = {frozenset(("n2", other)) for other in others}
        world.run(300)
        assert world.nodes["n2"].zones == (SPACE,), "it was alone for long"
        for other in others:
            world.nodes[other]._ownership.table.forget("n2")
        world.cut = set()
        world.run_until_settled()
        assert len(world.nodes["n2"].neighbours) > 1
        assert len(world.stored) == 20

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
    def test_f1_a_killed_node_goes_on_with_what_was_saved_unless_it_was_replaced(self, seconds: int):
        world = _space(5)
        claims = world.nodes["n2"].claims
        world.kill("n2")
        world.run(seconds)
        world.restart("n2")
        assert world.nodes["n2"].claims == claims
        assert not world.nodes["n2"].serves(world.now), "nobody has confirmed its claims"
        world.run_until_settled()
        assert (world.nodes["n2"].claims == claims) == (seconds == 1)
        assert len(world.stored) == 20

    def test_f1_all_may_be_killed_at_once(self):
        world = _space(4)
        for node_id in list(world.nodes):
            world.kill(node_id)
        world.run(100)
        for node_id in list(world.nodes):
            world.restart(node_id)
        world.run_until_settled()
        assert len(world.stored) == 20

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
        return list(world.nodes[to].receive(world.now, record.id, Heartbeat(record)))

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
        beat = Heartbeat(replace(world.nodes["n1"].record, version=10_000, claims=()))
        before = world.nodes["n0"].neighbours
        assert world.nodes["n0"].receive(world.now, "mallory", beat) == [Refused("mallory", "speaks for another")]
        assert world.nodes["n0"].neighbours == before

    def _offer(self, giver: Record, claims: tuple[Claim, ...], nonce: str = "") -> Transfer:
        return Transfer("t", 0, b"", claims, (giver,), nonce)

    @pytest.mark.parametrize("giver", ["mallory", "n2"])
    def test_a12_nobody_gives_away_what_another_owns(self, giver: str):
        world = _space(1)
        offer = self._offer(Record(giver, giver), (Claim(world.nodes["n1"].zones[0], 1000),))
        effects = world.nodes["n0"].receive(world.now, giver, offer)
        assert effects == [Refused(giver, "gives what it does not own"), Send(giver, TransferRefused("t"))]
        assert world.problems() == []

    @pytest.mark.parametrize("nonce", ["", "guessed"])
    def test_a12_a_joiner_takes_no_zone_from_somebody_it_did_not_ask(self, nonce: str):
        world = _space(1)
        world.join("n9")
        offer = self._offer(Record("mallory", "mallory"), (Claim(SPACE, 1000),), nonce)
        effects = world.nodes["n9"].receive(world.now, "mallory", offer)
        assert isinstance(effects[0], Refused)
        assert effects[1:] == [Send("mallory", TransferRefused("t"))]
        assert world.nodes["n9"].claims == ()
        world.run_until_settled()
        assert "n9" in world.members

    def test_a12_a_newcomer_is_not_believed_that_somebody_has_failed(self):
        world = _space(1)
        greedy = replace(world.nodes["n4"].record, version=10_000, claims=(Claim(SPACE, 1000),))
        for node_id in sorted(set(world.nodes) - {"n4"}):
            before = world.nodes[node_id].claims
            self._heartbeat(world, world.nodes["n4"].record, node_id)
            self._heartbeat(world, greedy, node_id)
            assert world.nodes[node_id].claims == before
