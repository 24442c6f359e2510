"""Which rules may trigger which (section 2.4).

Rules are found by the extents that their events wait for, so that a thousand rules do not mean a million comparisons.
What an action writes is closed under the hierarchies; what an event waits for is not. So an inserted Book may trigger
a rule on learning objects, but not one on journals, only because both are learning objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from msgspec import Struct

from triplewire.rules.analysis.bits import members, union
from triplewire.rules.analysis.digraphs import components, reachable, shortest_cycle
from triplewire.rules.analysis.footprints.extents import Extent, ExtentIndex
from triplewire.rules.analysis.footprints.footprint import Footprint
from triplewire.rules.analysis.footprints.writes import EventKind, Writes

RuleSet = int
"""A set of rules, one bit each, by their place in the graph."""


class Trigger(Struct, frozen=True):
    """Why one rule may trigger another: an action that makes the event's kind of change to these extents."""

    first: str
    second: str
    event_kind: EventKind
    extents: frozenset[Extent]
    named: str

    @property
    def reason(self) -> str:
        """One sentence."""
        return (
            f"{self.first} may trigger {self.second}: an action of {self.first} may {_VERB[self.event_kind]} "
            f"{self.named}, and {self.second} waits for that"
        )


_VERB = {EventKind.INSERT: "insert into", EventKind.DELETE: "delete from", EventKind.UPDATE: "update"}


def may_trigger(first: Footprint, second: Footprint, index: ExtentIndex) -> Trigger | None:
    """The reason why the first rule may trigger the second, or None if it cannot."""
    for event_kind in second.event.event_kinds:
        shared = first.writes.causing(event_kind) & second.event.waits_for(event_kind)
        if shared:
            return Trigger(first.rule.id, second.rule.id, event_kind, index.read(shared), index.named(shared))
    return None


class TriggeringGraph:
    """A vertex for each rule, an edge from each rule to those that it may trigger."""

    def __init__(self, footprints: Sequence[Footprint], index: ExtentIndex) -> None:
        self.footprints = tuple(footprints)
        self.index = index
        self.place = {each.rule.id: place for place, each in enumerate(footprints)}
        self._waiting = {event_kind: self._waiting_for(event_kind) for event_kind in EventKind}
        self.forward: tuple[RuleSet, ...] = tuple(self.triggered_by(each.writes) for each in footprints)
        self._backward = self._reversed()

    def triggered_by(self, writes: Writes) -> RuleSet:
        """The rules that one action may trigger."""
        found = 0
        for event_kind, waiting in self._waiting.items():
            found |= union(waiting.get(extent, 0) for extent in members(writes.causing(event_kind)))
        return found

    def triggered(self, writes: Writes) -> RuleSet:
        """The rules that an action may trigger, and all that those may trigger, and so on: triggered(a)."""
        at_once = self.triggered_by(writes)
        return at_once | union(self.reached[rule] for rule in members(at_once))

    def rules_in(self, rules: RuleSet) -> list[Footprint]:
        """The members of a set."""
        return [self.footprints[rule] for rule in members(rules)]

    def edges(self) -> list[tuple[int, int]]:
        """Every edge, by the places of the two rules."""
        return [(first, second) for first, row in enumerate(self.forward) for second in members(row)]

    @cached_property
    def components(self) -> list[RuleSet]:
        """The strongly connected components, each before those that it leads to."""
        return components(self.forward, self._backward)

    @cached_property
    def reached(self) -> list[RuleSet]:
        """For each rule, all that it may trigger at once or through others."""
        return reachable(self.forward, self.components)

    @cached_property
    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """For each component in which rules may trigger each other without end, a cycle; its first rule is repeated."""
        found = (shortest_cycle(self.forward, component) for component in self.components)
        return tuple(tuple(self.footprints[rule].rule.id for rule in cycle) for cycle in found if cycle)

    @cached_property
    def in_cycles(self) -> RuleSet:
        """The rules that may trigger themselves, at once or through others."""
        return union(1 << rule for rule, reached in enumerate(self.reached) if reached >> rule & 1)

    def on_cycle(self, first: int, second: int) -> bool:
        """Whether an edge belongs to a cycle: its end leads back to its start."""
        return first == second or bool(self.reached[second] >> first & 1)

    def _waiting_for(self, event_kind: EventKind) -> dict[int, RuleSet]:
        waiting: dict[int, RuleSet] = {}
        for place, each in enumerate(self.footprints):
            for extent in members(each.event.waits_for(event_kind)):
                waiting[extent] = waiting.get(extent, 0) | 1 << place
        return waiting

    def _reversed(self) -> tuple[RuleSet, ...]:
        causing: dict[tuple[EventKind, int], RuleSet] = {}
        for place, each in enumerate(self.footprints):
            for event_kind in EventKind:
                for extent in members(each.writes.causing(event_kind)):
                    key = (event_kind, extent)
                    causing[key] = causing.get(key, 0) | 1 << place
        return tuple(
            union(
                causing.get((event_kind, extent), 0)
                for event_kind in each.event.event_kinds
                for extent in members(each.event.waits_for(event_kind))
            )
            for each in self.footprints
        )
