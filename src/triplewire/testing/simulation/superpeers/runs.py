"""A whole run from a seed: run the scenario, let it settle, check the history.

from triplewire.testing.simulation.superpeers import run
outcome = run(seed=4711)
print(outcome)                  # "seed 4711: right, …", or what is wrong and what happened last
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from triplewire.testing.simulation.checking import Violation, explained
from triplewire.testing.simulation.superpeers.histories.checker import Checker
from triplewire.testing.simulation.superpeers.histories.history import MOST_HOPS, Accepted, History, Notified, Repeated
from triplewire.testing.simulation.superpeers.workload.scenarios import Scenario, ScenarioRunner, random_scenario
from triplewire.testing.simulation.superpeers.world import World

_LONGEST = 60.0
_AFTERWARDS = 3.0

MakeWorld = Callable[[int, Scenario], World]


class RunOutcome(Struct):
    """The outcome of a run."""

    seed: int
    scenario: Scenario
    history: History
    violation: Violation | None
    owed: int
    digest: int
    tail: list[str]

    def __str__(self) -> str:
        if self.violation is not None:
            return explained(self.violation, self.seed, self.tail)
        return f"seed {self.seed}: right, {self.owed} notifications were owed, {self.count(Notified)} made"

    def count(self, kind: type[Notified] | type[Accepted] | type[Repeated]) -> int:
        return sum(isinstance(record, kind) for record in self.history.records)


def make_world(seed: int, scenario: Scenario) -> World:
    """A world with the fault model of the scenario."""
    return World(seed, scenario.fault_model)


def run(seed: int, scenario: Scenario | None = None, make: MakeWorld = make_world) -> RunOutcome:
    """Run the scenario of this seed, or another one, and check its history."""
    scenario = scenario or random_scenario(seed)
    world = make(seed, scenario)
    ScenarioRunner(world, scenario).run()
    settle(world, scenario)
    checker = Checker(world.history, scenario.settle)
    violation = checker.first_violation()
    owed = sum(1 for _ in checker.owed())
    return RunOutcome(seed, scenario, world.history, violation, owed, world.trace.digest, world.trace.tail())


def settle(world: World, scenario: Scenario) -> None:
    """Run until no fault is active and nothing is owed, with a timeout; then a little longer, for unexpected messages.

    What rules publish meanwhile is owed in turn, and so on as far as they trigger each other.
    """

    def is_owing() -> bool:
        return world.active_faults > 0 or Checker(world.history, scenario.settle).is_owing()

    for _ in range(MOST_HOPS + 1):
        world.run_while(is_owing, at_most=_LONGEST, step=2.0)
        world.run_for(_AFTERWARDS)
