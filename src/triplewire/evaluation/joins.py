"""Join, union, OPTIONAL and MINUS.

A join takes its parts in an order that is chosen for the variables that are bound at the time, each time looking only
for what is compatible with what was found so far; conditions are tested as soon as their variables are certain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from triplewire.evaluation.expressions.compiler import Condition
from triplewire.evaluation.operators import Names, Operator, Seed, compatible
from triplewire.evaluation.patterns import QuadMatch
from triplewire.evaluation.work import Bindings, Work

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

    def passes(self, solution: Bindings, work: Work) -> bool:
        return not self.tests or all(test(solution, work) is True for test in self.tests)


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
            return _flat(work, plan, {name: seed[name] for name in bound})
        return _nested(work, plan, seed)

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


def _flat(work: Work, plan: tuple[_Step, ...], found: Bindings) -> Iterator[Bindings]:
    """Depth first, with a stack of its own: a pattern may have hundreds of parts."""
    last = len(plan) - 1
    waiting = [plan[0].part.extensions(work, found)]  # type: ignore[attr-defined]
    while waiting:
        at = len(waiting) - 1
        merged = next(waiting[at], None)
        if merged is None:
            waiting.pop()
        elif not plan[at].passes(merged, work):
            continue
        elif at == last:
            yield merged
        else:
            waiting.append(plan[at + 1].part.extensions(work, merged))  # type: ignore[attr-defined]


def _nested(work: Work, plan: tuple[_Step, ...], seed: Seed) -> Iterator[Bindings]:
    """The same where a part may leave variables unbound that the seed binds."""
    last = len(plan) - 1
    found: list[Bindings] = [{}]
    waiting = [plan[0].part.solve(work, seed)]
    while waiting:
        at = len(waiting) - 1
        match = next(waiting[at], None)
        if match is None:
            waiting.pop()
            found.pop()
            continue
        work.budget.spend()
        merged = {**found[at], **match}
        if not plan[at].passes(merged, work):
            continue
        if at == last:
            yield merged
        else:
            found.append(merged)
            waiting.append(plan[at + 1].part.solve(work, {**seed, **merged}))


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
