"""Reasons in the fast lane: the binding that makes a solution says which quads it stands on.

A solution that comes twice has two bindings, and each copy gets one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from triplewire.algebra.constraints import TaxonomyTest
from triplewire.algebra.derivations import Derivation
from triplewire.algebra.evaluation import met
from triplewire.algebra.queries import Ask, Construct, Core, FastQuery
from triplewire.errors import BudgetExceeded
from triplewire.matching.evaluation.budget import Budget
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.evaluation.join import Binding, key_under, solutions
from triplewire.matching.matches import Solution
from triplewire.matching.reasons.statements import reason
from triplewire.wire.reasons import UNKNOWN, Reason

_Key = frozenset[tuple[str, object]]


def fast_reasons(query: FastQuery, found: Sequence[Solution], view: EventView, budget: Budget) -> list[Reason]:
    """A reason for each solution; one that says nothing where the budget was used up before."""
    waiting: dict[_Key, list[int]] = {}
    for at, solution in enumerate(found):
        waiting.setdefault(frozenset(solution.items()), []).insert(0, at)
    reasons = [UNKNOWN] * len(found)
    try:
        for binding in solutions(query.core, view, budget):
            places = waiting.get(_shown(query, binding))
            if places:
                reasons[places.pop()] = _reason(query.core, binding, view)
                if not any(waiting.values()):
                    break
    except BudgetExceeded:
        pass
    return reasons


def _shown(query: FastQuery, binding: Binding) -> _Key:
    """What a solution shows of a binding."""
    form = query.form
    if isinstance(form, Ask):
        return frozenset()
    if isinstance(form, Construct):
        return frozenset((v.name, term) for v, term in binding.items() if not v.is_blank)
    return frozenset((v.name, binding[v]) for v in form.variables if v in binding)


def _reason(core: Core, binding: Binding, view: EventView) -> Reason:
    rows = (key_under(pattern, binding) for pattern in core.patterns)
    return reason(rows, _derivations(core, binding, view), view, truncated=False)  # type: ignore[arg-type]


def _derivations(core: Core, binding: Binding, view: EventView) -> Iterator[Derivation]:
    """What the taxonomy had to say for the constraint to hold: in the first alternative that is met."""
    for alternative in core.constraint.alternatives:
        if all(met(condition, binding, view.taxonomy, view.types) for condition in alternative):
            tests = (condition.test for condition in alternative if condition.holds)
            for test in (test for test in tests if isinstance(test, TaxonomyTest)):
                derived = view.taxonomy.derivation(test.relation, binding[test.variable], test.cls, view.types)
                if derived is not None:
                    yield derived
            return
