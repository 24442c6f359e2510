"""One event, made ready to be asked: its triples found by any combination of positions.

A view is built once per event and shared by every subscription that looks at it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.rdf.events import Event
from triplewire.rdf.terms import RDF, NamedNode, Term, Triple

# A key is subject, predicate and object, with None where anything may stand.
Key = tuple[Term | None, Term | None, Term | None]
# Which positions of a key are given.
Mask = tuple[bool, bool, bool]

_TYPE = RDF["type"]
_NOTHING: tuple[Triple, ...] = ()


class EventView:
    """The triples of an event behind an index that grows with the questions, and the taxonomy to read them by."""

    def __init__(self, event: Event, taxonomy: Taxonomy = EMPTY) -> None:
        self.event = event
        self.taxonomy = taxonomy
        self.graph: NamedNode = event.graph
        self.triples: tuple[Triple, ...] = tuple(event.triples)
        self._indexes: dict[Mask, Mapping[Key, Sequence[Triple]]] = {}

    def matching(self, key: Key) -> Sequence[Triple]:
        """The triples that have the key's terms in its positions, in the event's order."""
        mask = mask_of(key)
        if not any(mask):
            return self.triples
        return self.index(mask).get(key, _NOTHING)

    def index(self, mask: Mask) -> Mapping[Key, Sequence[Triple]]:
        """The triples by their terms in the masked positions."""
        if mask not in self._indexes:
            grouped: dict[Key, list[Triple]] = defaultdict(list)
            for triple in self.triples:
                grouped[key_of(triple, mask)].append(triple)
            self._indexes[mask] = dict(grouped)
        return self._indexes[mask]

    @cached_property
    def types(self) -> Mapping[Term, frozenset[Term]]:
        """What the event itself says about the rdf:type of its nodes."""
        types: dict[Term, set[Term]] = defaultdict(set)
        for triple in self.matching((None, _TYPE, None)):
            types[triple.subject].add(triple.object)
        return {node: frozenset(classes) for node, classes in types.items()}

    @cached_property
    def nodes(self) -> frozenset[Term]:
        """Every term that stands as a subject or an object."""
        return frozenset(term for triple in self.triples for term in (triple.subject, triple.object))


def mask_of(key: Key) -> Mask:
    return key[0] is not None, key[1] is not None, key[2] is not None


def key_of(triple: Triple, mask: Mask) -> Key:
    return (
        triple.subject if mask[0] else None,
        triple.predicate if mask[1] else None,
        triple.object if mask[2] else None,
    )
