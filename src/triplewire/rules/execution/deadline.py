"""A deadline for a schedule, and a graph that checks it at every look-up.

Whoever may stop a schedule before is asked at the same places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from triplewire.rdf.terms import NamedNode, Term, Triple
from triplewire.rules.graphs import Graph

Clock = Callable[[], float]
# Asked now and then: raises, whatever it likes, to stop a schedule.
Interrupt = Callable[[], None]


def never() -> None:
    """Nobody stops it."""


class OutOfTime(Exception):  # noqa: N818  the code that set the deadline says what was wrong
    """The deadline has passed."""


class Deadline:
    """A time after which `check` raises `OutOfTime`; without seconds there is none. `interrupt` may raise before."""

    def __init__(self, seconds: float | None, clock: Clock, interrupt: Interrupt = never) -> None:
        self._clock = clock
        self._interrupt = interrupt
        self._end = float("inf") if seconds is None else clock() + seconds

    def check(self) -> None:
        self._interrupt()
        if self._clock() > self._end:
            raise OutOfTime


class TimedGraph:
    """A graph that is asked only before a deadline."""

    def __init__(self, graph: Graph, deadline: Deadline) -> None:
        self._graph = graph
        self._check = deadline.check

    def match(self, subject: Term | None, predicate: NamedNode | None, target: Term | None) -> Iterable[Triple]:
        self._check()
        return self._graph.match(subject, predicate, target)

    def is_asserted(self, triple: Triple) -> bool:
        self._check()
        return self._graph.is_asserted(triple)

    def last_element(self, container: Term) -> int:
        self._check()
        return self._graph.last_element(container)
