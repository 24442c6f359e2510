"""A peer: a repository that conforms to the peer's own schema, and does what its super-peer asks.

What an arc leads to may be described at another site. Such a resource comes with its classes, so that the peer can see
that the arc conforms; they are noted beside the repository, where they trigger nothing and count as nobody's data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyoxigraph import Store

from triplewire.errors import InputError, SchemaViolation
from triplewire.federation.indexes.group_index import PeerView
from triplewire.federation.indexes.local_index import IndexChange, LocalIndex
from triplewire.federation.sites.privileges import Access
from triplewire.federation.sites.requests import (
    Classes,
    Compensate,
    Compensated,
    Detect,
    Detected,
    Execute,
    Executed,
    FromPeer,
    FromSuperPeer,
    Match,
    Matched,
    NumberedReply,
    Refused,
    Reply,
    Request,
)
from triplewire.federation.sites.terms import inward, outward, outward_triple
from triplewire.rdf.terms import Literal, NamedNode, Term, Triple
from triplewire.rules.changes import Changes, Edits
from triplewire.rules.execution.actions import ActionEdits, MovedArc, Planner
from triplewire.rules.execution.triggering.event_detection import Detection, EventOccurrences
from triplewire.rules.graphs import Graph, Lookup, PreviousGraph, RecordingGraph
from triplewire.rules.literals import triple_as_kept
from triplewire.rules.paths import DeltaTerms
from triplewire.rules.repository import Repository
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE

MOST_EDITS = 1_000_000


class PeerSite:
    """A peer of a super-peer. `name` is unique in the network: it names the peer's blank nodes."""

    def __init__(self, name: str, schema: Schema, store: Store | None = None) -> None:
        self.name = name
        self.repository = Repository(schema, store)
        self.index = LocalIndex(self.repository)
        self._foreign: dict[Term, frozenset[NamedNode]] = {}
        self._answered = NumberedReply(0, Detected({}))
        self._changes = Changes()
        self._moved: tuple[MovedArc, ...] = ()

    @property
    def view(self) -> PeerView:
        """All that the super-peer has to know of the peer when it joins."""
        return PeerView(self.repository.schema, self.index.nodes, self.index.references)

    @property
    def last_reply(self) -> Reply:
        """What the last numbered request has come to."""
        return self._answered.reply

    def load(self, triples: Iterable[Triple]) -> None:
        """Begin with these triples. They trigger nothing."""
        self.repository.load(triples)
        self.index = LocalIndex(self.repository)

    def declare(self, schema: Schema) -> IndexChange:
        """Have another schema from now on. Raises `SchemaViolation` if what is here would not conform to it.

        What follows by the one schema and not by the other comes and goes without an event.
        """
        repository = Repository(schema)
        repository.apply(Edits(tuple(self.repository.asserted)), _WithForeign(repository, self._foreign))
        before, self.index = self.index, LocalIndex(repository)
        self.repository = repository
        return self.index.since(before)

    def receive(self, asked: FromSuperPeer) -> FromPeer | None:
        """Do what the super-peer asks. None: the request is an old one that nobody waits for."""
        if isinstance(asked, Match):
            return self._match(asked)
        if asked.number > self._answered.number:
            self._answered = NumberedReply(asked.number, self._reply(asked.request))
        return self._answered if asked.number == self._answered.number else None

    def _reply(self, request: Request) -> Reply:
        match request:
            case Execute():
                return self._execute(request)
            case Detect():
                return self._detect(request)
            case Compensate(edits):
                return self._compensate(edits)

    # Actions

    def _execute(self, request: Execute) -> Executed | Refused:
        graph = RecordingGraph(self.repository)
        seen = RecordingGraph(_WithForeign(self.repository, {**self._foreign, **self._inward_classes(request)}))
        try:
            planned = self._planned(request, graph)
            changes = self.repository.apply(planned.edits, seen)
        except SchemaViolation as error:
            return Refused(error.message, error.triple)
        except InputError as error:
            return Refused(error.message)
        self._changes, self._moved = changes, planned.moved
        self._foreign.update(self._described_elsewhere(request, changes))
        wanted = Edits(_as_kept(planned.edits.inserted), _as_kept(planned.edits.deleted))
        return Executed(wanted, changes, self._followed(changes), tuple(graph.lookups), tuple(seen.lookups))

    def _planned(self, request: Execute, graph: Graph) -> ActionEdits:
        delta = None if request.delta is None else self._inward_delta(request.delta)
        planner = Planner(graph, self.repository.schema, request.lets, delta, MOST_EDITS)
        planned = planner.plan(request.action)
        if request.guard is not None:
            touched = (*planned.edits.inserted, *planned.edits.deleted)
            classes: dict[Term, list[Term]] = {t.subject: self._classes_of(t.subject) for t in touched}
            request.guard.check(touched, classes)
        return planned

    def _compensate(self, edits: Edits) -> Compensated | Refused:
        try:
            changes = self.repository.apply(edits, _WithForeign(self.repository, self._foreign))
        except SchemaViolation as error:
            return Refused(error.message, error.triple)
        return Compensated(changes, self._followed(changes))

    def _followed(self, changes: Changes) -> IndexChange:
        return self.index.follow(changes)

    def _classes_of(self, node: Term) -> list[Term]:
        return [triple.object for triple in self.repository.match(node, TYPE, None)]

    def _inward_classes(self, request: Execute) -> dict[Term, frozenset[NamedNode]]:
        return {inward(node, self.name): classes for node, classes in request.classes.items()}

    def _described_elsewhere(self, request: Execute, changes: Changes) -> dict[Term, frozenset[NamedNode]]:
        """Of the resources that came with their classes, those to which there are arcs now."""
        targets = {triple.object for triple in changes.edits.inserted}
        return {node: classes for node, classes in self._inward_classes(request).items() if node in targets}

    # Events

    def _detect(self, request: Detect) -> Detected:
        occurrences = EventOccurrences.by(self._changes, self._moved, self.repository.schema)
        now = RecordingGraph(self.repository)
        before = RecordingGraph(PreviousGraph(self.repository, self._changes))
        detection = Detection(occurrences, now, before)
        found = {query.rule: detection.deltas(query.event, query.lets) for query in request.queries}
        triggered = {rule: tuple(map(self._outward_delta, deltas)) for rule, deltas in found.items() if deltas}
        terms = {term for deltas in found.values() for delta in deltas for term in delta.values()}
        return Detected(triggered, self._outward_classes(terms), tuple({**now.lookups, **before.lookups}))

    def _outward_classes(self, terms: Iterable[Term]) -> Classes:
        """The classes of resources, now or before the last change: what was deleted had some."""
        before = PreviousGraph(self.repository, self._changes)
        resources = [term for term in terms if not isinstance(term, Literal)]
        found: dict[Term, frozenset[NamedNode]] = {}
        for node in resources:
            types = {t.object for graph in (self.repository, before) for t in graph.match(node, TYPE, None)}
            known = frozenset(cls for cls in types if isinstance(cls, NamedNode)) | self._foreign.get(node, frozenset())
            if known:
                found[outward(node, self.name)] = known
        return found

    def _inward_delta(self, delta: DeltaTerms) -> DeltaTerms:
        return {component: inward(term, self.name) for component, term in delta.items()}

    def _outward_delta(self, delta: DeltaTerms) -> DeltaTerms:
        return {component: outward(term, self.name) for component, term in delta.items()}

    # Sub-queries

    def _match(self, asked: Match) -> Matched:
        return Matched(asked.query, tuple(tuple(self._matching(lookup, asked)) for lookup in asked.lookups))

    def _matching(self, lookup: Lookup, asked: Match) -> Iterator[Triple]:
        subject = None if lookup.subject is None else inward(lookup.subject, self.name)
        target = None if lookup.target is None else inward(lookup.target, self.name)
        for triple in self.repository.match(subject, lookup.predicate, target):
            if asked.guard is None or self._is_open(triple, asked):
                yield outward_triple(triple, self.name)

    def _is_open(self, triple: Triple, asked: Match) -> bool:
        assert asked.guard is not None
        return asked.guard.of_triple(triple, self._classes_of(triple.subject)) >= Access.READ_ONLY


class _WithForeign:
    """A repository together with the classes of resources that other sites describe."""

    def __init__(self, graph: Graph, classes: Classes) -> None:
        self._graph = graph
        self._classes = classes

    def match(self, subject: Term | None, predicate: NamedNode | None, target: Term | None) -> Iterator[Triple]:
        yield from self._graph.match(subject, predicate, target)
        if predicate == TYPE and subject is not None and not isinstance(subject, Literal | Triple):
            for cls in self._classes.get(subject, ()):
                if target in (None, cls):
                    yield Triple(subject, TYPE, cls)

    def is_asserted(self, triple: Triple) -> bool:
        return self._graph.is_asserted(triple)

    def last_element(self, container: Term) -> int:
        return self._graph.last_element(container)


def _as_kept(triples: Iterable[Triple]) -> tuple[Triple, ...]:
    return tuple(dict.fromkeys(map(triple_as_kept, triples)))
