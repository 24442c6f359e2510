"""What a step may ask, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from msgspec import Struct

from triplewire.rules.execution.deadline import Deadline
from triplewire.rules.execution.parties import Parties
from triplewire.rules.execution.rulebook import Rulebook
from triplewire.rules.execution.state import Effect, State
from triplewire.rules.execution.triggering.firing import Firing
from triplewire.rules.execution.units import Commutes, none_commutes
from triplewire.rules.graphs import Graph

Effects = tuple[Effect, ...]
Result = tuple[State, Effects]
Arrange = Callable[[Sequence[Firing]], Sequence[Firing]]


def as_registered(firings: Sequence[Firing]) -> Sequence[Firing]:
    """Of firings that no precedence relates, those of the rule that was registered first come first."""
    return firings


class Limits(Struct, frozen=True):
    """`depth`: how long a chain of rules that trigger each other may be; `updates`: how many a schedule may execute.

    `edits`: how many triples one of them may insert and delete; `seconds`: how long a schedule may take, in all.
    """

    depth: int = 100
    updates: int = 100_000
    edits: int = 1_000_000
    seconds: float | None = None


class World(Struct, frozen=True):
    """What a step may ask: the graph, the rules, who commutes, in which order to take what has none, and the limits.

    It checks the deadline where it may take long without asking the graph.
    """

    graph: Graph
    rules: Rulebook
    commutes: Commutes = none_commutes
    arrange: Arrange = as_registered
    limits: Limits = Limits()
    deadline: Deadline = Deadline(None, monotonic)
    parties: Parties = Parties()
