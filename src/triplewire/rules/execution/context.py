"""The context of a step: what it may ask, whose rules and updates it executes, and within which limits.

Principals: a rule that fails takes along what triggered it, if its abort dependency says so, only where both are of one
owner or the rule is a guard. Otherwise it is independent (section 3.2): it is undone, and what triggered it stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import monotonic

from msgspec import Struct

from triplewire.errors import TriplewireError
from triplewire.rules.changes import Edits
from triplewire.rules.execution.deadline import Deadline
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


def no_guard(_owner: str) -> bool:
    """Nobody's rules guard what others do."""
    return False


def nothing_refused(_owner: str, _edits: Edits) -> TriplewireError | None:
    """Everybody may write everything."""
    return None


class Principals(Struct, frozen=True):
    """Whose a schedule and its rules are.

    `author` has sent the updates, `owners` are those of the rules, by rule; a rule that is not listed is the author's.
    `is_guard` says whose rules may make anybody's updates fail, `refusal` why an owner may not write something.
    `disabled` are rules that do not fire.
    """

    author: str = ""
    owners: Mapping[str, str] = {}
    is_guard: Callable[[str], bool] = no_guard
    refusal: Callable[[str, Edits], TriplewireError | None] = nothing_refused
    disabled: frozenset[str] = frozenset()

    def owner_of(self, rule: str) -> str:
        return self.owners.get(rule, self.author)

    def binds(self, rule: str, parent: str | None) -> bool:
        """Whether a rule may take along what triggered it: another rule, or, if None, the author's transaction."""
        owner = self.owner_of(rule)
        return owner == (self.author if parent is None else self.owner_of(parent)) or self.is_guard(owner)

    def is_foreign(self, rule: str) -> bool:
        """Whether the rule is somebody else's than the author's, and no guard."""
        return not self.binds(rule, None)


class StepContext(Struct, frozen=True):
    """What a step may ask: the graph, the rules, who commutes, in which order to take what has none, and the limits.

    It checks the deadline where it may take long without asking the graph.
    """

    graph: Graph
    rules: Rulebook
    commutes: Commutes = none_commutes
    arrange: Arrange = as_registered
    limits: Limits = Limits()
    deadline: Deadline = Deadline(None, monotonic)
    principals: Principals = Principals()
