"""What an action comes to: the edits that it asks for, given the graph as it is.

Nothing is changed here. A path stands for each of its nodes, a wildcard for whatever is there, and what is deleted or
updated is found among the assertions that make it hold.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from msgspec import Struct

from triplewire.errors import UpdateRefused
from triplewire.languages.rdftl.syntax import (
    Action,
    Arc,
    ArcAction,
    Change,
    Delta,
    Let,
    NextElement,
    Node,
    Path,
    Resource,
    ResourceAction,
    UpdateAction,
    UpdatedArc,
)
from triplewire.rdf.terms import BlankNode, Literal, NamedNode, Term, Triple
from triplewire.rules.changes import Edits
from triplewire.rules.closure import Closure
from triplewire.rules.containers import Endings
from triplewire.rules.graphs import Graph
from triplewire.rules.literals import as_kept
from triplewire.rules.paths import DeltaTerms, Evaluation
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import RESOURCE, TYPE

_Term = TypeVar("_Term", bound=Term)
_Edit = TypeVar("_Edit", Triple, "MovedArc")


class MovedArc(Struct, frozen=True):
    """One asserted arc whose target changes."""

    old: Triple
    new: Triple

    @property
    def source(self) -> NamedNode | BlankNode:
        return _subject(self.old.subject)


class ActionEdits(Struct, frozen=True):
    """The edits of an action, and which of them are updates of arcs."""

    edits: Edits
    moved: tuple[MovedArc, ...] = ()


class Planner:
    """Plans one action over one graph."""

    def __init__(
        self,
        graph: Graph,
        schema: Schema,
        lets: Iterable[Let] = (),
        delta: DeltaTerms | None = None,
        most: int = sys.maxsize - 1,
    ) -> None:
        self._graph = graph
        self._schema = schema
        self._closure = Closure(schema)
        self._delta = delta or {}
        self._evaluation = Evaluation(graph, lets, delta)
        self._endings = Endings(graph)
        self._most = most

    def plan(self, action: Action) -> ActionEdits:
        """What the action does. Raises `UpdateRefused` where it cannot be done."""
        match action:
            case ResourceAction(Change.INSERT, path, of_class):
                assert isinstance(of_class, NamedNode)
                nodes = self._nodes(path)
                return ActionEdits(Edits(inserted=tuple(Triple(_subject(node), TYPE, of_class) for node in nodes)))
            case ResourceAction(Change.DELETE, path, of_class):
                gone = (t for node in self._nodes(path) for t in self._removed(_subject(node), of_class))
                return ActionEdits(Edits(deleted=self._bounded(gone)))
            case ArcAction(Change.INSERT, arcs):
                return ActionEdits(Edits(inserted=self._bounded(t for arc in arcs for t in self._inserted(arc))))
            case ArcAction(Change.DELETE, arcs):
                return ActionEdits(Edits(deleted=self._bounded(t for arc in arcs for t in self._deleted(arc))))
        assert isinstance(action, UpdateAction)
        moved = self._bounded(move for arc in action.arcs for move in self._updated(arc))
        new = tuple(dict.fromkeys(move.new for move in moved))
        old = tuple(dict.fromkeys(move.old for move in moved))
        return ActionEdits(Edits(new, old), moved)

    def _bounded(self, edits: Iterable[_Edit]) -> tuple[_Edit, ...]:
        """Each once; source and target are combined in every way, which may be more than anybody can bear."""
        taken = list(islice(edits, self._most + 1))
        if len(taken) > self._most:
            raise UpdateRefused(wanted=f"at most {self._most:,} triples of one action", found="more")
        return tuple(dict.fromkeys(taken))

    # Resources

    def _removed(self, node: NamedNode | BlankNode, of_class: object) -> Iterator[Triple]:
        """The classes that a resource loses and, if none is left, its arcs."""
        types = _in_order(t for t in self._graph.match(node, TYPE, None) if self._graph.is_asserted(t))
        lost = [t for t in types if of_class is None or of_class in self._above(t)]
        yield from lost
        if lost and len(lost) == len(types):
            for triple in _in_order((*self._graph.match(node, None, None), *self._graph.match(None, None, node))):
                if triple.predicate != TYPE and self._graph.is_asserted(triple):
                    yield triple

    def _above(self, triple: Triple) -> frozenset[NamedNode]:
        return self._schema.superclasses(triple.object) if isinstance(triple.object, NamedNode) else frozenset()

    # Arcs

    def _inserted(self, arc: Arc) -> Iterator[Triple]:
        targets = self._nodes(arc.target)
        sources = self._allowed(arc.name) if arc.source is None else self._nodes(arc.source)
        for source in sources:
            for target in targets:
                yield Triple(_subject(source), self._arc_name(arc.name, source), target)

    def _allowed(self, name: object) -> list[Term]:
        """Every resource that the arc may begin at."""
        wanted = self._schema.domain(name) if isinstance(name, NamedNode) else frozenset()
        resources = {triple.subject for triple in self._graph.match(None, TYPE, None)}
        for cls in wanted - {RESOURCE}:
            resources &= {triple.subject for triple in self._graph.match(None, TYPE, cls)}
        return _in_order(resources)

    def _arc_name(self, name: object, source: Term) -> NamedNode:
        if isinstance(name, NextElement):
            return self._endings.next(source)
        found = self._delta[name.component] if isinstance(name, Delta) else name
        if not isinstance(found, NamedNode):
            raise UpdateRefused(wanted="the name of an arc", found=str(found))
        return found

    def _deleted(self, arc: Arc) -> Iterator[Triple]:
        for triple in self._holding(arc.source, arc.name, arc.target):
            yield from _in_order(self._closure.implied_by(triple, self._graph))

    def _updated(self, arc: UpdatedArc) -> Iterator[MovedArc]:
        targets = self._nodes(arc.new)
        for triple in self._holding(arc.source, arc.name, arc.old):
            for asserted in _in_order(self._closure.implied_by(triple, self._graph)):
                for target in targets:
                    if target != asserted.object:
                        yield MovedArc(asserted, Triple(asserted.subject, asserted.predicate, target))

    def _holding(self, source: Path | None, name: object, target: Node | None) -> Iterator[Triple]:
        """The arcs that are there between what the paths lead to."""
        arc = None if name is None else self._arc_name(name, RESOURCE)
        sources = [None] if source is None else [node for node in self._nodes(source) if not isinstance(node, Literal)]
        targets = [None] if target is None else self._nodes(target)
        for subject in sources:
            for end in targets:
                for triple in _in_order(self._graph.match(subject, arc, end)):
                    # A wildcard stands for properties of the schema and for elements, never for a class.
                    if arc is not None or triple.predicate != TYPE:
                        yield triple

    def _nodes(self, node: Node | None) -> list[Term]:
        assert node is not None, "the grammar wants a node here"
        if isinstance(node, Literal):
            return [as_kept(node)]
        if not node.steps and isinstance(node.start, Resource) and node.start.iri is not None:
            # It need not be there yet: whether it may be meant here, the schema says.
            return [node.start.iri]
        return _in_order(self._evaluation.nodes(node))


def _in_order(terms: Iterable[_Term]) -> list[_Term]:
    """The same order in every run: a store has none, but elements are numbered in it, and rules fire in it."""
    found = list(terms)
    return sorted(found, key=str) if len(found) > 1 else found


def _subject(node: Term) -> NamedNode | BlankNode:
    if isinstance(node, NamedNode | BlankNode):
        return node
    raise UpdateRefused(wanted="a resource", found=str(node))
