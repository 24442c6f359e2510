"""F8: clocks differ. F9: every message comes twice, or in another order, or is lost."""

from __future__ import annotations

import pytest
from tests.simulation.superpeers.scenes import SETTLE, assert_right, of_kind, publish_for, settled

from triplewire.testing.simulation.superpeers import RELIABLE, FaultModel
from triplewire.testing.simulation.superpeers.histories.history import Repeated

TWICE = FaultModel(repeats=1.0)
SHUFFLED = FaultModel(fastest=0.0, slowest=0.8, in_order=False)
TWICE_AND_SHUFFLED = FaultModel(fastest=0.0, slowest=0.8, repeats=1.0, late=0.1, lateness=3.0)
LOSSY = FaultModel(loss=0.25, slowest=0.1)


@pytest.mark.parametrize("seed", range(3))
def test_f8_clocks_that_are_years_apart_change_nothing(seed: int):
    """Each process finds its monotonic clock anywhere, and an event may say any time from 1970 to 2099."""
    world = settled(5, seed)
    clocks = [host.now for host in world.hosts.values()]
    assert max(clocks) - min(clocks) > 24 * 3600
    publish_for(world, 10.0)
    world.crash("sp2")
    publish_for(world, 10.0)
    world.restart("sp2")
    world.run_for(2 * SETTLE)
    assert_right(world, owed=80)


def test_f8_a_machine_that_was_suspended_for_an_hour_goes_on():
    world = settled(4)
    world.stall("sp1", 3600.0)
    publish_for(world, 10.0)
    world.run_for(3600.0)
    publish_for(world, 5.0)
    world.run_for(2 * SETTLE)
    assert_right(world, owed=50)


@pytest.mark.parametrize(
    "fault_model",
    [TWICE, SHUFFLED, TWICE_AND_SHUFFLED, LOSSY],
    ids=["twice", "shuffled", "twice and shuffled", "lossy"],
)
@pytest.mark.parametrize("seed", range(2))
def test_f9_one_visible_effect_each_and_the_order_holds(seed: int, fault_model: FaultModel):
    world = settled(6, seed, fault_model)
    publish_for(world, 15.0)
    world.run_for(SETTLE)
    assert_right(world, owed=100)


@pytest.mark.parametrize("fault_model", [RELIABLE, TWICE, SHUFFLED], ids=["fine", "twice", "shuffled"])
def test_f9_where_nothing_breaks_no_super_peer_gets_an_event_twice(fault_model: FaultModel):
    world = settled(6, 3, fault_model)
    publish_for(world, 15.0)
    world.run_for(SETTLE)
    assert of_kind(world, Repeated) == []
