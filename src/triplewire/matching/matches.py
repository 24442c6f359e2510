"""Matches: what one subscription has to say about one event."""

from __future__ import annotations

from msgspec import Struct

from triplewire.rdf.events import Event
from triplewire.rdf.solutions import Solution, Solutions
from triplewire.rdf.terms import Triple

__all__ = ["Match", "QueryAnswer", "Solution"]


class QueryAnswer(Struct, frozen=True):
    """What a query yields on an event; never empty.

    A solution maps names of variables to terms and leaves unbound ones out. An ASK that holds is one empty solution.
    `construct` holds the triples of a CONSTRUCT, and is empty for the other forms.
    """

    solutions: list[Solution]
    construct: tuple[Triple, ...] = ()


class EvaluatedMatch(Struct, frozen=True):
    """A match that was found by evaluation, before anybody wants to see its event."""

    subscription_id: str
    answer: QueryAnswer
    lane: str

    def on(self, event: Event) -> Match:
        """The match as it is handed out."""
        answer = self.answer
        return Match(self.subscription_id, event, Solutions(answer.solutions), answer.construct, self.lane)


class Match(Struct, frozen=True):
    """A subscription that an event satisfies, with its solutions and the lane that found them."""

    subscription_id: str
    event: Event
    solutions: Solutions
    construct: tuple[Triple, ...] = ()
    lane: str = "fast"
