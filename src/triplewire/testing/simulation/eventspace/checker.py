"""Whether a run of the event space is right, judged from its history: the properties of section 3.2 of the paper.

    missing         every event that was sent once a subscription was established, and matches it, is notified
    causal          so is one that was sent at the node of a subscription, after it
    twice           and once
    false           every notification is of an event that was sent, to a subscription that stands there, with the
                    answer that the oracle gives
    early           no event that was acknowledged at a node is a candidate for a subscription issued there later
    unacknowledged  what was sent at a node that is still there is acknowledged, or refused
    unestablished   and a subscription that stands is established
    lingering       a node that was told to leave has left
    refused         only an event whose IRI has another content is refused, and each such one
    unanswered      a query at a node that is still there is answered
    incomplete      the answer has every quadruple in its box of all events that were acknowledged before
    invented        it has nothing that nobody sent
    repeated        and each quadruple once

`missing`, `causal`, `unacknowledged`, `unestablished`, `lingering` and `unanswered` hold once a run has settled. An
answer has to be complete where the query says so: while a space is cut in two, either side may lack what the other
stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import inf

from triplewire.network.can.geometry.space import Point
from triplewire.testing.simulation.checking import HistoryChecker, Violation
from triplewire.testing.simulation.eventspace.answers import oracle_rows, points_of
from triplewire.testing.simulation.eventspace.history import Answered, Asked, History, NodeEnded, Notified, Record
from triplewire.testing.simulation.eventspace.tables import SentEvent, SpaceTables, Standing
from triplewire.testing.simulation.history import FaultCleared, FaultInjected

_SHOWN_FAULTS = 12


class SpaceChecker(HistoryChecker):
    """The rules over one history."""

    def __init__(self, history: History) -> None:
        self.history = history
        self._tables = SpaceTables(history)

    def violations(self) -> Iterator[Violation]:
        return chain(
            self._missing(),
            self._wrongly_notified(),
            self._early(),
            self._unacknowledged(),
            self._lingering(),
            self._wrongly_refused(),
            self._unanswered(),
            self._wrong_answers(),
        )

    def is_owing(self) -> bool:
        """Whether something is still to come."""
        return next(chain(self._unacknowledged(), self._unanswered(), self._missing()), None) is not None

    def owed(self) -> Iterator[tuple[str, Standing, SentEvent]]:
        """The rule by which a notification is owed, the subscription and the event."""
        standing = [one for one in self._tables.subscriptions.values() if self._stands(one)]
        for event in self._tables.events.values():
            if event.acknowledged == inf:
                continue
            for one in standing:
                rule = _rule_of(one, event)
                if rule and oracle_rows(one.made.text, event.sent.nquads) is not None:
                    yield rule, one, event

    def acknowledged(self, before: float = inf) -> Iterator[Point]:
        """The quadruples of all events that were acknowledged before a place in the history."""
        for event in self._tables.events.values():
            if event.acknowledged < before:
                yield from points_of(event.sent.nquads)

    def _stands(self, one: Standing) -> bool:
        return one.ended == inf and one.made.node not in self._tables.ended

    # Notifications

    def _missing(self) -> Iterator[Violation]:
        notified = {(record.subscription, record.event) for _, record in self._tables.notified}
        for rule, one, event in self.owed():
            if (one.made.subscription, event.sent.event) not in notified:
                sentence = (
                    f"{one.made.subscription} at {one.made.node} asks {one.made.text}; {event.sent.event}, sent at "
                    f"{event.sent.node}, satisfies it; nobody was told"
                )
                yield Violation(event.sent.time, rule, sentence, self._around(one.made, event.sent))

    def _wrongly_notified(self) -> Iterator[Violation]:
        seen: set[tuple[str, str]] = set()
        for place, notified in self._tables.notified:
            reason = self._why_false(place, notified)
            if reason:
                yield Violation(notified.time, "false", reason, (notified,))
            if (notified.subscription, notified.event) in seen:
                sentence = f"{notified.subscription} was told of {notified.event} twice"
                yield Violation(notified.time, "twice", sentence, (notified,))
            seen.add((notified.subscription, notified.event))

    def _why_false(self, place: int, notified: Notified) -> str | None:
        subject = f"{notified.subscription} at {notified.node} was told of {notified.event}"
        one, event = self._tables.subscriptions.get(notified.subscription), self._tables.events.get(notified.event)
        if one is None or one.made.node != notified.node or not one.issued < place < one.ended:
            return f"{subject}, but no such subscription stands there"
        if event is None or event.at > place:
            return f"{subject}, which nobody has sent"
        wanted = oracle_rows(one.made.text, event.sent.nquads)
        if wanted != notified.answer:
            return f"{subject} with the answer {notified.answer}, not {wanted}"
        return None

    def _early(self) -> Iterator[Violation]:
        for arrived in self._tables.arrived:
            event = self._tables.events.get(arrived.event)
            for one in (
                self._tables.subscriptions[name] for name in arrived.subscriptions if name in self._tables.subscriptions
            ):
                if event is not None and event.sent.node == one.made.node and event.acknowledged < one.issued:
                    sentence = f"{arrived.event} is a candidate for {one.made.subscription}, which was issued after it"
                    yield Violation(arrived.time, "early", sentence, (one.made, event.sent, arrived))

    # Acknowledgements

    def _unacknowledged(self) -> Iterator[Violation]:
        for event in chain(self._tables.events.values(), self._tables.repeats):
            is_open = event.acknowledged == inf and event.refused == inf
            if is_open and event.sent.node not in self._tables.ended:
                sentence = f"{event.sent.event} was sent at {event.sent.node} and never acknowledged"
                yield Violation(event.sent.time, "unacknowledged", sentence, self._around(event.sent))
        for one in self._tables.subscriptions.values():
            if one.established == inf and self._stands(one):
                sentence = f"{one.made.subscription} at {one.made.node} was never established"
                yield Violation(one.made.time, "unestablished", sentence, self._around(one.made))

    def _lingering(self) -> Iterator[Violation]:
        for leaving in self._tables.leaving:
            if leaving.node not in self._tables.ended:
                yield Violation(leaving.time, "lingering", f"{leaving.node} never left", self._around(leaving))

    def _wrongly_refused(self) -> Iterator[Violation]:
        for event in chain(self._tables.events.values(), self._tables.repeats):
            first = self._tables.events[event.sent.event]
            is_other = event.sent.nquads != first.sent.nquads
            if event.refused < inf and not is_other:
                sentence = f"{event.sent.event} was refused at {event.sent.node}, though it is the only content"
                yield Violation(event.sent.time, "refused", sentence, (first.sent, event.sent))
            if is_other and first.acknowledged < event.at and event.acknowledged < inf:
                sentence = f"{event.sent.event} was acknowledged at {event.sent.node} with another content"
                yield Violation(event.sent.time, "refused", sentence, (first.sent, event.sent))

    # Queries

    def _wrong_answers(self) -> Iterator[Violation]:
        for ticket, (place, asked) in self._tables.asked.items():
            answered = self._tables.answered.get(ticket)
            if answered is not None:
                yield from self._wrong_answer(asked, place, *answered)

    def _unanswered(self) -> Iterator[Violation]:
        for ticket, (_, asked) in self._tables.asked.items():
            if asked.is_strict and ticket not in self._tables.answered and asked.node not in self._tables.ended:
                yield Violation(asked.time, "unanswered", f"{asked.node} was asked, and never answered", (asked,))

    def _wrong_answer(self, asked: Asked, place: int, answered_at: int, answered: Answered) -> Iterator[Violation]:
        found = set(answered.quads)
        lacking = [point for point in self.acknowledged(place) if point in asked.box and point not in found]
        if lacking and asked.is_strict:
            sentence = f"{asked.node} lacks {len(lacking)} quadruples of its answer, among them {lacking[0]}"
            yield Violation(answered.time, "incomplete", sentence, self._around(asked))
        sent = chain(self._tables.events.values(), self._tables.repeats)
        known = {point for event in sent if event.at < answered_at for point in points_of(event.sent.nquads)}
        if found - known:
            sentence = f"{asked.node} answered {min(found - known)}, which nobody has sent"
            yield Violation(answered.time, "invented", sentence, (asked,))
        if len(found) < len(answered.quads):
            yield Violation(answered.time, "repeated", f"{asked.node} answered a quadruple twice", (asked,))

    def _around(self, *records: Record) -> tuple[Record, ...]:
        """The records, and the last faults."""
        faults = [r for r in self.history.records if isinstance(r, FaultInjected | FaultCleared | NodeEnded)]
        return (*records, *faults[-_SHOWN_FAULTS:])


def _rule_of(one: Standing, event: SentEvent) -> str | None:
    """By which rule an event that matches a subscription has to be notified, if it has to."""
    if one.established < event.at:
        return "missing"
    return "causal" if one.made.node == event.sent.node and one.issued < event.at else None
