"""Random scenarios: how large, which faults, and what peers do meanwhile."""

from __future__ import annotations

from random import Random

from msgspec import Struct
from msgspec.structs import replace

from triplewire.federation.registration.precedence import Scheme
from triplewire.languages.rdftl import parse_updates
from triplewire.rules.schema import Schema
from triplewire.testing.simulation.fault_injector import NETWORK_FAULTS, FaultInjector
from triplewire.testing.simulation.faults import RELIABLE, FaultModel
from triplewire.testing.simulation.federation.host import RuleHost
from triplewire.testing.simulation.federation.workload import LATE, SCHEMA, Workload
from triplewire.testing.simulation.federation.world import FederationWorld
from triplewire.testing.simulation.history import FaultInjected

LOSSY = FaultModel(slowest=0.2, loss=0.1, repeats=0.1, late=0.05, lateness=1.0)
_QUIET = 120.0
_SLOW_FOR = 2.0
_OWN = 0.4
"""How many transactions are changes that a peer makes by itself, and reports."""


class Scenario(Struct, frozen=True, kw_only=True):
    """A calm one submits one transaction after the other, and nobody is out of reach for long.

    Where schemas differ, each peer begins with a part of the whole, and gets to the whole in time; in a calm run before
    the first transaction.
    """

    size: int
    transactions: int
    fault_model: FaultModel
    faults: tuple[str, ...]
    is_calm: bool
    open_to_all: bool
    scheme: Scheme
    most_faults: int = 7
    schemas_differ: bool = False


def random_scenario(seed: int) -> Scenario:
    """The scenario of a seed. Every other one is calm."""
    rng = Random(seed)
    calm = seed % 2 == 0
    kinds = (*NETWORK_FAULTS, "crash", "disk", "stall", "peer", "peer crash", "withdraw", "join")
    return Scenario(
        size=rng.randint(2, 5),
        transactions=rng.randint(3, 8),
        fault_model=rng.choice((RELIABLE, LOSSY)),
        faults=() if calm else tuple(rng.sample(kinds, rng.randint(1, 5))),
        is_calm=calm,
        open_to_all=calm or rng.random() < 0.3,
        scheme=rng.choice(list(Scheme)),
        schemas_differ=rng.random() < 0.5,
    )


def hard_scenario(seed: int) -> Scenario:
    """Many transactions at once, and every kind of fault."""
    often = ("crash", "disk", "peer crash", "withdraw", "join")
    kinds = (*NETWORK_FAULTS, "stall", "peer", "peer", *often, *often)
    scenario = random_scenario(seed)
    return replace(scenario, is_calm=False, open_to_all=seed % 3 == 0, transactions=25, faults=kinds, most_faults=14)


