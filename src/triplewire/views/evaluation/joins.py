"""Join, union, OPTIONAL and MINUS.

A join takes its parts in an order that is chosen for the variables that are bound at the time, each time looking only
for what is compatible with what was found so far; conditions are tested as soon as their variables are certain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from triplewire.views.evaluation.expressions.compiler import Condition
from triplewire.views.evaluation.operators import Names, Operator, Seed, compatible
from triplewire.views.evaluation.patterns import QuadMatch
from triplewire.views.evaluation.work import Bindings, Work

_NONE: Names = frozenset()


class Test(Struct, frozen=True):
    """A condition and the variables that it needs; None if it has to wait for the whole solution."""

    condition: Condition
    needs: Names | None

    def holds(self, solution: Bindings, work: Work) -> bool:
        return self.condition(solution, work) is True


class _Step(Struct, frozen=True):
    part: Operator
    tests: tuple[Condition, ...]


class JoinAll:
    """A join of any number of parts, with the conditions of the filter around it."""

    def __init__(self, parts: Sequence[Operator], tests: Sequence[Test] = ()) -> None:
        self.parts = tuple(parts)
        self._tests = tuple(tests)
        self.variables = _NONE.union(*(part.variables for part in parts))
        self.certain = _NONE.union(*(part.certain for part in parts))
        # Where every variable is certain to be bound, one set of bindings says all.
        self._is_flat = all(isinstance(part, QuadMatch) for part in parts)
        self._plans: dict[Names, tuple[_Step, ...]] = {}

    def solve(self, work: Work, seed: Seed) -> Iterator[Bindings]:
        bound = self.variables.intersection(seed)
        plan = self._plans.get(bound)
        if plan is None:
            plan = self._plans[bound] = self._planned(bound)
        if self._is_flat:
            return self._flat(work, plan, 0, {name: seed[name] for name in bound})
        return self._nested(work, plan, 0, {}, seed)

    def _flat(self, work: Work, plan: tuple[_Step, ...], at: int, found: Bindings) -> Iterator[Bindings]:
        if at == len(plan):
            yield found
            return
        step = plan[at]
        for match in step.part.solve(work, found):
            merged = {**found, **match}
            if all(test(merged, work) is True for test in step.tests):
                yield from self._flat(work, plan, at + 1, merged)

    def _nested(self, work: Work, plan: tuple[_Step, ...], at: int, found: Bindings, seed: Seed) -> Iterator[Bindings]:
        if at == len(plan):
            yield found
            return
        step = plan[at]
        for match in step.part.solve(work, {**seed, **found}):
            merged = {**found, **match}
            work.budget.spend()
            if all(test(merged, work) is True for test in step.tests):
                yield from self._nested(work, plan, at + 1, merged, seed)

    def cost(self, bound: Names) -> float:
        return min((part.cost(bound) for part in self.parts), default=1.0)

    def _planned(self, bound: Names) -> tuple[_Step, ...]:
        left = list(self.parts)
        waiting = list(self._tests)
        known, sure = bound, _NONE
        steps = []
        while left:
            part = min(left, key=lambda part: part.cost(known))
            left.remove(part)
            known, sure = known | part.certain, sure | part.certain
            ready = [t for t in waiting if not left or (t.needs is not None and t.needs <= sure)]
            waiting = [test for test in waiting if test not in ready]
            steps.append(_Step(part, tuple(test.condition for test in ready)))
        return tuple(steps)


class FilterAll:
    """FILTER around anything but a join."""

    def __init__(self, inner: Operator, tests: Sequence[Test]) -> None:
        self._inner = inner
        self._tests = tuple(tests)
        self.variables, self.certain = inner.variables, inner.certain

    def solve(self, work: Work, seed: Seed) -> Iterator[Bindings]:
        for solution in self._inner.solve(work, seed):
            if all(test.holds(solution, work) for test in self._tests):
                yield solution

    def cost(self, bound: Names) -> float:
        return self._inner.cost(bound)


class UnionAll:
    """UNION."""

    def __init__(self, branches: Sequence[Operator]) -> None:
        self._branches = tuple(branches)
        self.variables = _NONE.union(*(branch.variables for branch in branches))
        self.certain = frozenset.intersection(*(branch.certain for branch in branches))

    def solve(self, work: Work, seed: Seed) -> Iterator[Bindings]:
        for branch in self._branches:
            yield from branch.solve(work, seed)

    def cost(self, bound: Names) -> float:
        return sum(branch.cost(bound) for branch in self._branches)


class OuterJoin:
    """OPTIONAL. Whether there is a match on the right does not depend on the seed, only what is told of it."""

    def __init__(self, left: Operator, right: Operator, tests: Sequence[Test]) -> None:
        self._left = left
        self._right = right
        self._tests = tuple(tests)
        self.variables = left.variables | right.variables
        self.certain = left.certain

    def solve(self, work: Work, seed: Seed) -> Iterator[Bindings]:
        for solution in self._left.solve(work, seed):
            is_matched = False
            for match in self._right.solve(work, {**work.outer, **solution}):
                merged = {**solution, **match}
                if all(test.holds(merged, work) for test in self._tests):
                    is_matched = True
                    if compatible(match, seed):
                        yield merged
            if not is_matched:
                yield solution

    def cost(self, bound: Names) -> float:
        return self._left.cost(bound)


class Difference:
    """MINUS."""

    def __init__(self, left: Operator, right: Operator) -> None:
        self._left = left
        self._right = right
        self._shares = bool(left.variables & right.variables)
        self.variables, self.certain = left.variables, left.certain

    def solve(self, work: Work, seed: Seed) -> Iterator[Bindings]:
        for solution in self._left.solve(work, seed):
            if not (self._shares and self._is_excluded(work, solution)):
                yield solution

    def _is_excluded(self, work: Work, solution: Bindings) -> bool:
        matches = self._right.solve(work, {**work.outer, **solution})
        return any(not solution.keys().isdisjoint(match) for match in matches)

    def cost(self, bound: Names) -> float:
        return self._left.cost(bound)
