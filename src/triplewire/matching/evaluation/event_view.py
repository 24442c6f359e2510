"""One event, made ready to be asked: its triples found by any combination of positions.

A view is built once per event and shared by every subscription that looks at it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.rdf.events import Event
from triplewire.rdf.terms import RDF, NamedNode, Term

# The terms of a triple.
Row = tuple[Term, Term, Term]
# A key is subject, predicate and object, with None where anything may stand.
Key = tuple[Term | None, Term | None, Term | None]
# Which positions of a key are given.
Mask = tuple[bool, bool, bool]

_TYPE = RDF["type"]
_NOTHING: tuple[Row, ...] = ()


class EventView:
    """The triples of an event behind an index that grows with the questions, and the taxonomy to read them by."""

    def __init__(self, event: Event, taxonomy: Taxonomy = EMPTY) -> None:
        self.event = event
        self.taxonomy = taxonomy
        self.graph: NamedNode = event.graph
        # Taking a triple apart makes new objects each time, so it is done once.
        self.rows: tuple[Row, ...] = tuple((t.subject, t.predicate, t.object) for t in event.triples)
        self._indexes: dict[Mask, Mapping[Key, Sequence[Row]]] = {}

    def matching(self, key: Key) -> Sequence[Row]:
        """The triples that have the key's terms in its positions, in the event's order."""
        mask = mask_of(key)
        if not any(mask):
            return self.rows
        return self.index(mask).get(key, _NOTHING)

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

    @cached_property
    def nodes(self) -> frozenset[Term]:
        """Every term that stands as a subject or an object."""
        return frozenset(term for subject, _, obj in self.rows for term in (subject, obj))


def mask_of(key: Key) -> Mask:
    return key[0] is not None, key[1] is not None, key[2] is not None


def key_of(row: Row, mask: Mask) -> Key:
    return row[0] if mask[0] else None, row[1] if mask[1] else None, row[2] if mask[2] else None
