"""Can the index find a subscription, or is it tested on every event? The index itself is asked."""

from __future__ import annotations

from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.segments.records import Draft
from triplewire.matching.segments.segment import segment_of
from triplewire.matching.statistics import NOTHING_SEEN


def is_unindexed(subscription: Subscription) -> bool:
    """Whether some core requires nothing that could be an anchor or a guard."""
    draft = Draft()
    draft.add(subscription, 0)
    return segment_of(*draft.records(), seed=0, seen=NOTHING_SEEN).unindexed > 0
