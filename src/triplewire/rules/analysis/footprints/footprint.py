"""A rule's footprint: everything that the analysis has to know of it."""

from __future__ import annotations

from functools import reduce
from operator import or_

from msgspec import Struct

from triplewire.languages.rdftl.parts import uses_component, uses_delta
from triplewire.languages.rdftl.syntax import AbortAction, Component, ResourceEvent, Rule, Update
from triplewire.rules.analysis.footprints.actions import ActionFootprint, action_footprint
from triplewire.rules.analysis.footprints.events import EventFootprint, event_footprint
from triplewire.rules.analysis.footprints.extents import NOTHING, ExtentIndex, Extents
from triplewire.rules.analysis.footprints.paths import Scope, condition_reads
from triplewire.rules.analysis.footprints.writes import NO_WRITES, Writes


class Footprint(Struct, frozen=True):
    """What a rule waits for, reads and writes.

    `queried` is the paper's triplesQueried: the event's own triples and all that the paths read. `state` is what the
    rule's effect depends on once a change has triggered it, so the change itself is not part of it, but what the
    schema has to allow is.
    """

    rule: Rule
    event: EventFootprint
    actions: tuple[ActionFootprint, ...]
    queried: Extents
    state: Extents
    set_oriented: bool

    @property
    def writes(self) -> Writes:
        """What the action part writes."""
        return reduce(or_, (action.writes for action in self.actions), NO_WRITES)

    @property
    def action_state(self) -> Extents:
        """What the effect of the action part alone depends on."""
        return reduce(or_, (action.queried | action.needs for action in self.actions), NOTHING)

    @property
    def accessed(self) -> Extents:
        """What the action part reads by its paths, and writes."""
        return reduce(or_, (action.accessed for action in self.actions), NOTHING)

    @property
    def aborts(self) -> bool:
        """Whether the rule aborts on purpose."""
        return any(isinstance(action.action, AbortAction) for action in self.actions)

    @property
    def uses_delta(self) -> bool:
        """Whether copies of the action part can differ from each other."""
        return any(action.uses_delta for action in self.actions)


def footprint(rule: Rule, index: ExtentIndex) -> Footprint:
    """Read a rule, whose names are resolved, against the schema."""
    scope = Scope.of(index, rule.lets)
    event = event_footprint(rule.event, scope, rule.lets)
    inside = scope.on(event.delta, event.arc_names)
    condition = condition_reads(rule.condition, inside)
    actions = tuple(action_footprint(action, inside) for action in rule.actions)
    paths = event.queried | condition | reduce(or_, (action.queried for action in actions), NOTHING)
    needs = reduce(or_, (action.needs for action in actions), NOTHING)
    return Footprint(
        rule=rule,
        event=event,
        actions=actions,
        queried=event.extents | paths,
        state=paths | needs | _hidden_state(rule, event, index),
        set_oriented=not uses_delta((rule.condition, rule.actions)),
    )


def update_footprint(update: Update, index: ExtentIndex) -> ActionFootprint:
    """Read an update from outside against the schema."""
    return action_footprint(update.action, Scope.of(index, update.lets))


def _hidden_state(rule: Rule, event: EventFootprint, index: ExtentIndex) -> Extents:
    """What an event depends on besides its paths."""
    if isinstance(rule.event, ResourceEvent) and rule.event.of_class is None:
        # Whether a node is new depends on every class that it may have been in.
        return index.every_instance
    if event.reached_by:
        # An arc on the way may come before the class, or after it.
        return event.extents
    # Which number an element got depends on the container's others.
    return event.extents if uses_component((rule.condition, rule.actions), Component.ARC_NAME) else NOTHING
