"""The decider: does an event that has arrived satisfy the subscriptions that it is a candidate for?

In a node the broker does this. Here it is small: the taxonomy's functions and the general lane are evaluated on the
event as it was published, and what was decided for an event is not decided again, so duplicates end here.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.errors import BudgetExceeded
from triplewire.matching.evaluation.budget import DEFAULT_STEPS
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.evaluation.plans import QueryPlan, query_plan
from triplewire.matching.matches import QueryAnswer
from triplewire.network.eventspace.effects import EventArrived
from triplewire.rdf.events import Event
from triplewire.rdf.limits import ANY_SIZE


class Notify(Struct, frozen=True):
    """An event satisfies a subscription. Told once."""

    subscription_id: str
    event: Event
    answer: QueryAnswer


class EvaluationFailed(Struct, frozen=True):
    """A subscription could not be evaluated on a candidate, for the reason given."""

    subscription_id: str
    event: Event
    reason: str


class Decider:
    """The subscriptions of a node's clients, and what was decided for them."""

    def __init__(
        self,
        taxonomy: Taxonomy | None = None,
        *,
        steps: int = DEFAULT_STEPS,
    ) -> None:
        self._taxonomy = taxonomy or EMPTY
        self._steps = steps
        self._plans: dict[str, QueryPlan] = {}
        self._decided: set[tuple[str, str]] = set()

    def add(self, subscription: Subscription) -> None:
        self._plans[subscription.id] = query_plan(subscription.query)

    def remove(self, subscription_id: str) -> None:
        self._plans.pop(subscription_id, None)

    def decide(self, arrived: EventArrived) -> list[Notify | EvaluationFailed]:
        """What there is to tell of an event: for each subscription that it satisfies, once."""
        [event] = Event.parse(
            arrived.nquads,
            source=arrived.header.source,
            time=datetime.fromisoformat(arrived.header.time),
            limits=ANY_SIZE,
        )
        view = EventView.of(event, self._taxonomy)
        told = (self._decide(id_, event, view) for id_ in arrived.subscription_ids if id_ in self._plans)
        return [effect for effect in told if effect is not None]

    def _decide(self, subscription_id: str, event: Event, view: EventView) -> Notify | EvaluationFailed | None:
        if (subscription_id, event.graph.value) in self._decided:
            return None
        self._decided.add((subscription_id, event.graph.value))
        try:
            answer = self._plans[subscription_id].answer(view, self._steps)
        except BudgetExceeded as error:
            return EvaluationFailed(subscription_id, event, str(error))
        return None if answer is None else Notify(subscription_id, event, answer)
