"""Whether a history is right, judged from the history alone.

Eight rules:

    missing      an event that matches a subscription which was in place is told to its subscriber, or told to be lost
    twice        and told once
    stray        whatever is told matches, belongs to a subscription that stands, and was published before
    unwanted     a super-peer gets no event that none of its peers asks for
    lapse        nothing is told to be lost but what retention removed
    idle         a rule publishes one event for each that it hears
    loop         a rule hears nothing that rules of its own node have published, nor what has come through too many
    order        owed events of one origin are told to a subscription in the order in which they were published

A subscription is *in place* when, after it was made and before the event was published, there was calm for `settle`
seconds; and, at another access point, when the publisher's advertisements, read together, had allowed such an event
before it was published. What ends, ends the same way: until there was calm for so long, an event may come or not. With
`minds_churn` off it counts as calm when others join and leave.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from math import inf

from msgspec import Struct

from triplewire.testing.simulation.histories.calm import Calm
from triplewire.testing.simulation.histories.history import (
    MOST_HOPS,
    Accepted,
    Ended,
    History,
    Mended,
    Notified,
    Published,
    Record,
    Subscribed,
    Troubled,
)
from triplewire.testing.simulation.histories.ledger import Ledger, Life
from triplewire.testing.simulation.workload.facts import Offer

_SHOWN_TROUBLES = 12


class Violation(Struct, frozen=True):
    """What is wrong, and what one needs to see why."""

    time: float
    rule: str
    sentence: str
    context: tuple[Record, ...] = ()


class Checker:
    """The rules over one history."""

    def __init__(self, history: History, settle: float, *, minds_churn: bool = True) -> None:
        self.history = history
        self.settle = settle
        self._ledger = Ledger(history)
        self._calm = Calm(history.records, minds_churn=minds_churn)

    def first_violation(self) -> Violation | None:
        """The earliest, or None: then the history is right."""
        return min(self.violations(), key=lambda violation: violation.time, default=None)

    def violations(self) -> Iterator[Violation]:
        """All of them."""
        return chain(
            self._missing(),
            self._wrongly_told(),
            self._unwanted(),
            self._out_of_order(),
            self._wrongly_lost(),
            self._wrongly_done(),
        )

    def is_owing(self) -> bool:
        """Whether somebody has still to be told something."""
        return next(self._missing(), None) is not None

    def owed(self) -> Iterator[tuple[Published, Subscribed]]:
        """Every event and subscription whose subscriber must be told."""
        for published in self._ledger.publications.values():
            is_offered = self._is_offered(published)
            for life in self._ledger.subscriptions.values():
                if life.made.query.matches(published.fact) and self._is_owed(published, life, is_offered):
                    yield published, life.made

    def _is_offered(self, published: Published) -> bool:
        """Whether the advertisements of its publisher, read together, allow an event."""
        lives = self._ledger.offers_of(published)
        standing_query = [life.made.offer for life in lives if self._settled(published.time, life.until)]
        together = Offer(tuple(span for offer in standing_query for span in offer.spans))
        return together.allows(published.fact)

    def _missing(self) -> Iterator[Violation]:
        told = {(record.subscription, record.event) for record in self._ledger.notified}
        for published, made in self.owed():
            if (made.name, published.event) not in told and not self._ledger.is_lost(made, published.event):
                yield Violation(
                    published.time,
                    "missing",
                    f"{made.name} at {made.node} asks {made.query}; {published.event}, published at {published.node} "
                    f"as {published.position}, says {published.fact}; {made.peer} was never told",
                    self._around(made, published),
                )

    def _is_owed(self, published: Published, life: Life[Subscribed], is_offered: bool) -> bool:
        made = life.made
        if made.is_rule and _is_out_of_bounds(made, published):
            return False
        if made.node == published.node:
            # A rule hears what is published at its node a moment later.
            is_heard = not made.is_rule or self._settled(published.time, self._end(life))
            return made.time <= published.time < life.until and is_heard
        end = min(self._end(life), self._ledger.ends.get(published.node, inf))
        return is_offered and self._settled(made.time, published.time) and self._settled(published.time, end)

    def _end(self, life: Life[Subscribed]) -> float:
        return min(life.until, self._ledger.ends.get(life.made.node, inf))

    def _settled(self, since: float, until: float) -> bool:
        return self._calm.lasted(self.settle, between=(since, until))

    def _wrongly_told(self) -> Iterator[Violation]:
        seen: set[tuple[str, str]] = set()
        for told in self._ledger.notified:
            reason = self._why_stray(told)
            if reason:
                yield Violation(told.time, "stray", reason, (told,))
            if (told.subscription, told.event) in seen:
                yield Violation(told.time, "twice", f"{told.subscription} was told of {told.event} twice", (told,))
            seen.add((told.subscription, told.event))

    def _why_stray(self, told: Notified) -> str | None:
        life = self._ledger.subscriptions.get(told.subscription)
        published = self._ledger.publications.get(told.event)
        subject = f"{told.subscription} at {told.node} was told of {told.event}"
        if life is None or life.made.node != told.node:
            return f"{subject}, but nobody there has that subscription"
        if published is None or published.time > told.time:
            return f"{subject}, which nobody has published"
        if not life.made.query.matches(published.fact):
            return f"{subject}, which says {published.fact} and not {life.made.query}"
        if not life.made.time <= told.time <= life.until:
            return f"{subject} at {told.time:.2f}, but it stood from {life.made.time:.2f} to {life.until:.2f}"
        return None

    def _unwanted(self) -> Iterator[Violation]:
        at: dict[str, list[Life[Subscribed]]] = {}
        for life in self._ledger.subscriptions.values():
            at.setdefault(life.made.node, []).append(life)
        for accepted in self._ledger.accepted:
            if not self._is_wanted(accepted, at.get(accepted.node, ())):
                sentence = f"{accepted.node} got {accepted.event}, which none of its peers asks for"
                yield Violation(accepted.time, "unwanted", sentence, (accepted,))

    def _is_wanted(self, accepted: Accepted, lives: Iterable[Life[Subscribed]]) -> bool:
        published = self._ledger.publications.get(accepted.event)
        return published is not None and any(
            life.made.query.matches(published.fact)
            and life.made.time <= accepted.time
            and not self._settled(life.until, published.time)
            for life in lives
        )

    def _out_of_order(self) -> Iterator[Violation]:
        owed = {(made.name, published.event): published for published, made in self.owed()}
        last: dict[tuple[str, str], Published] = {}
        for told in self._ledger.notified:
            published = owed.get((told.subscription, told.event))
            if published is None:
                continue
            before = last.get((told.subscription, published.node))
            if before is not None and before.position > published.position:
                yield Violation(
                    told.time,
                    "order",
                    f"{told.subscription} at {told.node} was told of {published.event} ({published.position} of "
                    f"{published.node}) after {before.event} ({before.position})",
                    (published, before, told),
                )
            last[told.subscription, published.node] = published

    def _wrongly_lost(self) -> Iterator[Violation]:
        for lapse in self._ledger.lapses:
            trims = [trim for trim in self._ledger.trims if trim.node == lapse.node and trim.time <= lapse.time]
            if lapse.until > max((trim.floor for trim in trims), default=0):
                sentence = (
                    f"{lapse.subscription} was told that what is up to {lapse.until} is lost, which {lapse.node} has"
                )
                yield Violation(lapse.time, "lapse", sentence, (lapse, *trims))

    def _wrongly_done(self) -> Iterator[Violation]:
        """What rules did, beside what they heard."""
        done = Counter((one.rule, one.cause) for one in self._ledger.publications.values() if one.rule)
        for told in self._ledger.notified:
            life = self._ledger.subscriptions.get(told.subscription)
            published = self._ledger.publications.get(told.event)
            if life is None or published is None or not life.made.is_rule:
                continue
            if done[told.subscription, told.event] != 1:
                count = done[told.subscription, told.event]
                sentence = f"the rule {told.subscription} heard {told.event} and published {count} events for it"
                yield Violation(told.time, "idle", sentence, (told, published))
            if _is_out_of_bounds(life.made, published):
                sentence = f"the rule {told.subscription} at {told.node} heard {told.event}, which rules had published"
                yield Violation(told.time, "loop", sentence, (told, published))

    def _around(self, made: Subscribed, published: Published) -> tuple[Record, ...]:
        """The two, and what was done to the network around them."""
        troubles = [r for r in self.history.records if isinstance(r, Troubled | Mended | Ended)]
        return (made, published, *troubles[-_SHOWN_TROUBLES:])


def _is_out_of_bounds(made: Subscribed, published: Published) -> bool:
    """Whether a rule must not hear an event: a change of its own node, or one that has come through too many rules."""
    return published.hops >= MOST_HOPS or (published.hops > 0 and published.node == made.node)


def explained(violation: Violation, seed: int, trace: Iterable[str] = ()) -> str:
    """For a person: what is wrong, in which run, and what the network did last."""
    lines = [f"seed {seed}: {violation.rule} at {violation.time:.3f} s: {violation.sentence}"]
    lines += [f"    {record}" for record in violation.context]
    lines += [f"  {line}" for line in trace]
    return "\n".join(lines)
