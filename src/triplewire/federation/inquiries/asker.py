"""Asks the other super-peers, and answers them.

Who is alive is waited for, as long as the asker says; who cannot be reached is named at once among those who have not
answered. A question about a rule is broadcast, and whoever has not answered after a while is asked once more, directly.
A question about a transaction begins at its own super-peer and goes on to those that instances were sent to.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from triplewire.errors import MessageRefused, UnknownName, UpdateRefused
from triplewire.federation.effects import Effect, ToAll, ToSuperPeer
from triplewire.federation.execution.effects import Happening, InquiryAnswered, MessageDropped
from triplewire.federation.execution.state import ExecutionState
from triplewire.federation.execution.units import check_names, super_peer_of
from triplewire.federation.inquiries.answers import at_most, shown
from triplewire.federation.inquiries.messages import RelevanceFound, RelevanceWanted, Said, TraceFound, TraceWanted
from triplewire.federation.inquiries.questions import RuleQuestion, TraceQuestion
from triplewire.federation.inquiries.relevance import concerns_by_offer, concerns_for_others, concerns_here, not_known
from triplewire.federation.inquiries.traces import trace_here
from triplewire.languages.rdftl import format_rule, parse_rule
from triplewire.languages.rdftl.syntax import Rule
from triplewire.wire.network_rules import RuleRelevance

Effects = list[Effect | Happening]


class Inquiries:
    """The questions of one super-peer that are out, and its answers to those of others."""

    def __init__(self, state: ExecutionState) -> None:
        self._state = state
        self._count = 0
        self._rules: dict[str, RuleQuestion] = {}
        self._traces: dict[str, TraceQuestion] = {}

    @property
    def open(self) -> tuple[str, ...]:
        """The questions that are out."""
        return (*self._rules, *self._traces)

    # Asking

    def ask_relevance(self, now: float, rule: Rule, seconds: float) -> tuple[str, Effects]:
        """Ask everybody whom a rule concerns; returns the name of the inquiry. Raises `UnknownName`."""
        given = self._state.given
        whole = given.whole.resolved(rule)
        inquiry = self._name()
        concerns = [*concerns_here(given.me, whole, given.group, given.whole.current)]
        again_at = now + min(given.timings.retry, seconds / 2)
        waiting = dict.fromkeys(sorted(given.overlay.others))
        text = format_rule(replace(whole, namespaces=()))
        self._rules[inquiry] = RuleQuestion(text, now + seconds, again_at, concerns, waiting)
        effects: Effects = [ToAll(RelevanceWanted(inquiry, text))] if waiting else []
        return inquiry, [*effects, *self._finish(now)]

    def ask_trace(self, now: float, unit: str, seconds: float) -> tuple[str, Effects]:
        """Ask for the transaction of a unit, wherever that is; returns the name of the inquiry.

        Of a transaction that nobody knows, or not any more, there are no units. Raises `MessageRefused`.
        """
        check_names(unit)
        inquiry = self._name()
        self._traces[inquiry] = TraceQuestion(unit, now + seconds)
        return inquiry, [*self._pursue(inquiry, [(super_peer_of(unit), "")]), *self._finish(now)]

    # Others

    def receive(self, now: float, sender: str, message: Said) -> Effects:
        """Another super-peer asks, or answers. Raises `MessageRefused` and what parsing raises."""
        if sender not in self._state.given.overlay.members:
            raise MessageRefused("sender", wanted="a member of the network", found=repr(shown(sender)))
        match message:
            case RelevanceWanted():
                return [ToSuperPeer(sender, self._concerns(message))]
            case TraceWanted():
                at_most(message.parents, "units")
                return [ToSuperPeer(sender, trace_here(self._state, message, sender))]
            case RelevanceFound():
                return [*self._concerned(sender, message), *self._finish(now)]
            case TraceFound():
                return [*self._traced(sender, message), *self._finish(now)]

    def is_due(self, now: float) -> bool:
        """Whether a tick would do anything."""
        return any(question.again_at <= now for question in self._rules.values()) or bool(self._over(now))

    def tick(self, now: float) -> Effects:
        """Ask once more, and give up what is late."""
        effects: Effects = []
        for inquiry, question in self._rules.items():
            if question.again_at <= now:
                question.again_at = question.until
                wanted = RelevanceWanted(inquiry, question.text)
                effects += [ToSuperPeer(other, wanted) for other in self._alive(question.waiting)]
        return [*effects, *self._finish(now)]

    # Private

    def _name(self) -> str:
        self._count += 1
        return f"{self._state.given.me}?{self._count}"

    def _alive(self, some: Iterable[str]) -> list[str]:
        alive = frozenset(self._state.given.overlay.others)
        return [one for one in some if one in alive]

    def _over(self, now: float) -> list[str]:
        """The questions that everybody has answered who can be reached, or that are late."""
        questions: dict[str, RuleQuestion | TraceQuestion] = {**self._rules, **self._traces}
        return [
            inquiry
            for inquiry, question in questions.items()
            if question.until <= now or not self._alive(question.waiting)
        ]

    def _finish(self, now: float) -> Effects:
        over: Effects = []
        for inquiry in self._over(now):
            rule, trace = self._rules.pop(inquiry, None), self._traces.pop(inquiry, None)
            if rule is not None:
                over.append(InquiryAnswered(inquiry, self._relevance(rule)))
            if trace is not None:
                over.append(InquiryAnswered(inquiry, trace.result()))
        return over

    # Private: rules

    def _concerns(self, wanted: RelevanceWanted) -> RelevanceFound:
        given = self._state.given
        rule = parse_rule(wanted.rule)
        try:
            rule = given.whole.resolved(rule)
        except (UnknownName, UpdateRefused):
            # Its schema may not have come here yet. The error would tell names of ours.
            return RelevanceFound(wanted.inquiry, tuple(not_known()))
        found = concerns_for_others(rule, given.group, given.whole.current, self._state.privileges)
        return RelevanceFound(wanted.inquiry, tuple(found))

    def _concerned(self, sender: str, found: RelevanceFound) -> Effects:
        question = self._rules.get(found.inquiry)
        if question is not None:
            question.include(sender, found)
        return []

    def _relevance(self, question: RuleQuestion) -> RuleRelevance:
        """What is known when it is over. Of those who have not answered, what they offer says something."""
        given = self._state.given
        late = sorted(set(given.overlay.members) - question.answered.keys())
        rule = parse_rule(question.text)
        for other in late:
            question.concerns += concerns_by_offer(other, rule, given.network, given.whole.current)
        concerns = sorted(question.concerns, key=lambda one: (one.super_peer != given.me, one.super_peer))
        return RuleRelevance(tuple(concerns), tuple(late))

    # Private: transactions

    def _pursue(self, inquiry: str, onward: Iterable[tuple[str, str]]) -> Effects:
        """Ask super-peers that a unit has sent something to. What we know ourselves leads on at once."""
        question, me = self._traces[inquiry], self._state.given.me
        alive = frozenset(self._state.given.overlay.others)
        effects: Effects = []
        while onward:
            further: list[tuple[str, str]] = []
            for other, parents in question.not_asked(onward).items():
                wanted = TraceWanted(inquiry, question.transaction, parents)
                if other == me:
                    further += self._include(question, me, trace_here(self._state, wanted, me), effects)
                elif other in alive:
                    question.owed_by(other)
                    effects.append(ToSuperPeer(other, wanted))
                else:
                    question.unanswered[other] = None
            onward = further
        return effects

    def _traced(self, sender: str, found: TraceFound) -> Effects:
        question = self._traces.get(found.inquiry)
        if question is None or sender not in question.waiting:
            return []
        effects: Effects = []
        onward = self._include(question, sender, found, effects)
        question.answered_by(sender)
        return [*effects, *self._pursue(found.inquiry, onward)]

    def _include(
        self, question: TraceQuestion, sender: str, found: TraceFound, effects: Effects
    ) -> list[tuple[str, str]]:
        """Take an answer; returns who is to be asked because of it."""
        included = question.include(sender, found)
        everybody = {self._state.given.me, *self._state.given.overlay.members}
        # Whom we have sent something to ourselves was a member then.
        is_ours = sender == self._state.given.me
        strangers = [] if is_ours else [other for other, _ in included.onward if other not in everybody]
        dropped = [*included.dropped, *(f"a super-peer {shown(other)} that nobody knows" for other in strangers)]
        if dropped:
            what = f"{len(dropped)} parts of a trace, such as {dropped[0]}"
            effects.append(MessageDropped(sender, what))
        return [pair for pair in included.onward if is_ours or pair[0] in everybody]
