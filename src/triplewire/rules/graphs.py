"""Graphs: the little that rules need from a repository, and three ways to look at one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from msgspec import Struct

from triplewire.rdf.terms import BlankNode, NamedNode, Term, Triple
from triplewire.rules.changes import Changes, Triples
from triplewire.rules.vocabulary import TYPE, number_of

Node = NamedNode | BlankNode
_FEW = 8


class Graph(Protocol):
    """Triples that can be looked up. `match` gives those with the terms that are not None."""

    def match(self, subject: Term | None, predicate: NamedNode | None, target: Term | None) -> Iterable[Triple]: ...

    def is_asserted(self, triple: Triple) -> bool: ...

    def last_element(self, container: Term) -> int: ...


class PreviousGraph:
    """A graph as it was before the last changes to it."""

    def __init__(self, graph: Graph, changes: Changes) -> None:
        self._graph = graph
        self._gone = _ByEnds(changes.deleted)
        self._new = frozenset(changes.inserted)
        self._edits = changes.edits

    def match(self, subject: Term | None, predicate: NamedNode | None, target: Term | None) -> Iterator[Triple]:
        yield from (triple for triple in self._graph.match(subject, predicate, target) if triple not in self._new)
        yield from self._gone.match(Lookup(subject, predicate, target))

    def is_asserted(self, triple: Triple) -> bool:
        if triple in self._edits.deleted:
            return True
        return triple not in self._edits.inserted and self._graph.is_asserted(triple)

    def last_element(self, container: Term) -> int:
        numbers = (number_of(triple.predicate) for triple in self.match(container, None, None))
        return max((number for number in numbers if number is not None), default=0)


class _ByEnds:
    """Triples to be looked up by their subjects or objects."""

    def __init__(self, triples: Triples) -> None:
        self._triples = triples
        self._by_subject: dict[Term, list[Triple]] = {}
        self._by_target: dict[Term, list[Triple]] = {}

    def match(self, lookup: Lookup) -> Iterator[Triple]:
        return (triple for triple in self._near(lookup) if lookup.includes(triple))

    def _near(self, lookup: Lookup) -> Iterable[Triple]:
        if len(self._triples) <= _FEW or (lookup.subject is None and lookup.target is None):
            return self._triples
        if not self._by_subject:
            for triple in self._triples:
                self._by_subject.setdefault(triple.subject, []).append(triple)
                self._by_target.setdefault(triple.object, []).append(triple)
        if lookup.subject is not None:
            return self._by_subject.get(lookup.subject, ())
        return self._by_target.get(lookup.target, ())  # type: ignore[arg-type]


class Lookup(Struct, frozen=True):
    """What was asked of a graph: the triples with the terms that are not None."""

    subject: Term | None
    predicate: NamedNode | None
    target: Term | None

    def includes(self, triple: Triple) -> bool:
        """Whether the triple is among the answers, where it holds."""
        return (
            (self.subject is None or self.subject == triple.subject)
            and (self.predicate is None or self.predicate == triple.predicate)
            and (self.target is None or self.target == triple.object)
        )


class WithClasses:
    """A graph together with classes of resources that are described elsewhere."""

    def __init__(self, graph: Graph, classes: Mapping[Term, frozenset[NamedNode]]) -> None:
        self._graph = graph
        self._classes = classes

    def match(self, subject: Term | None, predicate: NamedNode | None, target: Term | None) -> Iterator[Triple]:
        yield from self._graph.match(subject, predicate, target)
        if predicate == TYPE and isinstance(subject, Node):
            for cls in self._classes.get(subject, ()):
                if target in (None, cls):
                    yield Triple(subject, TYPE, cls)

    def is_asserted(self, triple: Triple) -> bool:
        return self._graph.is_asserted(triple)

    def last_element(self, container: Term) -> int:
        return self._graph.last_element(container)


class RecordingGraph:
    """A graph that records what was asked of it: a unit that reads from it depends on the answers."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.lookups: dict[Lookup, None] = {}

    def match(self, subject: Term | None, predicate: NamedNode | None, target: Term | None) -> Iterable[Triple]:
        self.lookups[Lookup(subject, predicate, target)] = None
        return self._graph.match(subject, predicate, target)

    def is_asserted(self, triple: Triple) -> bool:
        self.lookups[Lookup(triple.subject, triple.predicate, triple.object)] = None
        return self._graph.is_asserted(triple)

    def last_element(self, container: Term) -> int:
        self.lookups[Lookup(container, None, None)] = None
        return self._graph.last_element(container)
