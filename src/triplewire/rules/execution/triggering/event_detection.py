"""Event detection: which events have occurred, and for which `$delta` they are a rule's event.

Triggering is semantic: only what has really changed in the closure counts. What was inserted is looked for in the graph
as it is now, what was deleted in the graph as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from triplewire.languages.rdftl.syntax import (
    Arc,
    ArcEvent,
    Change,
    Component,
    Event,
    Let,
    Node,
    Path,
    ResourceEvent,
    UpdatedArc,
    UpdateEvent,
)
from triplewire.rdf.terms import BlankNode, Literal, NamedNode, Term, Triple
from triplewire.rules.changes import Changes, Triples
from triplewire.rules.execution.actions import MovedArc
from triplewire.rules.execution.triggering.reachability import is_reached, newly_reached
from triplewire.rules.graphs import Graph
from triplewire.rules.literals import as_kept
from triplewire.rules.paths import DeltaTerms, Evaluation, constant_of
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE


class ArcUpdate(Struct, frozen=True):
    """An arc whose target has changed."""

    source: NamedNode | BlankNode
    name: NamedNode
    old: Term
    new: Term


class EventOccurrences(Struct, frozen=True):
    """The events of an update, by kind. An update of arcs neither inserts nor deletes any."""

    changes: Changes
    inserted: Triples = ()
    deleted: Triples = ()
    updated: tuple[ArcUpdate, ...] = ()

    @classmethod
    def by(cls, changes: Changes, moved: tuple[MovedArc, ...], schema: Schema) -> EventOccurrences:
        """From the changes of an update, and the arcs that it moved."""
        if not moved:
            return cls(changes, changes.inserted, changes.deleted)
        return cls(changes, updated=tuple(dict.fromkeys(_updated(changes, moved, schema))))

    def classes(self, change: Change) -> Iterator[Triple]:
        """The rdf:type triples that came or went, by whatever kind of update."""
        triples = self.changes.inserted if change is Change.INSERT else self.changes.deleted
        return (triple for triple in triples if triple.predicate == TYPE)


def _updated(changes: Changes, moved: Iterable[MovedArc], schema: Schema) -> Iterator[ArcUpdate]:
    gone, new = frozenset(changes.deleted), frozenset(changes.inserted)
    for move in moved:
        source, old, target = move.source, move.old.object, move.new.object
        if move.old.predicate == TYPE:
            above: Iterable[NamedNode] = (TYPE,)
        else:
            above = sorted(schema.superproperties(move.old.predicate), key=str)
        for name in above:
            if Triple(source, name, old) in gone or Triple(source, name, target) in new:
                yield ArcUpdate(source, name, old, target)


class Detection:
    """Finds what `$delta` stands for in the events of rules, given the graph now and as it was."""

    def __init__(self, occurrences: EventOccurrences, now: Graph, before: Graph) -> None:
        self._occurrences = occurrences
        self._now = now
        self._before = before

    def deltas(self, event: Event, lets: tuple[Let, ...]) -> list[DeltaTerms]:
        """Each `$delta` for which the event has happened; none: the rule is not triggered."""
        match event:
            case ResourceEvent():
                return list(self._resources(event, lets))
            case ArcEvent(Change.INSERT, arc):
                return list(_arcs(arc, self._occurrences.inserted, lets, self._now))
            case ArcEvent(_, arc):
                return list(_arcs(arc, self._occurrences.deleted, lets, self._before))
            case UpdateEvent(arc):
                return list(self._updates(arc, lets))

    def _resources(self, event: ResourceEvent, lets: tuple[Let, ...]) -> Iterator[DeltaTerms]:
        if is_reached(event, lets):
            nodes = newly_reached(event, lets, self._occurrences.changes, self._now, self._before)
            yield from ({Component.WHOLE: node} for node in nodes)
            return
        there, elsewhere = self._now, self._before
        if event.change is Change.DELETE:
            there, elsewhere = elsewhere, there
        evaluation = Evaluation(there, lets)
        constant = constant_of(event.path, lets)
        for node in dict.fromkeys(t.subject for t in self._occurrences.classes(event.change) if _of(t, event)):
            if constant not in (None, node):
                continue
            if event.of_class is None and next(iter(elsewhere.match(node, TYPE, None)), None) is not None:
                continue  # It had a class before, or has one still.
            if evaluation.contains(event.path, node):
                yield {Component.WHOLE: node}

    def _updates(self, arc: UpdatedArc, lets: tuple[Let, ...]) -> Iterator[DeltaTerms]:
        now, before = Evaluation(self._now, lets), Evaluation(self._before, lets)
        source, old, new = (constant_of(node, lets) for node in (arc.source, arc.old, arc.new))
        for updated in self._occurrences.updated:
            if (
                _is_named(updated.name, arc.name)
                and source in (None, updated.source)
                and old in (None, updated.old)
                and new in (None, updated.new)
                and _is_at(updated.source, arc.source, now)
                and _is_at(updated.old, arc.old, before)
                and _is_at(updated.new, arc.new, now)
            ):
                yield {
                    Component.WHOLE: updated.source,
                    Component.SOURCE: updated.source,
                    Component.ARC_NAME: updated.name,
                    Component.OLD_TARGET: updated.old,
                    Component.NEW_TARGET: updated.new,
                }


def _of(triple: Triple, event: ResourceEvent) -> bool:
    return event.of_class is None or triple.object == event.of_class


def _arcs(arc: Arc, triples: Iterable[Triple], lets: tuple[Let, ...], graph: Graph) -> Iterator[DeltaTerms]:
    evaluation = Evaluation(graph, lets)
    source, target = constant_of(arc.source, lets), constant_of(arc.target, lets)
    for triple in triples:
        # Constants first: a rule that they rule out has read nothing.
        if (
            _is_named(triple.predicate, arc.name)
            and source in (None, triple.subject)
            and target in (None, triple.object)
            and _is_at(triple.subject, arc.source, evaluation)
            and _is_at(triple.object, arc.target, evaluation)
        ):
            yield {
                Component.WHOLE: triple.subject,
                Component.SOURCE: triple.subject,
                Component.ARC_NAME: triple.predicate,
                Component.TARGET: triple.object,
            }


def _is_named(found: NamedNode, wanted: object) -> bool:
    return found != TYPE if wanted is None else found == wanted


def _is_at(found: Term, wanted: Node | None, evaluation: Evaluation) -> bool:
    match wanted:
        case None:
            return True
        case Literal():
            return found == as_kept(wanted)
        case Path():
            return evaluation.contains(wanted, found)
