"""Queries made ready to be evaluated on one event after the other, and kept while they are in use."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from triplewire.algebra.queries import Ask, Construct, FastQuery, Query, Select
from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.evaluation.budget import Budget
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.evaluation.join import Binding, constant_keys, solutions
from triplewire.matching.general.construct_templates import instantiate
from triplewire.matching.general.plan import GeneralPlan
from triplewire.matching.matches import QueryAnswer, Solution
from triplewire.matching.segments.segment import Segment

_KEPT = 10_000


class FastPlan:
    """A fast query, made ready to be evaluated on many events."""

    def __init__(self, query: FastQuery) -> None:
        self.query = query
        self._keys = constant_keys(query.core)

    def answer(self, view: EventView, steps: int) -> QueryAnswer | None:
        """What the query yields on an event; nothing where it has no solution; BudgetExceeded after so many steps."""
        if not self._could_match(view):
            return None
        found = solutions(self.query.core, view, Budget(steps))
        if isinstance(self.query.form, Ask):
            return next((QueryAnswer([{}]) for _ in found), None)
        bindings = list(found)
        return _shaped(self.query.form, bindings) if bindings else None

    def is_satisfied(self, view: EventView, steps: int) -> bool:
        """Whether the query has a solution; BudgetExceeded where that takes too much."""
        return self._could_match(view) and any(True for _ in solutions(self.query.core, view, Budget(steps)))

    def _could_match(self, view: EventView) -> bool:
        return all(view.matching(key) for key in self._keys)


def _shaped(form: Select | Construct, bindings: list[Binding]) -> QueryAnswer:
    if isinstance(form, Construct):
        visible = [{v.name: term for v, term in binding.items() if not v.is_blank} for binding in bindings]
        return QueryAnswer(visible, instantiate(form.template, visible))
    rows = [_projected(form, binding) for binding in bindings]
    return QueryAnswer(_distinct(rows) if form.distinct else rows)


def _projected(form: Select, binding: Binding) -> Solution:
    return {variable.name: binding[variable] for variable in form.variables if variable in binding}


def _distinct(rows: list[Solution]) -> list[Solution]:
    return list({tuple(sorted(row.items(), key=lambda item: item[0])): row for row in rows}.values())


QueryPlan = FastPlan | GeneralPlan


def query_plan(query: Query) -> QueryPlan:
    """Make a query ready to be evaluated on many events."""
    return FastPlan(query) if isinstance(query, FastQuery) else GeneralPlan(query)


class PlanCache:
    """The plans used last, by the identifier of the subscription."""

    def __init__(self) -> None:
        self._plans: OrderedDict[str, QueryPlan] = OrderedDict()

    def of(self, segment: Segment, number: int) -> QueryPlan:
        """The plan of a subscription, made from its text where it is not at hand."""
        return self._kept(segment.id_of(number), lambda: segment.subscription(number).query)

    def of_drafted(self, subscription: Subscription) -> QueryPlan:
        """The plan of a subscription that is in no segment yet."""
        return self._kept(subscription.id, lambda: subscription.query)

    def of_known(self, name: str, find: Callable[[str], Subscription | None]) -> QueryPlan | None:
        """The plan of whatever has that name; None for nothing."""
        known = self._plans.get(name)
        if known is not None:
            return known
        subscription = find(name)
        return None if subscription is None else self.of_drafted(subscription)

    def keep(self, subscription_id: str, plan: QueryPlan) -> QueryPlan:
        """Have the plan of a subscription at hand."""
        self._plans[subscription_id] = plan
        if len(self._plans) > _KEPT:
            self._plans.popitem(last=False)
        return plan

    def _kept(self, name: str, query: Callable[[], Query]) -> QueryPlan:
        plan = self._plans.pop(name, None)
        return self.keep(name, plan or query_plan(query()))

    def forget(self, subscription_id: str) -> None:
        """A subscription is gone; its name may come to mean another query."""
        self._plans.pop(subscription_id, None)
