"""Work budgets: how much one evaluation may do before it is stopped."""

from __future__ import annotations

from triplewire.errors import BudgetExceeded

DEFAULT_STEPS = 1_000_000


class Budget:
    """A number of intermediate bindings that an evaluation may make; what is spent counts for a larger one as well.

    >>> budget = Budget(2)
    >>> budget.spend()
    >>> budget.spend(2)
    Traceback (most recent call last):
    triplewire.errors.BudgetExceeded: the evaluation wanted more than 2 intermediate bindings
    """

    def __init__(self, steps: int = DEFAULT_STEPS, within: Budget | None = None) -> None:
        self.steps = steps
        self.spent = 0
        self._within = within

    def spend(self, steps: int = 1) -> None:
        if self._within is not None:
            self._within.spend(steps)
        self.spent += steps
        if self.spent > self.steps:
            raise BudgetExceeded(f"the evaluation wanted more than {self.steps:,} intermediate bindings")
