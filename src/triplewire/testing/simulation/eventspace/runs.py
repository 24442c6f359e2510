"""A whole run from a seed: run the scenario, let it settle, check the history and what lies where.

from triplewire.testing.simulation.eventspace import run
print(run(seed=4711))           # "seed 4711: right, …", or what is wrong and what happened last
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from triplewire.testing.simulation.checking import Violation, explained
from triplewire.testing.simulation.eventspace.checker import SpaceChecker
from triplewire.testing.simulation.eventspace.history import History, Notified
from triplewire.testing.simulation.eventspace.inspection import problems
from triplewire.testing.simulation.eventspace.scenarios import Scenario, ScenarioRunner, random_scenario
from triplewire.testing.simulation.eventspace.world import SpaceWorld

_LONGEST = 180.0
_AFTERWARDS = 3.0

MakeWorld = Callable[[int, Scenario], SpaceWorld]


class RunOutcome(Struct):
    """The outcome of a run. `owed` notifications were due."""

    seed: int
    scenario: Scenario
    history: History
    violations: list[Violation]
    owed: int
    digest: int
    tail: list[str]

    @property
    def violation(self) -> Violation | None:
        """The earliest violation; None if the run was right."""
        return min(self.violations, key=lambda violation: violation.time, default=None)

    def __str__(self) -> str:
        if self.violation is not None:
            return explained(self.violation, self.seed, self.tail)
        made = sum(isinstance(record, Notified) for record in self.history.records)
        return f"seed {self.seed}: right, {self.owed} notifications were owed, {made} made"


def make_world(seed: int, scenario: Scenario) -> SpaceWorld:
    """A world with the fault model and the strategies of the scenario."""
    return SpaceWorld(seed, scenario.fault_model, strategies=scenario.strategies)


def run(
    seed: int, scenario: Scenario | None = None, make: MakeWorld = make_world, *, patience: float = _LONGEST
) -> RunOutcome:
    """Run the scenario of this seed, or another one, and check it. It may take so many seconds to settle."""
    scenario = scenario or random_scenario(seed)
    world = make(seed, scenario)
    runner = ScenarioRunner(world, scenario)
    runner.run()
    settle(world, patience)
    runner.subscribe_to_everything()
    world.run_for(1.0)
    settle(world, patience)
    runner.publish_everywhere()
    world.run_for(1.0)
    settle(world, patience)
    runner.ask_everywhere()
    settle(world, patience)
    checker = SpaceChecker(world.history)
    violations = [*checker.violations(), *(Violation(world.now, one.rule, one.sentence) for one in problems(world))]
    owed = sum(1 for _ in checker.owed())
    return RunOutcome(seed, scenario, world.history, violations, owed, world.trace.digest, world.trace.tail())


def settle(world: SpaceWorld, patience: float) -> None:
    """Run until no fault is active, nothing is owed and all lies where it should, with a timeout.

    Then a little longer, for unexpected messages; and on, if zones or replicas move just then.
    """

    def is_unsettled() -> bool:
        if world.active_faults > 0 or world.is_busy:
            return True
        return SpaceChecker(world.history).is_owing() or bool(problems(world))

    world.run_while(is_unsettled, at_most=patience, step=2.0)
    world.run_for(_AFTERWARDS)
    world.run_while(is_unsettled, at_most=patience, step=2.0)
