"""A whole run from a seed: play the scenario, let it come to rest, check it.

from triplewire.testing.simulation.federation import run
print(run(seed=4711))           # "seed 4711: right, …", or what is wrong and what happened last
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.testing.simulation.checking import Violation, explained
from triplewire.testing.simulation.federation.checker import FederationChecker
from triplewire.testing.simulation.federation.history import History
from triplewire.testing.simulation.federation.scenarios import Scenario, ScenarioRunner, random_scenario

_REPLICAS = 300.0


class RunOutcome(Struct):
    """The outcome of a run: how many units there were, how many aborted, and whether it was compared with one node.

    `sealed` are those that a peer had committed by itself, `stayed` those of them that would have had to abort.
    """

    seed: int
    scenario: Scenario
    history: History
    violation: Violation | None
    units: int
    firings: int
    remote: int
    aborted: int
    sealed: int
    stayed: int
    was_compared: bool
    digest: int
    tail: list[str]

    def __str__(self) -> str:
        if self.violation is not None:
            return explained(self.violation, self.seed, self.tail)
        compared = ", as on one node" if self.was_compared else ""
        return f"seed {self.seed}: right, {self.units} units, {self.aborted} of them aborted{compared}"


def run(seed: int, scenario: Scenario | None = None) -> RunOutcome:
    """Run the scenario of this seed, or another one, and check it."""
    scenario = scenario or random_scenario(seed)
    runner = ScenarioRunner(seed, scenario)
    runner.run()
    world = runner.world
    # Exchanges pick their partners at random, so the last replica may take a while.
    world.run_while(lambda: FederationChecker(world, in_turn=False).is_missing_replicas, at_most=_REPLICAS)
    runner.rest()
    checker = FederationChecker(world, in_turn=scenario.is_calm, fails_together=runner.fails_together)
    violation = next(checker.violations(), None)
    units = checker.scheduled.values()
    firings = [unit for unit in units if unit.rule is not None]
    remote = sum(unit.parent is not None and not unit.unit.startswith(_before(unit.parent)) for unit in firings)
    return RunOutcome(
        seed,
        scenario,
        world.history,
        violation,
        len(units),
        len(firings),
        remote,
        len(checker.aborted),
        len(checker.sealed),
        len(checker.stayed),
        checker.was_compared,
        world.trace.digest,
        world.trace.tail(),
    )


def _before(name: str) -> str:
    return f"{name.rpartition('/')[0]}/"
