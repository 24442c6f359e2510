"""Random scenarios: peers subscribe, advertise, publish and go off-line while faults are injected and cleared.

First the super-peers join, without faults until everything has settled. Then come fault phases, in which faults are
injected and cleared in any order; between some of them there is a quiet period. At the end every fault is cleared.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import msgspec
from msgspec import Struct

from triplewire.testing.simulation.fault_injector import NETWORK_FAULTS, PROCESS_FAULTS, FaultInjector
from triplewire.testing.simulation.faults import RELIABLE, UNRELIABLE, FaultModel
from triplewire.testing.simulation.superpeers.workload.facts import Offer
from triplewire.testing.simulation.superpeers.workload.random_facts import (
    offer_of,
    random_fact,
    random_offer,
    random_query,
    random_rule_fact,
)
from triplewire.testing.simulation.superpeers.world import World

_PEERS = 2
# Rules trigger each other: a few cause many events.
_MOST_RULES = 3

MOSTLY_RELIABLE = FaultModel(slowest=0.1, loss=0.01, repeats=0.02)
FAULT_MODELS = (RELIABLE, RELIABLE, MOSTLY_RELIABLE, MOSTLY_RELIABLE, UNRELIABLE)


class Scenario(Struct, frozen=True, kw_only=True):
    """The size of a run, its fault model and its fault phases. Durations are in seconds."""

    size: int
    fault_model: FaultModel
    fault_phases: int
    phase_seconds: float
    settle: float
    fault_kinds: tuple[str, ...]
    faults_per_phase: int
    actions_per_second: float = 4.0


FAULT_KINDS = (*NETWORK_FAULTS, *PROCESS_FAULTS, "join", "leave")


def random_scenario(seed: int) -> Scenario:
    """A scenario by seed: from two super-peers to twelve."""
    rng = Random(f"plan {seed}")
    size, fault_model = rng.randint(2, 12), rng.choice(FAULT_MODELS)
    return Scenario(
        size=size,
        fault_model=fault_model,
        fault_phases=rng.randint(1, 2),
        phase_seconds=rng.uniform(3.0, 12.0),
        # Where one message in ten is lost and one in twenty comes seconds late, everything takes its time.
        settle=30.0 if fault_model is UNRELIABLE else 15.0,
        fault_kinds=tuple(rng.sample(FAULT_KINDS, rng.randint(1, len(FAULT_KINDS)))),
        faults_per_phase=rng.randint(1, 4),
    )


def hard_scenario(seed: int) -> Scenario:
    """The same with up to 24 super-peers, and more and longer fault phases with more faults at once."""
    rng = Random(seed)
    return msgspec.structs.replace(
        random_scenario(seed),
        size=rng.randint(2, 24),
        fault_phases=rng.randint(2, 3),
        phase_seconds=rng.uniform(5.0, 25.0),
        faults_per_phase=rng.randint(4, 14),
        actions_per_second=rng.choice((2.0, 6.0, 12.0)),
    )


class ScenarioRunner:
    """Runs a scenario in a world."""

    def __init__(self, world: World, scenario: Scenario) -> None:
        self.world = world
        self.scenario = scenario
        self._rng = world.rng
        self._faults = FaultInjector(world, scenario.fault_kinds)
        self._faults.handlers |= {"join": self._join, "leave": self._leave}
        self._offers: dict[str, tuple[str, str, Offer]] = {}
        self._subscriptions: dict[str, str] = {}
        self._rules: dict[str, tuple[str, str]] = {}
        self._offline: list[tuple[str, str]] = []
        self._is_active = True
        self._numbers = 1000

    def run(self) -> None:
        """From the first super-peer until every fault is cleared."""
        self.world.found(self.scenario.size, interval=self._rng.uniform(0.0, 0.7))
        for _ in range(self.scenario.size * 2):
            self._rng.choice((self._subscribe, self._advertise))()
        for _ in range(self._rng.randint(0, _MOST_RULES - 1)):
            self._add_rule()
        self.world.later(0.0, self._act)
        self.world.run_for(self.scenario.settle + 2)
        for _ in range(self.scenario.fault_phases):
            self._faults.inject(self.scenario.faults_per_phase, self.scenario.phase_seconds)
            if self._rng.random() < 0.5:
                self._clear_all()
                self.world.run_for(self.scenario.settle + self._rng.random() * 5)
        self._clear_all()
        self._is_active = False

    # Peers

    def _act(self) -> None:
        if not self._is_active:
            return
        actions: tuple[Callable[[], None], ...] = (
            self._subscribe,
            self._unsubscribe,
            self._advertise,
            self._withdraw,
            self._publish,
            self._add_rule,
            self._remove_rule,
            self._go_offline,
            self._come_online,
            self._trim,
        )
        self._rng.choices(actions, weights=(4, 2, 3, 1, 20, 1, 0.3, 4, 2, 3))[0]()
        self.world.later(self._rng.expovariate(self.scenario.actions_per_second), self._act)

    def _subscribe(self) -> None:
        host = self._any_up()
        if host is not None:
            name = self.world.subscribe(host, self._peer(host), random_query(self._rng))
            self._subscriptions[name] = host

    def _unsubscribe(self) -> None:
        name = self._one_of(list(self._subscriptions), lambda one: self._subscriptions[one])
        if name is not None:
            self.world.unsubscribe(self._subscriptions.pop(name), name)

    def _advertise(self) -> None:
        host = self._any_up()
        if host is not None:
            peer, offer = self._peer(host), random_offer(self._rng)
            self._offers[self.world.advertise(host, peer, offer)] = host, peer, offer

    def _withdraw(self) -> None:
        name = self._one_of(list(self._offers), lambda one: self._offers[one][0])
        if name is not None:
            self.world.withdraw(self._offers.pop(name)[0], name)

    def _publish(self) -> None:
        name = self._one_of(list(self._offers), lambda one: self._offers[one][0])
        if name is not None:
            host, peer, _ = self._offers[name]
            offers = [offer for where, who, offer in self._offers.values() if (where, who) == (host, peer)]
            self.world.publish(host, peer, random_fact(self._rng, offers))

    def _add_rule(self) -> None:
        host = self._any_up()
        if host is not None and len(self._rules) < _MOST_RULES:
            fact = random_rule_fact(self._rng)
            offer = self.world.advertise(host, f"{host}/rules", offer_of(fact))
            self._rules[self.world.add_rule(host, random_query(self._rng), fact)] = host, offer

    def _remove_rule(self) -> None:
        name = self._one_of(list(self._rules), lambda one: self._rules[one][0])
        if name is not None:
            host, offer = self._rules.pop(name)
            self.world.remove_rule(host, name)
            self.world.withdraw(host, offer)

    def _go_offline(self) -> None:
        host = self._any_up()
        if host is not None:
            peer = self._peer(host)
            self._offline.append((host, peer))
            self.world.go_offline(host, peer)

    def _come_online(self) -> None:
        up = set(self._faults.up())
        reachable = [one for one in self._offline if one[0] in up]
        if reachable:
            one = self._rng.choice(reachable)
            self._offline.remove(one)
            self.world.come_online(*one)

    def _trim(self) -> None:
        host = self._any_up()
        if host is not None:
            self.world.trim(host)

    def _one_of(self, names: list[str], host_of: Callable[[str], str]) -> str | None:
        """One of those whose access point is up."""
        up = set(self._faults.up())
        reachable = [name for name in names if host_of(name) in up]
        return self._rng.choice(reachable) if reachable else None

    # Faults

    def _join(self, one: str, other: str) -> None:
        self._numbers += 1
        self.world.join(f"sp{self._numbers}", [one, other])

    def _leave(self, one: str, _other: str) -> None:
        if len(self._faults.up()) > 2:
            self.world.leave(one, self._rng.choice((0.0, self.scenario.settle + 3)))

    def _clear_all(self) -> None:
        self._faults.clear_all()
        for host, peer in self._offline:
            if host in self.world.hosts:
                self.world.come_online(host, peer)
        self._offline.clear()

    # Choices

    def _any_up(self) -> str | None:
        up = self._faults.up()
        return self._rng.choice(up) if up else None

    def _peer(self, host: str) -> str:
        return f"{host}/peer{self._rng.randrange(_PEERS)}"
