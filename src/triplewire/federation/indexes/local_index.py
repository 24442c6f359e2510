"""A peer's annotated schema (section 3.1): for each class and property, whether the peer has data of it.

The paper calls this a bit for each node of the schema. It follows from counts, which each change to the repository
moves, so that the last instance that goes clears the bit. With the bits go the resources that the data is about: they
are what the super-peer's resource index is made of. Elements of containers count as one property.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeVar

from msgspec import Struct

from triplewire.rdf.terms import NamedNode, Triple
from triplewire.rules.changes import Changes
from triplewire.rules.vocabulary import MEMBERSHIP, TYPE, number_of

Nodes = frozenset[NamedNode]
Reference = tuple[NamedNode, NamedNode]
"""A class or property, and a resource that data of it is about."""

_Key = TypeVar("_Key")


class IndexChange(Struct, frozen=True):
    """How a peer's annotated schema has changed: bits that were set and cleared, references that came and went."""

    grown: Nodes = frozenset()
    shrunk: Nodes = frozenset()
    referenced: frozenset[Reference] = frozenset()
    dropped: frozenset[Reference] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.grown or self.shrunk or self.referenced or self.dropped)


class LocalIndex:
    """The bits and references of one peer, as counts of the triples behind them."""

    def __init__(self, triples: Iterable[Triple] = ()) -> None:
        self._nodes: Counter[NamedNode] = Counter()
        self._references: Counter[Reference] = Counter()
        self.follow(Changes(inserted=tuple(triples)))

    @property
    def nodes(self) -> Nodes:
        """The classes and properties of which there is data."""
        return frozenset(self._nodes)

    @property
    def references(self) -> frozenset[Reference]:
        return frozenset(self._references)

    def since(self, before: LocalIndex) -> IndexChange:
        """What is other here than in an index of before."""
        return IndexChange(
            self.nodes - before.nodes,
            before.nodes - self.nodes,
            self.references - before.references,
            before.references - self.references,
        )

    def follow(self, changes: Changes) -> IndexChange:
        """Follow a change to the repository's closure."""
        nodes: dict[NamedNode, bool] = {}
        references: dict[Reference, bool] = {}
        for triples, by in ((changes.deleted, -1), (changes.inserted, 1)):
            for triple in triples:
                node = node_of(triple)
                if node is not None:
                    _count(self._nodes, node, by, nodes)
                    for resource in _resources(triple):
                        _count(self._references, (node, resource), by, references)
        grown, shrunk = _moved(self._nodes, nodes)
        return IndexChange(grown, shrunk, *_moved(self._references, references))


def node_of(triple: Triple) -> NamedNode | None:
    """The class of an rdf:type triple, the property of another one; rdf:_n are one property."""
    if triple.predicate == TYPE:
        return triple.object if isinstance(triple.object, NamedNode) else None
    return MEMBERSHIP if number_of(triple.predicate) is not None else triple.predicate


def _resources(triple: Triple) -> Iterator[NamedNode]:
    """What a triple is about: a blank node nobody else can name."""
    if isinstance(triple.subject, NamedNode):
        yield triple.subject
    if isinstance(triple.object, NamedNode) and triple.predicate != TYPE and triple.object != triple.subject:
        yield triple.object


def _count(counts: Counter[_Key], key: _Key, by: int, was_there: dict[_Key, bool]) -> None:
    """Count, and note of each key that is touched whether it was there before."""
    was_there.setdefault(key, key in counts)
    counts[key] += by
    if not counts[key]:
        del counts[key]


def _moved(counts: Counter[_Key], was_there: dict[_Key, bool]) -> tuple[frozenset[_Key], frozenset[_Key]]:
    """Of what was touched: what is there now and was not, and what was and is no more."""
    came = frozenset(key for key, before in was_there.items() if key in counts and not before)
    return came, frozenset(key for key, before in was_there.items() if before and key not in counts)
