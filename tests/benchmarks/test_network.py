"""The network's benchmark measures what it says."""

from __future__ import annotations

from benchmarks.network.failing import recovered
from benchmarks.network.measuring import FLOODING, OURS, POSET, flooding, measured
from benchmarks.network.tables import asked


def silent(_words: str) -> None:
    """Nobody watches."""


def test_advertisements_and_poset_need_fewer_messages_than_flooding_and_send_no_event_off_a_path():
    costs = measured(OURS, 24, lone=20, each=4, events=30, tell=silent)
    assert costs.lone_messages < 23 / 4
    assert costs.messages <= costs.lone_messages
    assert 0 < costs.reached <= costs.event_messages < 23
    assert costs.needless == 0
    assert 0 < costs.lone_hops <= 5


def test_without_advertisements_a_lone_subscription_floods():
    costs = measured(POSET, 16, lone=10, each=4, events=10, tell=silent)
    assert costs.lone_messages == 15
    assert costs.lone_hops == 4
    assert costs.messages < 15
    assert costs.needless == 0


def test_flooding_reaches_everybody_in_as_few_hops_as_a_cube_has():
    costs = flooding(100, 10)
    assert (costs.policy, costs.lone_messages, costs.event_messages, costs.event_hops) == (FLOODING, 99, 99, 7)


def test_a_network_recovers_after_a_tenth_has_failed():
    recovery = recovered(20)
    assert recovery.failed == 2
    assert 0 < recovery.noticed <= recovery.attached
    assert 0 < recovery.reached < 60
    assert recovery.repairing < recovery.messages


def test_what_was_asked_is_said_of_the_largest_network():
    costs = [measured(OURS, size, lone=5, each=2, events=5, tell=silent) for size in (8, 12)]
    figures = asked(costs, [], [])
    assert "N = 12" in figures[0].name
    assert figures[0].met is None
    assert figures[2].met is True
