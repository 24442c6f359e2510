"""Plans of subscriptions that are evaluated one by one, kept while they are in use."""

from __future__ import annotations

from collections import OrderedDict

from triplewire.algebra.queries import FastQuery, Query
from triplewire.matching.fast import FastPlan
from triplewire.matching.general import GeneralPlan
from triplewire.matching.segments.segment import Segment

_KEPT = 10_000

Plan = FastPlan | GeneralPlan


def plan_of(query: Query) -> Plan:
    """Make a query ready to be evaluated on many events."""
    return FastPlan(query) if isinstance(query, FastQuery) else GeneralPlan(query)


class Plans:
    """The plans used last, by the identifier of the subscription."""

    def __init__(self) -> None:
        self._plans: OrderedDict[str, Plan] = OrderedDict()

    def of(self, segment: Segment, number: int) -> Plan:
        """The plan of a subscription, made from its text where it is not at hand."""
        name = segment.id_of(number)
        plan = self._plans.pop(name, None) or plan_of(segment.subscription(number).query)
        self._plans[name] = plan
        if len(self._plans) > _KEPT:
            self._plans.popitem(last=False)
        return plan

    def forget(self, subscription_id: str) -> None:
        """A subscription is gone; its name may come to mean another query."""
        self._plans.pop(subscription_id, None)
