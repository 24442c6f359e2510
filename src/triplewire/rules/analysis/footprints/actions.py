"""What an action queries, what else decides its effect, and what it writes."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from triplewire.languages.rdftl.parts import uses_delta
from triplewire.languages.rdftl.syntax import (
    AbortAction,
    Arc,
    ArcAction,
    Change,
    NextElement,
    Node,
    Path,
    Resource,
    ResourceAction,
    RuleAction,
    UpdatedArc,
)
from triplewire.rules.analysis.bits import union
from triplewire.rules.analysis.footprints.arcs import ends, matched
from triplewire.rules.analysis.footprints.events import either_target
from triplewire.rules.analysis.footprints.extents import NOTHING, Classes, ExtentIndex, Extents
from triplewire.rules.analysis.footprints.paths import Scope, known, nodes_sought, walk
from triplewire.rules.analysis.footprints.writes import NO_WRITES, Writes
from triplewire.rules.vocabulary import MEMBERSHIP


class ActionFootprint(Struct, frozen=True):
    """One action.

    `queried` is what its path expressions read. `needs` is what else decides its effect: whether the ends of a new arc
    are what the schema wants, and whether some arc needs a class that is taken away.
    """

    action: RuleAction
    queried: Extents
    needs: Extents
    writes: Writes
    uses_delta: bool

    @property
    def accessed(self) -> Extents:
        """What its paths read and what it writes."""
        return self.queried | self.writes.all


class _Part(Struct, frozen=True):
    queried: Extents
    writes: Writes
    needs: Extents = NOTHING


def action_footprint(action: RuleAction, scope: Scope) -> ActionFootprint:
    """Read an action against the schema."""
    queried, needs, writes = NOTHING, NOTHING, NO_WRITES
    for part in _parts(action, scope):
        queried, needs, writes = queried | part.queried, needs | part.needs, writes | part.writes
    return ActionFootprint(action, queried, needs, writes, uses_delta(action))


def _parts(action: RuleAction, scope: Scope) -> Iterator[_Part]:
    if isinstance(action, ResourceAction):
        yield _of_resource(action, scope)
    elif isinstance(action, ArcAction):
        inserting = action.change is Change.INSERT
        yield from (_inserted(arc, scope) if inserting else _deleted(arc, scope) for arc in action.arcs)
    elif not isinstance(action, AbortAction):
        yield from (_updated(arc, scope) for arc in action.arcs)


def _of_resource(action: ResourceAction, scope: Scope) -> _Part:
    index, found = scope.index, walk(action.path, scope)
    if action.of_class is None:
        # It leaves all of its classes, also those that the path does not show.
        writes = Writes(deleted=_gone(found.classes, index) | index.every_instance)
        return _Part(_read((action.path,), scope), writes)
    classes = frozenset({known(action.of_class)})
    if action.change is Change.INSERT:
        writes = Writes(inserted=index.upward(index.instances(classes)))
        return _Part(_read((action.path,), scope), writes, _held(classes, index))
    return _Part(_read((action.path,), scope), Writes(deleted=_gone(classes, index)), _in_the_way(classes, index))


def _inserted(arc: Arc, scope: Scope) -> _Part:
    index, found = scope.index, matched(arc, scope)
    written = index.upward(found.extents(index))
    writes = Writes(appended=written) if isinstance(arc.name, NextElement) else Writes(inserted=written)
    needs = index.instances(ends(found.triples)) | _held(found.types, index)
    return _Part(_read((arc.source, arc.target), scope), writes, needs)


def _deleted(arc: Arc, scope: Scope) -> _Part:
    index, found = scope.index, matched(arc, scope)
    written = index.upward(index.below(found.triples)) | _gone(found.types, index)
    read = _read((arc.source, arc.target), scope)
    return _Part(read, Writes(deleted=written), _in_the_way(found.types, index))


def _updated(arc: UpdatedArc, scope: Scope) -> _Part:
    index, found = scope.index, either_target(arc, scope)
    # Another class is no updated arc for events: it has come, and the old one has gone.
    writes = Writes(
        updated=index.upward(index.below(found.triples)),
        inserted=index.upward(index.instances(found.types)),
        deleted=_gone(found.types, index),
    )
    needs = index.instances(ends(found.triples)) | _in_the_way(found.types, index) | _held(found.types, index)
    return _Part(_read((arc.source, arc.old, arc.new), scope), writes, needs)


def _read(nodes: tuple[Node | None, ...], scope: Scope) -> Extents:
    """What decides which nodes are meant. A resource that is named is meant whether or not it is there."""
    paths = (node for node in nodes if isinstance(node, Path))
    return union(
        nodes_sought(path, scope)
        for path in paths
        if path.steps or not isinstance(path.start, Resource) or path.start.iri is None
    )


def _held(classes: Classes, index: ExtentIndex) -> Extents:
    """The elements that have to fit a container class which a resource gets."""
    touched = index.touching(classes)
    return index.of(t for t in index.with_property(MEMBERSHIP) if touched is None or t.source in touched)


def _gone(classes: Classes, index: ExtentIndex) -> Extents:
    """What goes with the resources of some classes: classes below and above them, and arcs from them and to them."""
    return index.upward(index.instances(index.touching(classes)) | _arcs_of(classes, index))


def _in_the_way(classes: Classes, index: ExtentIndex) -> Extents:
    """What decides whether a class may be taken from a resource.

    If no other class is left, which may be any, it goes with all of its arcs; otherwise those that need the class are
    in the way.
    """
    if classes is not None and not classes:
        return NOTHING
    return index.every_instance | _arcs_of(classes, index)


def _arcs_of(classes: Classes, index: ExtentIndex) -> Extents:
    return index.of(t for t in index.triples if index.may_be(classes, t.source) or index.may_be(classes, t.target))
