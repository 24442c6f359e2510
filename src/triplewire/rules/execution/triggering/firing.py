"""Firing: the triggered rules whose condition holds, each with its `$delta`.

Events and conditions are all evaluated right after the update, before any rule acts. A set-oriented rule fires once, an
instance-oriented one once for each `$delta` for which its condition holds.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from triplewire.languages.rdftl.syntax import Rule
from triplewire.rules.changes import Changes
from triplewire.rules.execution.actions import MovedArc
from triplewire.rules.execution.rulebook import ResolvedRule, Rulebook
from triplewire.rules.execution.triggering.event_detection import Detection, EventOccurrences
from triplewire.rules.graphs import Graph, Lookup, PreviousGraph, RecordingGraph
from triplewire.rules.paths import DeltaTerms, Evaluation


class Firing(Struct, frozen=True):
    """A rule whose actions are to be executed, for one `$delta` if it is instance-oriented; and what it has read."""

    rule: Rule
    delta: DeltaTerms | None
    lookups: tuple[Lookup, ...] = ()


def fire(
    changes: Changes, moved: tuple[MovedArc, ...], graph: Graph, rules: Rulebook, disabled: frozenset[str] = frozenset()
) -> tuple[list[Firing], tuple[Lookup, ...]]:
    """The rules that fire, in the order of registration; and what those that do not fire have read."""
    occurrences = EventOccurrences.by(changes, moved, rules.schema)
    before = PreviousGraph(graph, changes)
    firings: list[Firing] = []
    idle: dict[Lookup, None] = {}
    for candidate in rules.candidates(occurrences):
        if candidate.rule.id in disabled:
            continue
        now, then = RecordingGraph(graph), RecordingGraph(before)
        fired = list(_firings(candidate, Detection(occurrences, now, then), now))
        lookups = {**now.lookups, **then.lookups}
        if fired:
            firings += [Firing(candidate.rule, delta, tuple(lookups)) for delta in fired]
        else:
            idle.update(lookups)
    return firings, tuple(idle)


def _firings(registered: ResolvedRule, detection: Detection, graph: Graph) -> Iterator[DeltaTerms | None]:
    rule = registered.rule
    deltas = detection.deltas(rule.event, rule.lets)
    if not deltas:
        return
    if registered.is_set_oriented:
        if Evaluation(graph, rule.lets).holds(rule.condition):
            yield None
        return
    for delta in deltas:
        if Evaluation(graph, rule.lets, delta).holds(rule.condition):
            yield delta
