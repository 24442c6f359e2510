"""Heavy churn: whatever happens, and however close together, nothing that was acknowledged is lost."""

from __future__ import annotations

import pytest
from tests.network.can.churn import Churn

# Each of these found a fault once: a leaver cut off that took everything along (2), a lonely node that nobody confirmed
# (14), an acknowledgement that waited for no part (218), a record that was told on with claims it did not have (254),
# newcomers that were led to a node that was lost for good, again and again (217), a
# node that only a lost one knew, and that nobody believed, so that it and the others contended for good (56).
FOUND = [2, 14, 56, 217]


@pytest.mark.parametrize("seed", FOUND)
def test_f1_f6_f7_f9_heavy_churn_loses_nothing_and_ends_in_one_tiling(seed: int):
    """Joins, leaves, pauses, kills and restarts, nodes lost for good, cuts into halves; a tenth lost and doubled.

    In the end every point has one owner, tables are right, and every acknowledged item is at its owner, and once in
    replica.
    """
    world = Churn(seed).run()
    assert world.stored
    assert world.problems() == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(300))
def test_f1_f6_f7_f9_heavy_churn_by_many_seeds(seed: int):
    world = Churn(seed).run()
    assert world.stored
    assert world.problems() == []


def test_f6_halves_of_several_nodes_each_that_were_cut_for_long_become_one_space_again():
    churn = Churn(5, loss=0, doubling=0)
    world = churn.world
    world.grow(6)
    for number in range(30):
        world.put((b"<g%d>" % number, b"<s>", b"<p>", b"<o>"))
    world.run_until_settled()
    halves = (["n0", "n1", "n2"], ["n3", "n4", "n5"])
    world.cut = {frozenset((one, other)) for one in halves[0] for other in halves[1]}
    world.run(90)
    for at in ("n0", "n3"):
        for number in range(10):
            world.put((b"<g%d>" % number, at.encode(), b"<p>", b"<o>"), at=at)
    world.run(30)
    assert len(world.stored) == 50, "both sides go on"
    world.cut = set()
    world.run_until_settled()
    assert len(world.stored) == 50
