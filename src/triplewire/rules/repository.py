"""A repository: what was asserted, and the closure over the schema, kept up with each change.

It lives in a pyoxigraph store. The closure is one graph, the default one unless another is named, so that SPARQL
sees all that holds. Which of its triples hold only because others do is noted beside the store, where no query sees
it. Other graphs of the store may be edited along with it; the schema does not concern them. Edits are done whole or not
at all. Under an empty schema nothing has to conform, and nothing is derived.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from operator import attrgetter
from typing import TypeVar

from pyoxigraph import DefaultGraph, Quad, Store

from triplewire.algebra.derivations import Derivation
from triplewire.errors import SchemaViolation
from triplewire.languages.rdftl.syntax import Condition, Path
from triplewire.rdf.terms import Literal, NamedNode, Term, Triple
from triplewire.rules.changes import Changes, Edits, NamedEdits
from triplewire.rules.closure import Closure
from triplewire.rules.conformance import ArcConformance, Conformance
from triplewire.rules.containers import LastElements
from triplewire.rules.graphs import Graph, WithClasses
from triplewire.rules.literals import as_kept, triple_as_kept
from triplewire.rules.paths import Evaluation
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE

_TRIPLE = attrgetter("triple")
_Each = TypeVar("_Each", Triple, Quad)


class Repository:
    """A graph that conforms to a schema, with its closure.

    `elsewhere` are the classes of resources that are described elsewhere: arcs may lead to them. They are not in the
    graph.
    """

    def __init__(
        self,
        schema: Schema,
        store: Store | None = None,
        *,
        graph: NamedNode | DefaultGraph | None = None,
        elsewhere: Mapping[Term, frozenset[NamedNode]] | None = None,
    ) -> None:
        self.schema = schema
        self.elsewhere = dict(elsewhere or {})
        self.store = Store() if store is None else store
        self._graph = DefaultGraph() if graph is None else graph
        self._derived: set[Triple] = set()
        self._closure = Closure(schema)
        self._last_elements = LastElements()

    # Reading

    def match(self, subject: Term | None, predicate: NamedNode | None, target: Term | None) -> Iterator[Triple]:
        """The triples of the closure with these terms; None stands for any."""
        # No triple begins with a literal, and the store would call the question an error.
        if isinstance(subject, Literal | Triple):
            return iter(())
        return map(_TRIPLE, self.store.quads_for_pattern(subject, predicate, target, self._graph))

    def __contains__(self, triple: Triple) -> bool:
        return _quad(triple, self._graph) in self.store

    def __iter__(self) -> Iterator[Triple]:
        """Every triple of the closure."""
        return self.match(None, None, None)

    def is_asserted(self, triple: Triple) -> bool:
        """Whether the triple holds by itself."""
        return triple in self and triple not in self._derived

    def derivation(self, triple: Triple, graph: Graph | None = None) -> Derivation | None:
        """Why a triple holds here, or did in another state of the graph, by the schema; None if it does not."""
        return self._closure.derivation(triple, self if graph is None else graph)

    def last_element(self, container: Term) -> int:
        """The highest number in a container, 0 if it is empty."""
        return self._last_elements.of(container, self)

    @property
    def derived(self) -> frozenset[Triple]:
        """The triples of the closure that hold only because others do."""
        return frozenset(self._derived)

    @property
    def asserted(self) -> Iterator[Triple]:
        """Everything that was asserted: the closure follows from it."""
        return (triple for triple in self if triple not in self._derived)

    def nodes(self, path: Path) -> frozenset[Term]:
        """The nodes that a path without variables and `$delta` leads to."""
        return frozenset(Evaluation(self).nodes(path))

    def holds(self, condition: Condition) -> bool:
        """Whether a condition without variables and `$delta` holds."""
        return Evaluation(self).holds(condition)

    def fitting(self, triples: Iterable[Triple]) -> list[Triple]:
        """Those that may be asserted together: the schema has words for them, and their ends are what it wants.

        A class that one of them gives counts.
        """
        known = [triple for triple in map(triple_as_kept, triples) if self.schema.knows(triple)]
        if self.schema.is_empty:
            return known
        closed = [each for triple in known for each in self._closure.follows_from(triple)]
        arcs = ArcConformance(self.schema, _Listed(closed, self._described))
        return [triple for triple in known if self._fits(triple, arcs)]

    def _fits(self, triple: Triple, arcs: ArcConformance) -> bool:
        if triple.predicate == TYPE:
            return True
        try:
            for each in self._closure.follows_from(triple):
                arcs.check_arc(each)
        except SchemaViolation:
            return False
        return True

    @property
    def _described(self) -> Graph:
        return self._with_elsewhere(self)

    def _with_elsewhere(self, graph: Graph) -> Graph:
        return WithClasses(graph, self.elsewhere) if self.elsewhere else graph

    # Changing

    def apply(self, edits: Edits, seen: Graph | None = None) -> Changes:
        """Do the edits, and say what really changed. Raises `SchemaViolation` and changes nothing, if one breaks it.

        Whether they conform is looked up in `seen`, which may note on the way to the repository what was asked.
        """
        wanted = Edits(_kept(edits.inserted), _kept(edits.deleted), edits.named)
        if self.schema.is_empty:
            return self._done(wanted)
        conformance = Conformance(self.schema, self._with_elsewhere(self if seen is None else seen))
        conformance.arcs.check_names(wanted.inserted)
        changes = self._done(wanted)
        try:
            conformance.check(changes)
        except BaseException:
            self._done(changes.edits.reversed())
            raise
        return changes

    def load(self, triples: Iterable[Triple]) -> None:
        """Assert many triples at once: all of them, or none if they would not conform."""
        if next(self.match(None, None, None), None) is None:
            self._fill(_kept(triples))
        else:
            self.apply(Edits(inserted=tuple(triples)))

    def _fill(self, asserted: tuple[Triple, ...]) -> None:
        """Load into an empty repository, where nothing has to be asked of the store."""
        if self.schema.is_empty:
            self.store.bulk_extend(_quad(triple, self._graph) for triple in asserted)
            return
        Conformance(self.schema, self).arcs.check_names(asserted)
        closure = dict.fromkeys(asserted)
        for triple in asserted:
            if not self._closure.is_plain(triple):
                closure.update(dict.fromkeys(self._closure.follows_from(triple)))
        _check_all(self.schema, closure, self.elsewhere)
        known = frozenset(asserted)
        self.store.bulk_extend(_quad(triple, self._graph) for triple in closure)
        self._derived.update(triple for triple in closure if triple not in known)

    def _done(self, edits: Edits) -> Changes:
        if self.schema.is_empty:
            changes = self._done_plainly(edits)
            self._last_elements.follow(changes)
            return changes
        held: dict[Triple, bool] = {}
        deleted = tuple(triple for triple in edits.deleted if self._retract(triple, held))
        inserted = tuple(triple for triple in edits.inserted if self._assert(triple, held))
        now = {triple: self._settled(triple) for triple in held}
        changes = Changes(
            # What was deleted and inserted again has not changed.
            Edits(_without(inserted, deleted), _without(deleted, inserted), self._edit_named(edits.named)),
            tuple(triple for triple, before in held.items() if now[triple] and not before),
            tuple(triple for triple, before in held.items() if before and not now[triple]),
        )
        self._last_elements.follow(changes)
        return changes

    def _done_plainly(self, edits: Edits) -> Changes:
        """The same where nothing follows from anything: each triple is looked up once."""
        store, graph = self.store, self._graph
        gone: dict[Triple, Quad] = {}
        for triple in edits.deleted:
            quad = _quad(triple, graph)
            if quad in store:
                gone[triple] = quad
        come: dict[Triple, Quad] = {}
        for triple in edits.inserted:
            if gone.pop(triple, None) is None and (quad := _quad(triple, graph)) not in store:
                come[triple] = quad
        for quad in gone.values():
            store.remove(quad)
        store.extend(come.values())
        inserted, deleted = tuple(come), tuple(gone)
        return Changes(Edits(inserted, deleted, self._edit_named(edits.named)), inserted, deleted)

    def _edit_named(self, edits: NamedEdits) -> NamedEdits:
        if not edits:
            return edits
        deleted = tuple(quad for quad in _kept_quads(edits.deleted) if quad in self.store)
        for quad in deleted:
            self.store.remove(quad)
        inserted = tuple(quad for quad in _kept_quads(edits.inserted) if quad not in self.store)
        self.store.extend(inserted)
        # A graph is there as long as it holds something, and no longer.
        for name in {quad.graph_name for quad in deleted}:
            if next(self.store.quads_for_pattern(None, None, None, name), None) is None:
                self.store.remove_graph(name)
        return NamedEdits(_without(inserted, deleted), _without(deleted, inserted))

    def _retract(self, triple: Triple, held: dict[Triple, bool]) -> bool:
        if not self.is_asserted(triple):
            return False
        if self._closure.is_plain(triple):
            held.setdefault(triple, True)
            self.store.remove(_quad(triple, self._graph))
        else:
            self._remember(triple, held)
            self._derived.add(triple)
        return True

    def _assert(self, triple: Triple, held: dict[Triple, bool]) -> bool:
        if self.is_asserted(triple):
            return False
        if self._closure.is_plain(triple):
            held.setdefault(triple, False)
            self.store.add(_quad(triple, self._graph))
        else:
            self._remember(triple, held)
            self.store.add(_quad(triple, self._graph))
            self._derived.discard(triple)
        return True

    def _remember(self, triple: Triple, held: dict[Triple, bool]) -> None:
        for affected in self._closure.follows_from(triple):
            if affected not in held:
                held[affected] = affected in self

    def _settled(self, triple: Triple) -> bool:
        """Let a triple hold if an assertion makes it hold, and only then."""
        if self._closure.is_plain(triple):
            return triple in self
        if self.is_asserted(triple):
            return True
        holds = next(self._closure.implied_by(triple, self), None) is not None
        if holds:
            self.store.add(_quad(triple, self._graph))
            self._derived.add(triple)
        else:
            self.store.remove(_quad(triple, self._graph))
            self._derived.discard(triple)
        return holds


class _Listed:
    """The classes of nodes, out of a list of triples, and out of a graph if there is one."""

    def __init__(self, triples: Iterable[Triple], graph: Graph | None = None) -> None:
        self._graph = graph
        self._classes: dict[Term, set[Term]] = {}
        for triple in triples:
            if triple.predicate == TYPE:
                self._classes.setdefault(triple.subject, set()).add(triple.object)

    def of(self, node: Term) -> Iterable[Term]:
        listed = self._classes.get(node, set())
        return listed if self._graph is None else listed | {t.object for t in self._graph.match(node, TYPE, None)}

    def has(self, node: Term, cls: NamedNode) -> bool:
        return cls in self.of(node)


def _check_all(schema: Schema, triples: Iterable[Triple], elsewhere: Mapping[Term, frozenset[NamedNode]]) -> None:
    described = (Triple(node, TYPE, cls) for node, classes in elsewhere.items() for cls in classes)  # type: ignore[arg-type]
    arcs = ArcConformance(schema, _Listed(chain(triples, described)))
    for triple in triples:
        if triple.predicate != TYPE:
            arcs.check_arc(triple)


def _quad(triple: Triple, graph: NamedNode | DefaultGraph) -> Quad:
    return Quad(triple.subject, triple.predicate, triple.object, graph)


def _kept(triples: Iterable[Triple]) -> tuple[Triple, ...]:
    return tuple(dict.fromkeys(map(triple_as_kept, triples)))


def _kept_quads(quads: Iterable[Quad]) -> tuple[Quad, ...]:
    return tuple(dict.fromkeys(Quad(q.subject, q.predicate, as_kept(q.object), q.graph_name) for q in quads))


def _without(some: tuple[_Each, ...], others: tuple[_Each, ...]) -> tuple[_Each, ...]:
    if not some or not others:
        return some
    left_out = frozenset(others)
    return tuple(each for each in some if each not in left_out)
