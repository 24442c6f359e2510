"""Firing: the triggered rules whose condition holds, each with its `$delta`.

Events are noticed right after the update, before any rule acts, and so are the conditions of immediate and detached
rules evaluated. Those of deferred rules wait: see `deferral`. A set-oriented rule fires once, an instance-oriented one
once for each `$delta` for which its condition holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from triplewire.languages.rdftl.syntax import Change, Coupling, ResourceEvent, Rule
from triplewire.rules.changes import Changes
from triplewire.rules.execution.actions import MovedArc
from triplewire.rules.execution.rulebook import ResolvedRule, Rulebook
from triplewire.rules.execution.triggering.event_detection import Detection, EventOccurrences
from triplewire.rules.execution.units import ReadSet
from triplewire.rules.graphs import Graph, Lookup, PreviousGraph, RecordingGraph
from triplewire.rules.paths import DeltaTerms, Evaluation


class Firing(Struct, frozen=True):
    """A rule whose actions are to be executed, for one `$delta` if it is instance-oriented.

    `cause` is the number of the unit that has triggered it, `reads` what its event and its condition have read.
    """

    rule: Rule
    delta: DeltaTerms | None
    cause: int
    reads: tuple[ReadSet, ...] = ()


class Trigger(Struct, frozen=True):
    """A deferred rule that a unit, the cause, has triggered, for each `$delta`. Its condition waits."""

    rule: ResolvedRule
    deltas: tuple[DeltaTerms, ...]
    cause: int
    read: ReadSet


class Triggered(Struct, frozen=True):
    """What an update has triggered: the rules that fire now, those that wait, and what all the others have read.

    All are in the order of registration.
    """

    firings: list[Firing]
    waiting: list[Trigger]
    idle: tuple[Lookup, ...]


class Cause(Struct, frozen=True):
    """An update that was executed: by which unit and when, what it changed, and which arcs it moved."""

    unit: int
    time: int
    changes: Changes
    moved: tuple[MovedArc, ...]


def fire(cause: Cause, graph: Graph, rules: Rulebook, disabled: frozenset[str] = frozenset()) -> Triggered:
    """The rules that an update has triggered."""
    occurrences = EventOccurrences.by(cause.changes, cause.moved, rules.schema)
    before = PreviousGraph(graph, cause.changes)
    firings: list[Firing] = []
    waiting: list[Trigger] = []
    idle: dict[Lookup, None] = {}
    for candidate in rules.candidates(occurrences):
        if candidate.rule.id in disabled:
            continue
        now, then = RecordingGraph(graph), RecordingGraph(before)
        deltas = Detection(occurrences, now, then).deltas(candidate.rule.event, candidate.rule.lets)
        waits = bool(deltas) and candidate.rule.coupling is Coupling.DEFERRED
        fired = [] if waits else list(holding(candidate, deltas, now, then))
        lookups = {**now.lookups, **then.lookups}
        read = ReadSet(cause.time, tuple(lookups))
        if waits:
            waiting.append(Trigger(candidate, tuple(deltas), cause.unit, read))
        if fired:
            firings += [Firing(candidate.rule, delta, cause.unit, (read,)) for delta in fired]
        else:
            idle.update(lookups)
    return Triggered(firings, waiting, tuple(idle))


def holding(
    registered: ResolvedRule, deltas: Iterable[DeltaTerms], now: Graph, then: Graph
) -> Iterator[DeltaTerms | None]:
    """Each `$delta` for which a triggered rule fires; None if it is set-oriented and does.

    `then` is the state before; a rule that waits for the deletion of resources reads there what begins at `$delta`.
    """
    rule = registered.rule
    before = then if isinstance(rule.event, ResourceEvent) and rule.event.change is Change.DELETE else None
    if not registered.is_set_oriented:
        yield from (delta for delta in deltas if Evaluation(now, rule.lets, delta, before).holds(rule.condition))
    elif any(True for _ in deltas) and Evaluation(now, rule.lets).holds(rule.condition):
        yield None
