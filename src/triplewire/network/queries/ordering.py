"""The order in which steps are fetched: the most selective first, then those that share a variable with them.

No statistics are kept: a constant subject is taken to say more than a constant object or graph, and those far more
than a constant predicate. The order is fixed before anything is fetched, so that `explain` tells what will be done.
"""

from __future__ import annotations

from collections.abc import Sequence

from triplewire.network.can.geometry.space import Dimension
from triplewire.network.queries.bounds.intervals import Intervals
from triplewire.network.queries.planning.steps import Step

# Which part of all quadruples is expected with one value: graph, subject, predicate, object.
_ONE_VALUE = (1e-3, 1e-4, 1e-1, 1e-3)
# The values that another step gives are taken to be so many.
_CARRIED = 30
_RANGE = 0.2
_FEW = 100


def in_order(steps: Sequence[Step]) -> list[Step]:
    """The steps in the order of fetching; between equals, in that of the text."""
    expected = {at: _expected(step) for at, step in enumerate(steps)}
    takers = _takers(steps)
    given: set[tuple[int, Dimension]] = set()
    order: list[Step] = []
    while expected:
        best = min(expected, key=expected.__getitem__)
        del expected[best]
        order.append(steps[best])
        for taker, share in takers.get(id(steps[best]), {}).items():
            # The first step that gives values of a position counts, others hardly add to it.
            if taker[0] in expected and taker not in given:
                given.add(taker)
                expected[taker[0]] *= share
    return order


def _takers(steps: Sequence[Step]) -> dict[int, dict[tuple[int, Dimension], float]]:
    """For each step, the positions of others that its values bound, and how much they are expected to leave."""
    found: dict[int, dict[tuple[int, Dimension], float]] = {}
    for at, step in enumerate(steps):
        for dimension, variable in step.variables:
            share = min(1.0, _CARRIED * _ONE_VALUE[dimension])
            for giver, _ in step.scope.givers(variable):
                if giver is not step:
                    found.setdefault(id(giver), {})[at, dimension] = share
    return found


def _expected(step: Step) -> float:
    share = 1.0
    for dimension, one in zip(Dimension, _ONE_VALUE, strict=True):
        share *= _share(step.bounds(dimension), one)
    return share


def _share(bounds: Intervals, one: float) -> float:
    if bounds.is_everything:
        return 1.0
    if all(part.upper == part.lower + b"\0" for part in bounds.parts):
        return min(1.0, len(bounds) * one)
    return _RANGE if len(bounds) < _FEW else 1.0
