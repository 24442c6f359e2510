"""The benchmark of rules across super-peers measures what it says: the same is executed with fewer messages."""

from __future__ import annotations

from benchmarks.rules_network import workload
from benchmarks.rules_network.measuring import EVERYBODY, OURS, Costs, measured
from benchmarks.rules_network.plans import Plan, RealPlan
from benchmarks.rules_network.real import Cascade
from benchmarks.rules_network.tables import asked, pairs
from benchmarks.rules_network.town import Town

TINY = Plan(sizes=(12,), registrations=4, firings=6)


def both(size: int) -> list[Costs]:
    return [measured(policy, size, TINY) for policy in (OURS, EVERYBODY)]


def test_relevance_sends_to_those_concerned_and_the_rival_to_all():
    ours, rival = both(12)
    assert ours.concerned == rival.concerned >= 1
    assert ours.firing.kinds["ActionInstance"] <= ours.concerned
    assert rival.firing.kinds == {"ActionInstance": 11, "SubQuery": 11, "SubAnswer": 11}
    assert rival.firing.messages > 5 * ours.firing.messages
    assert ours.firing.hops < rival.firing.hops


def test_a_registration_is_a_broadcast_and_leaves_fewer_replicas():
    ours, rival = both(12)
    assert ours.registration.messages == rival.registration.messages == 11
    assert rival.replicas == 12
    assert ours.replicas < 5


def test_a_tenth_is_concerned_and_at_least_one():
    assert [workload.concerned(0, size) for size in (4, 8, 16, 32, 64)] == [1, 1, 2, 4, 7]


def test_hops_are_those_of_the_cube():
    town = Town(8, relevance=True)
    distances = [town._distance("sp-00", other) for other in town.names]
    assert max(distances) == 3
    assert sorted(distances) == [0, 1, 1, 1, 2, 2, 2, 3]


def test_what_was_asked_is_said_of_the_largest_network():
    costs = [cost for size in (4, 8) for cost in both(size)]
    assert [(one.super_peers, other.super_peers) for one, other in pairs(costs)] == [(4, 4), (8, 8)]
    real = Cascade(8, 50.0, 100, 100, 0.02, 0.05, 0.06, 80.0, 0.001, 0.1)
    figures = asked(costs, real)
    assert "N = 8" in figures[0].name
    assert figures[0].met is None
    assert figures[-1].met is True
    late = Cascade(8, 50.0, 100, 99, 0.02, 0.05, 0.06, 80.0, 0.001, 0.1)
    assert asked([], late)[0].met is False, "one was never told"
    assert RealPlan().super_peers == 8
