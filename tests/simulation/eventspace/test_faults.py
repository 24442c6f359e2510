"""The rows of the threat list, one by one, in the event space."""

from __future__ import annotations

import pytest

from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.testing.simulation.eventspace import RELIABLE, FaultModel, Scenario, run

TWICE_AND_SHUFFLED = FaultModel(fastest=0.0, slowest=0.8, repeats=0.5, late=0.1, lateness=3.0)
LOSSY = FaultModel(loss=0.2, slowest=0.1)
CSMA, OSMA = PublicationStrategy.CSMA, PublicationStrategy.OSMA


def scenario(*kinds: str, fault_model: FaultModel = RELIABLE, strategy: PublicationStrategy = CSMA) -> Scenario:
    return Scenario(
        size=5,
        fault_model=fault_model,
        strategies=(strategy,),
        fault_phases=1,
        phase_seconds=10.0,
        fault_kinds=kinds,
        faults_per_phase=3 if kinds else 0,
        actions_per_second=4.0,
    )


def assert_right(seed: int, wanted: Scenario) -> None:
    outcome = run(seed, wanted)
    assert outcome.violation is None, str(outcome)
    assert outcome.owed > 0


@pytest.mark.parametrize("strategy", [CSMA, OSMA])
def test_without_faults_matches_of_both_strategies_are_the_oracles(strategy: PublicationStrategy):
    assert_right(1, scenario(strategy=strategy))


@pytest.mark.parametrize("strategy", [CSMA, OSMA])
@pytest.mark.parametrize("kind", ["crash", "destroy"])
def test_f1_a_node_killed_under_load_loses_nothing_acknowledged(kind: str, strategy: PublicationStrategy):
    assert_right(2, scenario(kind, strategy=strategy))


def test_f3_a_node_with_a_full_disk_goes_on_when_there_is_room():
    assert_right(3, scenario("full disk"))


@pytest.mark.parametrize("kind", ["cut off", "hears nobody", "not heard", "split", "one-way split", "one way"])
def test_f6_a_partition_heals_and_everything_is_notified_once(kind: str):
    assert_right(4, scenario(kind))


def test_f7_joins_and_leaves_under_load_lose_no_event_and_no_subscription():
    assert_right(5, scenario("join", "leave"))


@pytest.mark.parametrize("fault_model", [TWICE_AND_SHUFFLED, LOSSY], ids=["twice and shuffled", "lossy"])
def test_f9_messages_that_come_twice_late_or_never_change_nothing(fault_model: FaultModel):
    assert_right(6, scenario(fault_model=fault_model))
