"""Surveys: a node asks its neighbours how they stand, then theirs, until it has heard of everybody. Without I/O.

A node knows its neighbours only; a survey is for people, who want to see all of the space. Those that do not answer
after some repeats are named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from triplewire.network.can.messages import Address
from triplewire.node.space.worker.messages import NodeDescription, SurveyAnswer, SurveyRequest
from triplewire.node.space.worker_messages import Surveyed

Asking = Iterator[tuple[str, SurveyRequest]]
_REPEAT_SECONDS = 0.5
_TRIES = 4
_MOST_NODES = 10_000


class _Asked(Struct):
    address: str
    next_try: float
    tries: int = 1


class _Survey(Struct):
    ticket: int
    waiting: dict[str, _Asked] = field(default_factory=dict)
    found: dict[str, NodeDescription] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)


class Surveys:
    """Surveys that are under way. What is returned is to be sent."""

    def __init__(self, me: Address) -> None:
        self._me = me
        self._under_way: dict[int, _Survey] = {}

    def begin(self, now: float, ticket: int, own: NodeDescription) -> Asking:
        """Begin with our own description."""
        self._under_way[ticket] = survey = _Survey(ticket)
        yield from self._heard(now, survey, own)

    def answered(self, now: float, sender: str, answer: SurveyAnswer) -> Asking:
        """A node has described itself; what it says of another is not believed."""
        survey = self._under_way.get(answer.number)
        if survey is not None and sender == answer.description.record.id:
            yield from self._heard(now, survey, answer.description)

    def due(self, now: float) -> Asking:
        """Ask those again that have not answered, but not for ever."""
        for survey in self._under_way.values():
            for name, asked in list(survey.waiting.items()):
                if now < asked.next_try:
                    continue
                if asked.tries == _TRIES:
                    del survey.waiting[name]
                    survey.silent.add(name)
                    continue
                asked.tries += 1
                asked.next_try = now + _REPEAT_SECONDS
                yield asked.address, SurveyRequest(survey.ticket, self._me)

    def finished(self) -> list[Surveyed]:
        """The surveys for which nothing is waited any more."""
        done = [survey for survey in self._under_way.values() if not survey.waiting]
        for survey in done:
            del self._under_way[survey.ticket]
        return [
            Surveyed(survey.ticket, tuple(survey.found[name] for name in sorted(survey.found)), _sorted(survey.silent))
            for survey in done
        ]

    def _heard(self, now: float, survey: _Survey, description: NodeDescription) -> Asking:
        survey.waiting.pop(description.record.id, None)
        survey.silent.discard(description.record.id)
        survey.found[description.record.id] = description
        known = {*survey.found, *survey.waiting, *survey.silent}
        for neighbour in description.neighbours:
            if neighbour.id not in known and len(known) < _MOST_NODES:
                known.add(neighbour.id)
                survey.waiting[neighbour.id] = _Asked(neighbour.address, now + _REPEAT_SECONDS)
                yield neighbour.address, SurveyRequest(survey.ticket, self._me)


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))
