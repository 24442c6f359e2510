"""A whole run from a seed: play it, let it settle, judge it.

from triplewire.testing.simulation import run
outcome = run(seed=4711)
print(outcome)                  # "seed 4711: right, …", or what is wrong and what happened last
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from triplewire.testing.simulation.histories.checker import Checker, Violation, explained
from triplewire.testing.simulation.histories.history import MOST_HOPS, Accepted, History, Notified, Repeated
from triplewire.testing.simulation.workload.schedule import Plan, Play, drawn_plan
from triplewire.testing.simulation.world import World

_LONGEST = 60.0
_AFTERWARDS = 3.0

MakeWorld = Callable[[int, Plan], World]


class Outcome(Struct):
    """What came of a run."""

    seed: int
    plan: Plan
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


def make_world(seed: int, plan: Plan) -> World:
    """A world in the weather of the plan."""
    return World(seed, plan.weather)


def run(seed: int, plan: Plan | None = None, make: MakeWorld = make_world) -> Outcome:
    """Play the plan of this seed, or another one, and judge what happened."""
    plan = plan or drawn_plan(seed)
    world = make(seed, plan)
    Play(world, plan).run()
    settle(world, plan)
    checker = Checker(world.history, plan.settle)
    violation = checker.first_violation()
    owed = sum(1 for _ in checker.owed())
    return Outcome(seed, plan, world.history, violation, owed, world.trace.digest, world.trace.tail())


def settle(world: World, plan: Plan) -> None:
    """Let time pass until all is mended and nothing owed, or too long; then a little more, for what should not come.

    What rules publish meanwhile is owed in turn, and so on as far as they hear each other.
    """

    def is_owing() -> bool:
        return world.lasting > 0 or Checker(world.history, plan.settle).is_owing()

    for _ in range(MOST_HOPS + 1):
        world.run_while(is_owing, at_most=_LONGEST, step=2.0)
        world.run_for(_AFTERWARDS)
