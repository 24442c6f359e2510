"""What routing asks about queries, and the algebra's answers.

Each question has a side on which its answer may err without losing a notification:

- `implies` may miss a yes: then a subscription is sent that need not be. `may_imply` is a quick look before it.
- `covers` may say a wrong yes: then a subscription goes where nothing matches it.
- `matches` is exact; where an evaluation would cost too much it says yes, and the subscriber's node decides.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol, runtime_checkable

from triplewire.algebra.reasoning.exclusion import excludes
from triplewire.algebra.reasoning.subsumption import implies
from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.errors import BudgetExceeded
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.evaluation.plans import QueryPlan, query_plan
from triplewire.network.messages import Description, Publication, StandingQuery
from triplewire.network.routing.advertisements.descriptions import supply_in
from triplewire.network.routing.publications import event_of
from triplewire.network.routing.subscriptions.sample_events import sample_events
from triplewire.network.routing.subscriptions.standing_queries import parsed

_ANSWERS_KEPT = 1 << 19
_PLANS_KEPT = _SAMPLES_KEPT = 32_768
_VIEWS_KEPT = 64
_STEPS = 100_000


class Reasoner(Protocol):
    """What routing asks."""

    def implies(self, narrow: StandingQuery, wide: StandingQuery) -> bool:
        """Whether every event that the narrow one matches, the wide one matches too. Never a wrong yes."""
        ...

    def covers(self, description: Description, query: StandingQuery) -> bool:
        """Whether something that is described may match. Never a wrong no."""
        ...

    def matches(self, query: StandingQuery, publication: Publication) -> bool:
        """Whether the event matches."""
        ...


@runtime_checkable
class QuickImplication(Protocol):
    """What a reasoner may offer besides, if its `implies` takes long."""

    def may_imply(self, narrow: StandingQuery, wide: StandingQuery) -> bool:
        """A quick test before `implies`. Never a wrong no."""
        ...


class AlgebraReasoner:
    """Asks the algebra, and caches the answers. Super-peers in one process may share one.

    All super-peers must read taxonomy tests by the same taxonomy: what one of them leaves out as implied or excluded,
    another would miss.
    """

    def __init__(
        self,
        taxonomy: Taxonomy | None = None,
        *,
        kept: int = _ANSWERS_KEPT,
        steps: int = _STEPS,
    ) -> None:
        self._taxonomy = taxonomy or EMPTY
        self._steps = steps
        # Asked by the whole message, not by its key, so that a forged key cannot borrow another's answers.
        self._implies = lru_cache(maxsize=kept)(self._find_implies)
        self._may_imply = lru_cache(maxsize=kept)(self._find_may_imply)
        self._covers = lru_cache(maxsize=kept)(self._find_covers)
        self._sample = lru_cache(maxsize=_SAMPLES_KEPT)(self._find_sample)
        self._plan = lru_cache(maxsize=_PLANS_KEPT)(self._find_plan)
        self._view = lru_cache(maxsize=_VIEWS_KEPT)(self._find_view)

    def implies(self, narrow: StandingQuery, wide: StandingQuery) -> bool:
        return self.may_imply(narrow, wide) and self._implies(narrow, wide)

    def may_imply(self, narrow: StandingQuery, wide: StandingQuery) -> bool:
        """By a sample event that the narrow one matches: testing the wide one on it is far quicker than any proof."""
        return self._may_imply(narrow, wide)

    def covers(self, description: Description, query: StandingQuery) -> bool:
        """The rule is that of `exclusion`: algorithm 1, read for one target.

        As printed, the algorithm asks once for all targets whether anybody advertises values of these properties, and

        then skips all that do not: a target that advertises schemas would starve as soon as another one
        advertised values. What a target is asked here depends on what that target says.
        """
        return self._covers(description, query)

    def matches(self, query: StandingQuery, publication: Publication) -> bool:
        return self._may_match(query, self._view(publication))

    def _find_implies(self, narrow: StandingQuery, wide: StandingQuery) -> bool:
        return implies(parsed(narrow), parsed(wide), self._taxonomy)

    def _find_may_imply(self, narrow: StandingQuery, wide: StandingQuery) -> bool:
        sample = self._sample(narrow)
        return sample is None or self._may_match(wide, sample)

    def _find_sample(self, query: StandingQuery) -> EventView | None:
        """Some event that the standing query matches, if one is easily found."""
        for event in sample_events(parsed(query), self._taxonomy):
            view = EventView.of(event, self._taxonomy)
            if self._surely_matches(query, view):
                return view
        return None

    def _surely_matches(self, query: StandingQuery, view: EventView) -> bool:
        try:
            return self._plan(query).is_satisfied(view, self._steps)
        except BudgetExceeded:
            return False

    def _may_match(self, query: StandingQuery, view: EventView) -> bool:
        try:
            return self._plan(query).is_satisfied(view, self._steps)
        except BudgetExceeded:
            return True

    def _find_covers(self, description: Description, query: StandingQuery) -> bool:
        return not excludes(supply_in(description), parsed(query), self._taxonomy)

    def _find_plan(self, query: StandingQuery) -> QueryPlan:
        return query_plan(parsed(query))

    def _find_view(self, publication: Publication) -> EventView:
        return EventView.of(event_of(publication), self._taxonomy)
