"""Random scenarios: clients subscribe, publish and ask while nodes join, leave, fail and come back.

First the nodes join. Then come fault phases, in which faults are injected and cleared in any order while clients go on;
between some of them everything is cleared. At the end all is cleared, and when the space has settled every node is
asked for all that is stored.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from msgspec import Struct

from triplewire.network.can.geometry.coordinates import coordinate
from triplewire.network.can.geometry.space import SPACE, bounds_of, exactly
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.testing.simulation.eventspace.inspection import is_expendable, problems
from triplewire.testing.simulation.eventspace.workload import (
    EVERYTHING,
    PREDICATES,
    RESOURCES,
    random_event,
    random_subscription,
)
from triplewire.testing.simulation.eventspace.world import SpaceWorld
from triplewire.testing.simulation.fault_injector import NETWORK_FAULTS, PROCESS_FAULTS, FaultInjector
from triplewire.testing.simulation.faults import RELIABLE, UNRELIABLE, FaultModel

MOSTLY_RELIABLE = FaultModel(slowest=0.1, loss=0.01, repeats=0.05)
FAULT_MODELS = (RELIABLE, MOSTLY_RELIABLE, MOSTLY_RELIABLE, UNRELIABLE)
FAULT_KINDS = (*NETWORK_FAULTS, "one-way split", *PROCESS_FAULTS, "full disk", "join", "leave", "destroy")
STRATEGIES = (
    (PublicationStrategy.CSMA,),
    (PublicationStrategy.OSMA,),
    (PublicationStrategy.AUTO,),
    tuple(PublicationStrategy),
)
_FEWEST = 3
_MOST = 12


class Scenario(Struct, frozen=True, kw_only=True):
    """The size of a run, its fault model and its fault phases. Durations are in seconds."""

    size: int
    fault_model: FaultModel
    strategies: tuple[PublicationStrategy, ...]
    fault_phases: int
    phase_seconds: float
    fault_kinds: tuple[str, ...]
    faults_per_phase: int
    actions_per_second: float = 2.0


def random_scenario(seed: int) -> Scenario:
    """A scenario by seed: from three nodes to twelve."""
    rng = Random(f"space {seed}")
    return Scenario(
        size=rng.randint(_FEWEST, _MOST),
        fault_model=rng.choice(FAULT_MODELS),
        strategies=rng.choice(STRATEGIES),
        fault_phases=rng.randint(1, 2),
        phase_seconds=rng.uniform(3.0, 15.0),
        fault_kinds=tuple(rng.sample(FAULT_KINDS, rng.randint(1, len(FAULT_KINDS)))),
        faults_per_phase=rng.randint(1, 4),
        actions_per_second=rng.choice((1.0, 2.0, 4.0)),
    )


class ScenarioRunner:
    """Runs a scenario in a world."""

    def __init__(self, world: SpaceWorld, scenario: Scenario) -> None:
        self.world = world
        self.scenario = scenario
        self._rng = world.rng
        self._faults = FaultInjector(world, scenario.fault_kinds)
        self._faults.handlers |= {
            "one-way split": self._split_one_way,
            "full disk": self._fill_disk,
            "join": self._join,
            "leave": self._leave,
            "destroy": self._destroy,
        }
        self._full: list[Callable[[], None]] = []
        self._subscriptions: dict[str, str] = {}
        self._is_active = True
        self._was_destroyed = False
        self._events = 0
        self._joined = 1000

    def run(self) -> None:
        """From the first node until every fault is cleared."""
        self.world.found(self.scenario.size, interval=self._rng.uniform(0.0, 2.0))
        for _ in range(self.scenario.size):
            self._subscribe()
        self.world.later(0.0, self._act)
        self.world.run_for(self._rng.uniform(1.0, 10.0))
        for _ in range(self.scenario.fault_phases):
            self._faults.inject(self.scenario.faults_per_phase, self.scenario.phase_seconds)
            if self._rng.random() < 0.5:
                self._clear_all()
                self.world.run_for(self._rng.uniform(0.0, 20.0))
        self._clear_all()
        self._is_active = False

    def subscribe_to_everything(self) -> None:
        """A client somewhere subscribes to every event, so that at the end something is owed in any case."""
        host_id = self._any_available()
        if host_id is not None:
            self.world.subscribe(host_id, EVERYTHING)

    def publish_everywhere(self) -> None:
        """Every node publishes something, so that whatever is amiss with the space shows."""
        for host_id in self._available():
            self._publish_at(host_id)

    def ask_everywhere(self) -> None:
        """Every node is asked for everything."""
        for host_id in self._available():
            self.world.ask(host_id, SPACE, is_strict=True)

    # Clients

    def _act(self) -> None:
        if not self._is_active:
            return
        actions: tuple[Callable[[], None], ...] = (
            self._subscribe,
            self._subscribe_and_publish,
            self._unsubscribe,
            self._publish,
            self._ask,
        )
        self._rng.choices(actions, weights=(3, 1, 1, 12, 1))[0]()
        self.world.later(self._rng.expovariate(self.scenario.actions_per_second), self._act)

    def _subscribe(self) -> None:
        host_id = self._any_available()
        if host_id is not None:
            self._subscriptions[self.world.subscribe(host_id, random_subscription(self._rng))] = host_id

    def _subscribe_and_publish(self) -> None:
        """A client publishes right after it has subscribed."""
        host_id = self._any_available()
        if host_id is not None:
            self._subscriptions[self.world.subscribe(host_id, random_subscription(self._rng))] = host_id
            for _ in range(3):
                self._publish_at(host_id)

    def _unsubscribe(self) -> None:
        available = set(self._available())
        names = [name for name, host_id in self._subscriptions.items() if host_id in available]
        if names:
            name = self._rng.choice(names)
            self.world.unsubscribe(self._subscriptions.pop(name), name)

    def _publish(self) -> None:
        host_id = self._any_available()
        if host_id is not None:
            self._publish_at(host_id)

    def _publish_at(self, host_id: str) -> None:
        self._events += 1
        self.world.publish(host_id, random_event(self._rng, self._events))

    def _ask(self) -> None:
        host_id = self._any_available()
        if host_id is not None:
            subject = exactly(coordinate(self._rng.choice(RESOURCES)))
            predicate = exactly(coordinate(self._rng.choice(PREDICATES)))
            boxes = (bounds_of(subject=subject), bounds_of(predicate=predicate), SPACE)
            self.world.ask(host_id, self._rng.choice(boxes))

    # Faults

    def _split_one_way(self, _one: str, _other: str) -> None:
        up = self._faults.up()
        some = self._rng.sample(up, self._rng.randint(1, len(up) - 1))
        self._faults.for_some_time(self.world.split_one_way(some))

    def _fill_disk(self, one: str, _other: str) -> None:
        make_room = self.world.fill_disk(one)
        self._full.append(make_room)
        self.world.later(self._faults.duration(), self._make_room, make_room)

    def _make_room(self, make_room: Callable[[], None]) -> None:
        if make_room in self._full:
            self._full.remove(make_room)
            make_room()

    def _join(self, one: str, other: str) -> None:
        self._joined += 1
        self.world.join(f"n{self._joined}", [one, other])

    def _leave(self, one: str, _other: str) -> None:
        if len(self._faults.up()) > _FEWEST:
            self.world.leave(one)

    def _destroy(self, one: str, _other: str) -> None:
        """Destroy a node, if others have what it has; a second one only when what the first one had is safe again."""
        is_safe = is_expendable(self.world, one) and not (self._was_destroyed and problems(self.world))
        if is_safe and len(self._faults.up()) > _FEWEST:
            self._was_destroyed = True
            self.world.destroy(one)

    def _clear_all(self) -> None:
        self._faults.clear_all()
        for make_room in list(self._full):
            self._make_room(make_room)

    # Choices

    def _available(self) -> list[str]:
        return [host.id for host in self.world.hosts.values() if host.is_available]

    def _any_available(self) -> str | None:
        available = self._available()
        return self._rng.choice(available) if available else None
