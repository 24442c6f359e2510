"""Subscriptions compiled in one process for a matcher in another, since that is what takes longest about them."""

from __future__ import annotations

from triplewire.algebra.queries import GeneralQuery
from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.general.plan import GeneralPlan
from triplewire.matching.segments.parts import part_of
from triplewire.matching.segments.records import SegmentDraft


class Compiler:
    """Compiles subscriptions for a matcher in another process: see `Matcher.add_parts`.

    >>> from triplewire.matching.matcher import Matcher
    >>> compiler = Compiler()
    >>> compiler.add(Subscription.parse("ASK { ?s a <http://example.org/Paper> }", id="papers"))
    >>> matcher = Matcher()
    >>> matcher.add_parts([compiler.part()])
    >>> len(matcher)
    1
    """

    def __init__(self) -> None:
        self._draft = SegmentDraft()

    def add(self, subscription: Subscription) -> None:
        """Check a subscription as `Matcher.add` does. An identifier that comes again replaces the one before."""
        checked_plan(subscription)
        self._draft.add(subscription, len(self._draft))

    def part(self) -> bytes:
        """Everything that was added, compiled."""
        return part_of(self._draft)


def checked_plan(subscription: Subscription) -> GeneralPlan | None:
    """The plan of a query of the general lane. Raises if it has none."""
    if not isinstance(subscription.query, GeneralQuery):
        return None
    plan = GeneralPlan(subscription.query)
    plan.check()
    return plan
