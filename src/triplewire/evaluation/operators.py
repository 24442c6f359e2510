"""What an operator is: a node of the algebra, ready to be evaluated.

`solve(work, seed)` gives every solution of its node that is compatible with the seed, and only what the node itself
binds, never more of the seed. So patterns nest as the standard says (bottom up), while a seed cuts the work down to
what it leads to (top down).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from triplewire.evaluation.work import Bindings, Work
from triplewire.rdf.terms import Term

Seed = Mapping[str, Term]
Names = frozenset[str]


class Operator(Protocol):
    """`variables` may be bound in a solution, `certain` ones are."""

    variables: Names
    certain: Names

    def solve(self, work: Work, seed: Seed) -> Iterator[Bindings]:
        """The solutions that are compatible with the seed, each as often as the standard says."""
        ...

    def cost(self, bound: Names) -> float:
        """About how much there is to look at, these variables being bound; only to choose an order."""
        ...


def compatible(solution: Mapping[str, Term], seed: Seed) -> bool:
    """Whether two solutions agree on what both bind."""
    if len(seed) < len(solution):
        solution, seed = seed, solution
    for name, term in solution.items():
        other = seed.get(name)
        if other is not None and other != term:
            return False
    return True


def restricted(seed: Seed, names: Names) -> Bindings:
    """What a seed says about some variables."""
    return {name: seed[name] for name in names if name in seed}
