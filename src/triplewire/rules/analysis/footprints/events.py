"""What an event waits for, what it evaluates to see whether a change is meant, and what `$delta` is then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from triplewire.languages.rdftl.syntax import (
    Arc,
    ArcEvent,
    Component,
    Event,
    Let,
    Node,
    Path,
    ResourceEvent,
    UpdatedArc,
)
from triplewire.rdf.terms import NamedNode
from triplewire.rules.analysis.footprints.arcs import Matched, matched
from triplewire.rules.analysis.footprints.extents import NOTHING, Classes, Extents
from triplewire.rules.analysis.footprints.paths import Scope, known, walk
from triplewire.rules.analysis.footprints.writes import EventKind
from triplewire.rules.execution.triggering.reachability import arc_names, is_reached


class EventFootprint(Struct, frozen=True):
    """`extents` are the changes that trigger; `queried` is what the event's paths read.

    Where the event waits for a path to lead somewhere, `reached_by` are the kinds of changes on the path that trigger
    as well.
    """

    event_kind: EventKind
    extents: Extents
    queried: Extents
    delta: Mapping[Component, Classes]
    arc_names: frozenset[NamedNode] | None = None
    reached_by: tuple[EventKind, ...] = ()

    def waits_for(self, event_kind: EventKind) -> Extents:
        """The changes of one kind that trigger."""
        own = self.extents if event_kind is self.event_kind else NOTHING
        return own | (self.queried if event_kind in self.reached_by else NOTHING)

    @property
    def event_kinds(self) -> tuple[EventKind, ...]:
        """The kinds of changes that trigger."""
        return tuple(dict.fromkeys((self.event_kind, *self.reached_by)))


def event_footprint(event: Event, scope: Scope, lets: tuple[Let, ...]) -> EventFootprint:
    """Read an event against the schema; the variables of the scope are those of the LETs."""
    if isinstance(event, ResourceEvent):
        return _of_resource(event, scope, tuple(_reached_by(event, lets)))
    if isinstance(event, ArcEvent):
        found = matched(event.arc, scope)
        delta = _delta(found) | {Component.TARGET: found.targets}
        read = nodes_read((event.arc.source, event.arc.target), scope)
        return EventFootprint(EventKind(event.change.value), found.extents(scope.index), read, delta, found.names)
    found = either_target(event.arc, scope)
    delta = _delta(found) | {Component.OLD_TARGET: found.targets, Component.NEW_TARGET: found.targets}
    read = nodes_read((event.arc.source, event.arc.old, event.arc.new), scope)
    return EventFootprint(EventKind.UPDATE, found.extents(scope.index), read, delta, found.names)


def either_target(arc: UpdatedArc, scope: Scope) -> Matched:
    """What an update of an arc takes away or puts there; both have to be possible."""
    old = matched(Arc(arc.source, arc.name, arc.old), scope)
    new = matched(Arc(arc.source, arc.name, arc.new), scope)
    return Matched(tuple(t for t in old.triples if t in new.triples), _both(old.types, new.types))


def _both(one: Classes, other: Classes) -> Classes:
    return None if one is None or other is None else one | other


def _reached_by(event: ResourceEvent, lets: tuple[Let, ...]) -> Iterator[EventKind]:
    if is_reached(event, lets):
        names = arc_names(event.path, lets)
        yield from (EventKind.INSERT, EventKind.UPDATE) if names.coming else ()
        yield from (EventKind.DELETE, EventKind.UPDATE) if names.going else ()


def nodes_read(nodes: tuple[Node | None, ...], scope: Scope) -> Extents:
    """What the paths among the nodes read."""
    read = NOTHING
    for node in nodes:
        read |= walk(node, scope).reads if isinstance(node, Path) else NOTHING
    return read


def _of_resource(event: ResourceEvent, scope: Scope, reached_by: tuple[EventKind, ...]) -> EventFootprint:
    found = walk(event.path, scope)
    classes = found.classes if event.of_class is None else frozenset({known(event.of_class)})
    waits_for = scope.index.instances(classes)
    return EventFootprint(
        EventKind(event.change.value), waits_for, found.reads, {Component.WHOLE: classes}, reached_by=reached_by
    )


def _delta(found: Matched) -> dict[Component, Classes]:
    # `$delta` without a component is the source, as example 2 uses it.
    return {Component.WHOLE: found.sources, Component.SOURCE: found.sources}
