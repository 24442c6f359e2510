"""How much work one change may be for a view, and for all views of its owner together (row A11).

Each view alone has its steps. Whoever has many that are just below it would hold up everybody's changes, so what is
left for the views of an owner becomes less with each that has had its turn; a view that takes little is never refused.
"""

from __future__ import annotations

from collections.abc import Callable

from triplewire.errors import BudgetExceeded
from triplewire.evaluation.work import Budget

STEPS = 1_000_000
_TOGETHER = 2
# What a view may take, however much others of its owner have taken.
_LEAST = 2_000


class Allowances:
    """Budgets for one change after the other. Without `owner_of`, each view is its own owner."""

    def __init__(self, steps: int = STEPS, owner_of: Callable[[str], str] | None = None) -> None:
        self.steps = steps
        self._owner_of = owner_of or (lambda view: view)
        self._spent: dict[str, int] = {}

    def begin(self) -> None:
        """Another change."""
        self._spent.clear()

    def budget(self, view: str) -> Budget:
        """What a view may take now."""
        left = _TOGETHER * self.steps - self._spent.get(self._owner_of(view), 0)
        return Budget(min(self.steps, max(left, _LEAST)))

    def note(self, view: str, budget: Budget) -> None:
        """Note what a view has taken."""
        owner = self._owner_of(view)
        self._spent[owner] = self._spent.get(owner, 0) + budget.spent

    def reason(self, budget: Budget, problem: Exception) -> str:
        """Why a view is not kept up to date any more."""
        if not isinstance(problem, BudgetExceeded) or budget.allowed == self.steps or budget.left >= 0:
            return str(problem)
        most = _TOGETHER * self.steps
        return f"the views of its owner are too much work together: wanted at most {most:,} steps, found more than that"