class ScenarioRunner:
    """Plays a scenario in a new world."""

    def __init__(self, seed: int, scenario: Scenario) -> None:
        self.scenario = scenario
        rng = Random(seed * 7919 + 1)
        names = [f"SP{number}" for number in range(1, scenario.size + 1)]
        self._workload = Workload(rng, names, calm=scenario.is_calm)
        privileges = {name: self._workload.privileges(open_to_all=scenario.open_to_all) for name in names}
        self.fails_together = self._workload.fails_together
        self.world = FederationWorld(seed, SCHEMA, scenario.fault_model, privileges, scheme=scenario.scheme)
        self.injector = FaultInjector(self.world, scenario.faults)
        self.injector.handlers["peer"] = lambda _one, _other: self._take_a_peer_away()
        self.injector.handlers["peer crash"] = lambda _one, _other: self._take_a_peer_away(crashes=True)
        self.injector.handlers["disk"] = lambda one, _other: self._crash_while_writing(one)
        self.injector.handlers["withdraw"] = lambda _one, _other: self._withdraw_one()
        self.injector.handlers["join"] = lambda _one, _other: self._join_late()

    def run(self) -> None:
        """Found, fill, register, wait, submit under faults, and clear them."""
        world = self.world
        world.found(self.scenario.size)
        world.run_for(8.0)
        for peer, super_peer in self._workload.peers.items():
            world.peer(peer, super_peer, self._workload.triples(peer), self._schema())
        world.run_for(3.0)
        if self.scenario.schemas_differ and self.scenario.is_calm:
            # Somebody has to know the words that rules are written in.
            world.declare(next(iter(world.peers)), SCHEMA)
            world.run_while(lambda: not all(_knows_all(host) for host in world.hosts.values()), at_most=_QUIET)
        for rule, abort in self._workload.rules():
            world.register(world.rng.choice(list(world.hosts)), rule, abort)
            world.run_for(world.rng.random())
            self._declare()
        self.rest()
        if self.scenario.is_calm:
            for peer in world.peers:
                world.declare(peer, SCHEMA)
            self.rest()
        world.is_under_way = True
        (self._one_after_the_other if self.scenario.is_calm else self._all_at_once)()
        world.is_under_way = False
        self.injector.clear_all()
        world.run_while(lambda: world.active_faults > 0, at_most=60.0)
        self.rest()

    def rest(self) -> None:
        """Run until nobody has anything left to do, and a little longer; then see again."""
        for _ in range(2):
            self.world.run_while(lambda: not self.world.is_quiet, at_most=_QUIET)
            self.world.run_for(12.0)
        self.world.run_while(lambda: not self.world.is_quiet, at_most=_QUIET)

    def _one_after_the_other(self) -> None:
        for number in range(self.scenario.transactions):
            self._submit(number)
            self.world.run_for(0.5)
            self.world.run_while(lambda: not self.world.is_quiet, at_most=_QUIET)

    def _all_at_once(self) -> None:
        seconds = 20.0
        for number in range(self.scenario.transactions):
            self.world.later(self.world.rng.random() * seconds, self._submit, number)
        for _ in self.world.peers:
            self.world.later(self.world.rng.random() * seconds, self._declare)
        self.injector.inject(self.world.rng.randint(2, self.scenario.most_faults), seconds)

    def _submit(self, number: int) -> None:
        peer = self.world.rng.choice(list(self.world.peers))
        text = self._workload.transaction(peer, number)
        # What a peer has done by itself stays, and what fails takes nothing along.
        if self.world.rng.random() < _OWN and not self.fails_together:
            self.world.change(peer, parse_updates(text))
        else:
            self.world.submit(peer, text)

    def _schema(self) -> Schema:
        return self._workload.schema(is_whole=not self.scenario.schemas_differ)

    def _declare(self) -> None:
        """Some peer declares a part again, or all; once transactions run all, since what is undone has to conform."""
        if self.scenario.schemas_differ:
            peers = list(self.world.peers)[1:]
            is_whole = self.world.is_under_way or self.world.rng.random() < 0.3
            self.world.declare(self.world.rng.choice(peers), self._workload.schema(is_whole=is_whole))

    def _take_a_peer_away(self, *, crashes: bool = False) -> None:
        peer = self.world.rng.choice(list(self.world.peers))
        self.world.take_away(peer, self.injector.duration(), crashes=crashes)

    def _crash_while_writing(self, one: str) -> None:
        """The disk of a super-peer gets slow, and then it crashes: inputs are lost that were on their way to it."""
        self.world.slow_down(one, _SLOW_FOR)
        self.world.later(self.world.rng.random() * _SLOW_FOR, self._crash_if_up, one)

    def _crash_if_up(self, one: str) -> None:
        if one in self.injector.up():
            self.injector.handlers["crash"](one, "")

    def _join_late(self) -> None:
        """A super-peer joins in the middle of everything, with a peer that has data; once a run."""
        if self.world.size == self.scenario.size:
            self.world.record(FaultInjected(self.world.now, "a super-peer joins", is_churn=True))
            name = self.world.join()
            self.world.peer(LATE, name, self._workload.triples(LATE))

    def _withdraw_one(self) -> None:
        if self.world.submitted:
            self.world.abort(self.world.rng.choice(self.world.submitted))


def _knows_all(host: RuleHost) -> bool:
    return host.rules.whole.current.triples >= SCHEMA.triples
