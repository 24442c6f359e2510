"""For each solution a reason, whatever the lane; under a budget, since somebody waits.

The budget counts bindings in the fast lane; in the general lane what is asked, by its quads.
"""

from __future__ import annotations

from collections.abc import Sequence

from triplewire.matching.evaluation.budget import DEFAULT_STEPS, Budget
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.evaluation.plans import QueryPlan
from triplewire.matching.general.plan import GeneralPlan
from triplewire.matching.matches import Solution
from triplewire.matching.reasons.fast_lane import fast_reasons
from triplewire.matching.reasons.general_lane import GeneralReasons
from triplewire.wire.reasons import UNKNOWN, Reason

# So many solutions of a match get a reason, and this much is asked for them.
MOST_EXPLAINED = 1_000
_FAST_STEPS = 100_000
_GENERAL_STEPS = 50_000


def reasons_of(
    plan: QueryPlan,
    solutions: Sequence[Solution],
    view: EventView,
    within: Budget | None = None,
) -> tuple[Reason, ...]:
    """What each solution stands on, in their order. Where the budget is used up, the rest say nothing.

    `within` is a budget for many matches.
    """
    some = solutions[:MOST_EXPLAINED]
    if isinstance(plan, GeneralPlan):
        found = GeneralReasons(plan, view, DEFAULT_STEPS, Budget(_GENERAL_STEPS, within)).of(some)
    else:
        found = fast_reasons(plan.query, some, view, Budget(_FAST_STEPS, within))
    return (*found, *[UNKNOWN] * (len(solutions) - len(some)))
