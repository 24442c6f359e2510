"""Plans of subscriptions that are evaluated one by one, kept while they are in use."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from triplewire.algebra.queries import FastQuery, Query
from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.evaluation.fast_plan import FastPlan
from triplewire.matching.general.plan import GeneralPlan
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
        return self._kept(segment.id_of(number), lambda: segment.subscription(number).query)

    def of_drafted(self, subscription: Subscription) -> Plan:
        """The plan of a subscription that is in no segment yet."""
        return self._kept(subscription.id, lambda: subscription.query)

    def keep(self, subscription_id: str, plan: Plan) -> Plan:
        """Have the plan of a subscription at hand."""
        self._plans[subscription_id] = plan
        if len(self._plans) > _KEPT:
            self._plans.popitem(last=False)
        return plan

    def _kept(self, name: str, query: Callable[[], Query]) -> Plan:
        plan = self._plans.pop(name, None)
        return self.keep(name, plan or plan_of(query()))

    def forget(self, subscription_id: str) -> None:
        """A subscription is gone; its name may come to mean another query."""
        self._plans.pop(subscription_id, None)
