"""A taxonomy as arrays, and as one segment's constants see it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from msgspec import Struct

from triplewire.algebra.taxonomy import Taxonomy
from triplewire.matching.kernels.bytetable import ByteTable, arena_of, find, find_entry, table_of
from triplewire.matching.kernels.hashing import hash_span, word
from triplewire.matching.kernels.layout import NOBODY
from triplewire.matching.kernels.machine import Table, kernel
from triplewire.matching.kernels.structures import Flags, Lineage, Words
from triplewire.rdf.terms import RDF, NamedNode

_TYPE = str(RDF["type"]).encode()


class Lists(Struct, frozen=True, eq=False):
    """One sorted list of nodes for each node."""

    starts: Table
    members: Words


class TaxonomyArrays(Struct, frozen=True, eq=False):
    """What the kernels need to know of a taxonomy, whatever the segment."""

    nodes: ByteTable
    known: Flags
    ancestors: Lists
    supers: Lists
    parents: Lists
    seed: int


def taxonomy_arrays(taxonomy: Taxonomy, seed: int) -> TaxonomyArrays:
    """Number the taxonomy's nodes and list what each stands under."""
    nodes = sorted(taxonomy.nodes, key=str)
    number = {node: index for index, node in enumerate(nodes)}
    arena, offsets = arena_of([str(node).encode() for node in nodes])

    def lists(above: Callable[[NamedNode], Iterable[NamedNode]]) -> Lists:
        return _lists([sorted(number[other] for other in above(node)) for node in nodes])

    return TaxonomyArrays(
        nodes=table_of(arena, offsets, word(seed)),
        known=np.array([taxonomy.knows(node) for node in nodes], np.uint8),
        ancestors=lists(taxonomy.ancestors),
        supers=lists(taxonomy.superclasses),
        parents=lists(lambda node: taxonomy.parents(node) | taxonomy.types(node)),
        seed=word(seed),
    )


def _lists(rows: list[list[int]]) -> Lists:
    starts = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    return Lists(starts, np.array([member for row in rows for member in row], np.int32))


def lineage_of(taxonomy: TaxonomyArrays, constants: ByteTable) -> Lineage:
    """The taxonomy as a segment with these constants sees it. Costs the segment nothing but this: its index stays."""
    to_constant = _to_constants(taxonomy.nodes, constants)
    of_constant = np.full(constants.hashes.size, NOBODY, np.int32)
    shared = np.flatnonzero(to_constant >= 0)
    of_constant[to_constant[shared]] = shared
    buffer = np.frombuffer(_TYPE, np.uint8)
    type_constant = find(constants, buffer, 0, len(_TYPE), hash_span(buffer, 0, len(_TYPE), taxonomy.seed))
    return Lineage(
        taxonomy.nodes,
        taxonomy.known,
        taxonomy.ancestors.starts,
        taxonomy.ancestors.members,
        taxonomy.supers.starts,
        taxonomy.supers.members,
        taxonomy.parents.starts,
        taxonomy.parents.members,
        of_constant,
        to_constant,
        np.array([type_constant], np.int32),
    )


@kernel
def _to_constants(nodes: ByteTable, constants: ByteTable) -> Words:
    found = np.empty(nodes.hashes.size, np.int32)
    for node in range(found.size):
        found[node] = find_entry(
            constants, nodes.arena, nodes.offsets[node], nodes.offsets[node + 1], nodes.hashes[node]
        )
    return found
