"""The fast lane: a query that is its core."""

from __future__ import annotations

from triplewire.algebra.queries import Ask, Construct, FastQuery, Select
from triplewire.matching.evaluation.budget import Allowance, Budget
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.evaluation.join import Binding, constant_keys, solutions
from triplewire.matching.general.construct_templates import instantiate
from triplewire.matching.general.datasets import Dataset
from triplewire.matching.matches import Answer, Solution


class FastPlan:
    """A fast query, made ready to be evaluated on many events."""

    def __init__(self, query: FastQuery) -> None:
        self.query = query
        self._keys = constant_keys(query.core)

    def answer(self, dataset: Dataset, allowance: Allowance) -> Answer | None:
        """What the query yields on an event, or nothing where it has no solution."""
        view = dataset.view
        if not self._could_match(view):
            return None
        found = solutions(self.query.core, view, Budget(allowance.steps))
        if isinstance(self.query.form, Ask):
            return next((Answer([{}]) for _ in found), None)
        bindings = list(found)
        return _shaped(self.query.form, bindings) if bindings else None

    def is_satisfied(self, dataset: Dataset, steps: int) -> bool:
        """Whether the query has a solution; BudgetExceeded where that takes too much."""
        view = dataset.view
        return self._could_match(view) and any(True for _ in solutions(self.query.core, view, Budget(steps)))

    def _could_match(self, view: EventView) -> bool:
        return all(view.matching(key) for key in self._keys)


def _shaped(form: Select | Construct, bindings: list[Binding]) -> Answer:
    if isinstance(form, Construct):
        visible = [{v.name: term for v, term in binding.items() if not v.is_blank} for binding in bindings]
        return Answer(visible, instantiate(form.template, visible))
    rows = [_projected(form, binding) for binding in bindings]
    return Answer(_distinct(rows) if form.distinct else rows)


def _projected(form: Select, binding: Binding) -> Solution:
    return {variable.name: binding[variable] for variable in form.variables if variable in binding}


def _distinct(rows: list[Solution]) -> list[Solution]:
    return list({tuple(sorted(row.items(), key=lambda item: item[0])): row for row in rows}.values())
