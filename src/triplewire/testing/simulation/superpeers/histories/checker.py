"""Whether a history is right, judged from the history alone.

Eight rules:

    missing      an event that matches a subscription in place is notified, or reported in a gap
    twice        and notified once
    stray        every notification matches, belongs to an active subscription, and was published before
    unwanted     a super-peer gets no event that none of its peers subscribes to
    lapse        no gap is reported but what retention removed
    idle         a rule publishes one event for each that triggers it
    loop         no event triggers a rule that rules of its own node have published, nor one that came through too many
    order        owed events of one origin are notified to a subscription in the order in which they were published

A subscription is *in place* when, after it was made and before the event was published, there was a quiet period of
`settle` seconds; and, at another access point, when the publisher's advertisements together had allowed such an event
before it was published. Ends take effect the same way: until such a quiet period, an event may come or not. With
`churn_is_fault` off, joins and leaves do not end a quiet period.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from math import inf

from triplewire.testing.simulation.checking import HistoryChecker, Violation
from triplewire.testing.simulation.history import FaultCleared, FaultInjected
from triplewire.testing.simulation.superpeers.histories.history import (
    MOST_HOPS,
    Accepted,
    History,
    Notified,
    Published,
    Record,
    Subscribed,
    SuperPeerLeft,
)
from triplewire.testing.simulation.superpeers.histories.history_tables import HistoryTables, Lifetime
from triplewire.testing.simulation.superpeers.histories.quiet_periods import QuietPeriods
from triplewire.testing.simulation.superpeers.workload.facts import Offer

_SHOWN_FAULTS = 12


class Checker(HistoryChecker):
    """The rules over one history."""

    def __init__(self, history: History, settle: float, *, churn_is_fault: bool = True) -> None:
        self.history = history
        self.settle = settle
        self._tables = HistoryTables(history)
        self._quiet_periods = QuietPeriods(history.records, churn_is_fault=churn_is_fault)

    def violations(self) -> Iterator[Violation]:
        """All violations."""
        return chain(
            self._missing(),
            self._wrongly_notified(),
            self._unwanted(),
            self._out_of_order(),
            self._wrong_gaps(),
            self._wrong_rule_firings(),
        )

    def is_owing(self) -> bool:
        """Whether a notification is still owed."""
        return next(self._missing(), None) is not None

    def owed(self) -> Iterator[tuple[Published, Subscribed]]:
        """Every event and subscription with an owed notification."""
        for published in self._tables.publications.values():
            is_offered = self._is_offered(published)
            for lifetime in self._tables.subscriptions.values():
                if lifetime.made.query.matches(published.fact) and self._is_owed(published, lifetime, is_offered):
                    yield published, lifetime.made

    def _is_offered(self, published: Published) -> bool:
        """Whether the advertisements of its publisher together allow an event."""
        lifetimes = self._tables.offers_of(published)
        offers = [lifetime.made.offer for lifetime in lifetimes if self._settled(published.time, lifetime.until)]
        together = Offer(tuple(span for offer in offers for span in offer.spans))
        return together.allows(published.fact)

    def _missing(self) -> Iterator[Violation]:
        notified = {(record.subscription, record.event) for record in self._tables.notified}
        for published, made in self.owed():
            if (made.name, published.event) not in notified and not self._tables.is_lost(made, published.event):
                yield Violation(
                    published.time,
                    "missing",
                    f"{made.name} at {made.node} asks {made.query}; {published.event}, published at {published.node} "
                    f"as {published.position}, says {published.fact}; {made.peer} was never told",
                    self._around(made, published),
                )

    def _is_owed(self, published: Published, lifetime: Lifetime[Subscribed], is_offered: bool) -> bool:
        made = lifetime.made
        if made.is_rule and _is_out_of_bounds(made, published):
            return False
        if made.node == published.node:
            # An event at its own node triggers a rule a moment later.
            is_heard = not made.is_rule or self._settled(published.time, self._end(lifetime))
            return made.time <= published.time < lifetime.until and is_heard
        end = min(self._end(lifetime), self._tables.ends.get(published.node, inf))
        return is_offered and self._settled(made.time, published.time) and self._settled(published.time, end)

    def _end(self, lifetime: Lifetime[Subscribed]) -> float:
        return min(lifetime.until, self._tables.ends.get(lifetime.made.node, inf))

    def _settled(self, since: float, until: float) -> bool:
        return self._quiet_periods.lasted(self.settle, between=(since, until))

    def _wrongly_notified(self) -> Iterator[Violation]:
        seen: set[tuple[str, str]] = set()
        for notified in self._tables.notified:
            reason = self._why_stray(notified)
            if reason:
                yield Violation(notified.time, "stray", reason, (notified,))
            if (notified.subscription, notified.event) in seen:
                yield Violation(
                    notified.time, "twice", f"{notified.subscription} was told of {notified.event} twice", (notified,)
                )
            seen.add((notified.subscription, notified.event))

    def _why_stray(self, notified: Notified) -> str | None:
        lifetime = self._tables.subscriptions.get(notified.subscription)
        published = self._tables.publications.get(notified.event)
        subject = f"{notified.subscription} at {notified.node} was told of {notified.event}"
        if lifetime is None or lifetime.made.node != notified.node:
            return f"{subject}, but nobody there has that subscription"
        if published is None or published.time > notified.time:
            return f"{subject}, which nobody has published"
        if not lifetime.made.query.matches(published.fact):
            return f"{subject}, which says {published.fact} and not {lifetime.made.query}"
        if not lifetime.made.time <= notified.time <= lifetime.until:
            return (
                f"{subject} at {notified.time:.2f}, but it stood from {lifetime.made.time:.2f} to {lifetime.until:.2f}"
            )
        return None

    def _unwanted(self) -> Iterator[Violation]:
        at: dict[str, list[Lifetime[Subscribed]]] = {}
        for lifetime in self._tables.subscriptions.values():
            at.setdefault(lifetime.made.node, []).append(lifetime)
        for accepted in self._tables.accepted:
            if not self._is_wanted(accepted, at.get(accepted.node, ())):
                sentence = f"{accepted.node} got {accepted.event}, which none of its peers asks for"
                yield Violation(accepted.time, "unwanted", sentence, (accepted,))

    def _is_wanted(self, accepted: Accepted, lifetimes: Iterable[Lifetime[Subscribed]]) -> bool:
        published = self._tables.publications.get(accepted.event)
        return published is not None and any(
            lifetime.made.query.matches(published.fact)
            and lifetime.made.time <= accepted.time
            and not self._settled(lifetime.until, published.time)
            for lifetime in lifetimes
        )

    def _out_of_order(self) -> Iterator[Violation]:
        owed = {(made.name, published.event): published for published, made in self.owed()}
        last: dict[tuple[str, str], Published] = {}
        for notified in self._tables.notified:
            published = owed.get((notified.subscription, notified.event))
            if published is None:
                continue
            before = last.get((notified.subscription, published.node))
            if before is not None and before.position > published.position:
                yield Violation(
                    notified.time,
                    "order",
                    f"{notified.subscription} at {notified.node} was told of {published.event} "
                    f"({published.position} of {published.node}) after {before.event} ({before.position})",
                    (published, before, notified),
                )
            last[notified.subscription, published.node] = published

    def _wrong_gaps(self) -> Iterator[Violation]:
        for gap in self._tables.gaps:
            trims = [trim for trim in self._tables.trims if trim.node == gap.node and trim.time <= gap.time]
            if gap.until > max((trim.floor for trim in trims), default=0):
                sentence = f"{gap.subscription} was told that what is up to {gap.until} is lost, which {gap.node} has"
                yield Violation(gap.time, "lapse", sentence, (gap, *trims))

    def _wrong_rule_firings(self) -> Iterator[Violation]:
        """Rules that were triggered wrongly, or published wrongly."""
        done = Counter((one.rule, one.cause) for one in self._tables.publications.values() if one.rule)
        for notified in self._tables.notified:
            lifetime = self._tables.subscriptions.get(notified.subscription)
            published = self._tables.publications.get(notified.event)
            if lifetime is None or published is None or not lifetime.made.is_rule:
                continue
            if done[notified.subscription, notified.event] != 1:
                count = done[notified.subscription, notified.event]
                sentence = (
                    f"the rule {notified.subscription} heard {notified.event} and published {count} events for it"
                )
                yield Violation(notified.time, "idle", sentence, (notified, published))
            if _is_out_of_bounds(lifetime.made, published):
                rule = f"the rule {notified.subscription} at {notified.node}"
                sentence = f"{rule} heard {notified.event}, which rules had published"
                yield Violation(notified.time, "loop", sentence, (notified, published))

    def _around(self, made: Subscribed, published: Published) -> tuple[Record, ...]:
        """The two records, and the last faults."""
        faults = [r for r in self.history.records if isinstance(r, FaultInjected | FaultCleared | SuperPeerLeft)]
        return (made, published, *faults[-_SHOWN_FAULTS:])


def _is_out_of_bounds(made: Subscribed, published: Published) -> bool:
    """Whether an event must not trigger a rule: a change of its own node, or one that came through too many rules."""
    return published.hops >= MOST_HOPS or (published.hops > 0 and published.node == made.node)
