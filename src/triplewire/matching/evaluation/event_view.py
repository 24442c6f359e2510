"""One event, made ready to be asked: its triples found by any combination of positions.

A view is built once per event and shared by every subscription that looks at it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.evaluation.datasets import Graph, GraphName
from triplewire.rdf.events import Event
from triplewire.rdf.terms import RDF, DefaultGraph, NamedNode, Quad, Term

# The terms of a triple.
Row = tuple[Term, Term, Term]
# A key is subject, predicate and object, with None where anything may stand.
Key = tuple[Term | None, Term | None, Term | None]
# Which positions of a key are given.
Mask = tuple[bool, bool, bool]

_TYPE = RDF["type"]
# Up to so many triples are looked through one by one.
_FEW = 32
_NOTHING: tuple[Row, ...] = ()


class EventView:
    """The triples of an event behind an index that grows with the questions, and the taxonomy to read them by."""

    def __init__(self, graph: NamedNode, rows: Sequence[Row], taxonomy: Taxonomy = EMPTY) -> None:
        self.graph = graph
        self.rows = tuple(rows)
        self.taxonomy = taxonomy
        self._is_small = len(self.rows) <= _FEW
        self._indexes: dict[Mask, Mapping[Key, Sequence[Row]]] = {}

    @classmethod
    def of(cls, event: Event, taxonomy: Taxonomy = EMPTY) -> EventView:
        """The view of an event. Taking a triple apart makes new objects each time, so it is done once."""
        return cls(event.graph, [(t.subject, t.predicate, t.object) for t in event.triples], taxonomy)

    def matching(self, key: Key) -> Sequence[Row]:
        """The triples that have the key's terms in its positions, in the event's order."""
        mask = mask_of(key)
        if not any(mask):
            return self.rows
        return self.index(mask).get(key, _NOTHING)

    def match(
        self, subject: Term | None, predicate: Term | None, obj: Term | None, graph: Graph | None
    ) -> Iterable[Quad]:
        """As a dataset: the default graph and the one named graph hold the same triples. A row of terms is a quad."""
        is_named = graph is None or not isinstance(graph, DefaultGraph)
        if is_named and graph is not None and graph != self.graph:
            return ()
        found = self._few(subject, predicate, obj) if self._is_small else self.matching((subject, predicate, obj))
        return [(*row, self.graph) for row in found] if is_named else found  # type: ignore[return-value,misc]

    def named_graphs(self) -> Iterable[GraphName]:
        return (self.graph,)

    def _few(self, subject: Term | None, predicate: Term | None, obj: Term | None) -> Sequence[Row]:
        """Looking at the few rows of a predicate takes less than one more index."""
        rows = self.rows if predicate is None else self._by_predicate.get(predicate, _NOTHING)
        if subject is None:
            return rows if obj is None else [row for row in rows if row[2] == obj]
        if obj is None:
            return [row for row in rows if row[0] == subject]
        return [row for row in rows if row[2] == obj and row[0] == subject]

    @cached_property
    def _by_predicate(self) -> Mapping[Term, Sequence[Row]]:
        found: dict[Term, list[Row]] = defaultdict(list)
        for row in self.rows:
            found[row[1]].append(row)
        return found

    def index(self, mask: Mask) -> Mapping[Key, Sequence[Row]]:
        """The triples by their terms in the masked positions."""
        if mask not in self._indexes:
            grouped: dict[Key, list[Row]] = defaultdict(list)
            for row in self.rows:
                grouped[key_of(row, mask)].append(row)
            self._indexes[mask] = dict(grouped)
        return self._indexes[mask]

    @cached_property
    def types(self) -> Mapping[Term, frozenset[Term]]:
        """What the event itself says about the rdf:type of its nodes."""
        types: dict[Term, set[Term]] = defaultdict(set)
        for node, _, cls in self.matching((None, _TYPE, None)):
            types[node].add(cls)
        return {node: frozenset(classes) for node, classes in types.items()}


def mask_of(key: Key) -> Mask:
    return key[0] is not None, key[1] is not None, key[2] is not None


def key_of(row: Row, mask: Mask) -> Key:
    return row[0] if mask[0] else None, row[1] if mask[1] else None, row[2] if mask[2] else None
