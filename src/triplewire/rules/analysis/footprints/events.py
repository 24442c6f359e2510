"""What an event waits for, what it evaluates to see whether a change is meant, and what `$delta` is then."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from triplewire.languages.rdftl.syntax import (
    Arc,
    ArcEvent,
    Component,
    Event,
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


class EventFootprint(Struct, frozen=True):
    """`extents` are the changes that trigger; `queried` is what the event's paths read."""

    event_kind: EventKind
    extents: Extents
    queried: Extents
    delta: Mapping[Component, Classes]
    arc_names: frozenset[NamedNode] | None = None


def event_footprint(event: Event, scope: Scope) -> EventFootprint:
    """Read an event against the schema."""
    if isinstance(event, ResourceEvent):
        return _of_resource(event, scope)
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


def nodes_read(nodes: tuple[Node | None, ...], scope: Scope) -> Extents:
    """What the paths among the nodes read."""
    read = NOTHING
    for node in nodes:
        read |= walk(node, scope).reads if isinstance(node, Path) else NOTHING
    return read


def _of_resource(event: ResourceEvent, scope: Scope) -> EventFootprint:
    found = walk(event.path, scope)
    classes = found.classes if event.of_class is None else frozenset({known(event.of_class)})
    waits_for = scope.index.instances(classes)
    return EventFootprint(EventKind(event.change.value), waits_for, found.reads, {Component.WHOLE: classes})


def _delta(found: Matched) -> dict[Component, Classes]:
    # `$delta` without a component is the source, as example 2 uses it.
    return {Component.WHOLE: found.sources, Component.SOURCE: found.sources}
