"""The growth protocol (section 3.1): a super-peer whose schema has grown gets the rules that it needs now.

It asks its neighbours; each asks its own, other than where the question came from, and sends back its rules together
with theirs. The question takes the way of a broadcast over the cube, so everybody is asked once, and the answers go
back the same way. Who does not answer in time is left out, and the asker, who is told so, asks again until it has them
all.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from triplewire.federation.effects import Effect, ToSuperPeer
from triplewire.federation.overlay import Overlay
from triplewire.federation.registration.messages import RulesFound, RulesWanted
from triplewire.federation.registration.records import RuleRecord


class _Question(Struct):
    """A question that was passed on. `parent` is who asked us; None: we are the asker."""

    parent: str | None
    waiting: set[str]
    records: dict[str, RuleRecord]
    until: float
    is_complete: bool = True

    def is_late(self, now: float) -> bool:
        return self.until <= now and bool(self.waiting)


class Answered(Struct, frozen=True):
    """A question of ours has come back."""

    query: str
    records: tuple[RuleRecord, ...]
    is_complete: bool


class Growth:
    """The questions that one super-peer has asked or passed on."""

    def __init__(self, me: str, overlay: Overlay, patience: float) -> None:
        self._me = me
        self._overlay = overlay
        self._patience = patience
        self._count = 0
        self._open: dict[str, _Question] = {}

    @property
    def asked(self) -> frozenset[str]:
        """Our own questions that have not come back."""
        return frozenset(query for query, question in self._open.items() if question.parent is None)

    def ask(
        self, now: float, grown: tuple[str, ...], nodes: tuple[str, ...]
    ) -> tuple[str, list[Effect], list[Answered]]:
        """Ask for rules; returns the question's name as well."""
        self._count += 1
        query = f"{self._me}/{self._count}"
        effects = self._pass_on(now, RulesWanted(query, grown, nodes, -1), None, ())
        more, answered = self._finish()
        return query, [*effects, *more], answered

    def asked_by(
        self, now: float, sender: str, wanted: RulesWanted, own: Iterable[RuleRecord]
    ) -> tuple[list[Effect], list[Answered]]:
        """Somebody asks: pass it on, with our own rules ready."""
        if wanted.query in self._open:
            return [], []
        effects = self._pass_on(now, wanted, sender, own)
        more, answered = self._finish()
        return [*effects, *more], answered

    def answered_by(self, sender: str, found: RulesFound) -> tuple[list[Effect], list[Answered]]:
        """A neighbour answers. One that is late is not waited for any more."""
        question = self._open.get(found.query)
        if question is None or sender not in question.waiting:
            return [], []
        question.waiting.discard(sender)
        question.records.update((record.id, record) for record in found.records)
        question.is_complete = question.is_complete and found.is_complete
        return self._finish()

    def is_due(self, now: float) -> bool:
        """Whether somebody has been waited for long enough."""
        return any(question.is_late(now) for question in self._open.values())

    def tick(self, now: float) -> tuple[list[Effect], list[Answered]]:
        """Go on without those that do not answer."""
        for question in self._open.values():
            if question.is_late(now):
                question.waiting.clear()
                question.is_complete = False
        return self._finish()

    def _pass_on(self, now: float, wanted: RulesWanted, parent: str | None, own: Iterable[RuleRecord]) -> list[Effect]:
        onward = [(higher, other) for higher, other in self._overlay.onward(wanted.dimension) if other != parent]
        # Each one waits less than who asked it, so that its answer is still in time.
        patience = self._patience / (wanted.dimension + 2)
        self._open[wanted.query] = _Question(
            parent, {other for _, other in onward}, {record.id: record for record in own}, now + patience
        )
        return [
            ToSuperPeer(other, RulesWanted(wanted.query, wanted.grown, wanted.nodes, higher))
            for higher, other in onward
        ]

    def _finish(self) -> tuple[list[Effect], list[Answered]]:
        effects: list[Effect] = []
        answered: list[Answered] = []
        for query, question in [(query, question) for query, question in self._open.items() if not question.waiting]:
            del self._open[query]
            records = tuple(question.records.values())
            if question.parent is None:
                answered.append(Answered(query, records, question.is_complete))
            else:
                effects.append(ToSuperPeer(question.parent, RulesFound(query, records, question.is_complete)))
        return effects, answered


def asker_of(query: str) -> str:
    """Who has asked first.

    >>> asker_of("SP1/3")
    'SP1'
    """
    return query.rpartition("/")[0]
