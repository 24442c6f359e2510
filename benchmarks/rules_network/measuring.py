"""Registrations and firings in a town of one size."""

from __future__ import annotations

from random import Random

from msgspec import Struct

from benchmarks.rules_network import workload
from benchmarks.rules_network.plans import Plan
from benchmarks.rules_network.town import ACKNOWLEDGEMENT, Town

OURS = "relevance"
EVERYBODY = "broadcast to everybody"


class Cost(Struct, frozen=True):
    """What one of something costs all super-peers together. `messages` are without acknowledgements, as `kinds` are.

    `a_second` is by the time of the machines, as if one core did the work of all super-peers.
    """

    messages: float
    hops: float
    acknowledgements: float
    a_second: float
    kinds: dict[str, float]


class Costs(Struct, frozen=True):
    """A network of one size. `concerned` are the super-peers that the actions of a firing concern."""

    policy: str
    super_peers: int
    concerned: float
    registration: Cost
    firing: Cost
    replicas: float
    peer_milliseconds: float


def measured(policy: str, super_peers: int, plan: Plan) -> Costs:
    """Register a rule for each topic, let updates fire them, and register many more."""
    rng = Random(super_peers)
    town = Town(super_peers, relevance=policy == OURS)
    topics = workload.topics(super_peers)
    for topic in range(topics):
        town.register(rng.choice(town.names), workload.rule_text(topic, topics))
    # What everybody finds out once is found out.
    _firings(town, town.names, 0)
    firing, concerned, peer_seconds = _firings(town, rng.choices(town.names, k=plan.firings), super_peers)
    town.reset()
    before = town.replicas
    for number in range(plan.registrations):
        town.register(rng.choice(town.names), workload.other_text(rng.randrange(topics), number))
    return Costs(
        policy,
        super_peers,
        concerned,
        _cost(town, plan.registrations),
        firing,
        (town.replicas - before) / plan.registrations,
        1e3 * peer_seconds,
    )


def _firings(town: Town, where: list[str], first: int) -> tuple[Cost, float, float]:
    """The cost of a firing, the super-peers that its actions concern, and the seconds of all peers for it."""
    town.reset()
    wanted, count = 0, len(where)
    for number, at in enumerate(where, first):
        topic = workload.topic_of(town.names.index(at), town.size)
        wanted += workload.concerned((topic + 2) % workload.topics(town.size), town.size)
        town.change(at, workload.update_text(topic, number))
    # Fewer messages are no merit where somebody is left out.
    units = wanted + count
    assert (town.scheduled, town.committed, town.aborted) == (units, units, 0), (
        "every update fires one rule, everywhere"
    )
    return _cost(town, count), wanted / count, town.site_cpu / count


def _cost(town: Town, count: int) -> Cost:
    kinds = {kind: number / count for kind, number in sorted(town.messages.items()) if kind != ACKNOWLEDGEMENT}
    hops = sum(number for kind, number in town.hops.items() if kind != ACKNOWLEDGEMENT)
    acknowledgements = town.messages[ACKNOWLEDGEMENT] / count
    return Cost(sum(kinds.values()), hops / count, acknowledgements, count / town.cpu, kinds)
