"""The taxonomy in the kernel: sorted lists of ancestors, and the event's own rdf:type triples on top.

A node's list is looked up by its bytes once an event, and only in events that reach a row about classes. The lists do
not mention subscriptions, so a new version of the taxonomy replaces them and leaves every index as it is.
"""

from __future__ import annotations

from triplewire.matching.kernels import columns, layout
from triplewire.matching.kernels.bytetable import find_entry
from triplewire.matching.kernels.layout import NOBODY
from triplewire.matching.kernels.machine import Table, fused
from triplewire.matching.kernels.search.term_numbers import term_span
from triplewire.matching.kernels.structures import EventBatch, Lineage, SegmentArrays, Words, Workspace

UNRESOLVED = -2
_OBJECT = 2


@fused
def node_of(batch: EventBatch, lineage: Lineage, workspace: Workspace, base: int, term: int) -> int:
    """The taxonomy's number for a term of the event, or NOBODY."""
    if workspace.nodes[term] == UNRESOLVED:
        start, end, key = term_span(batch, batch.origins[base + term])
        workspace.nodes[term] = find_entry(lineage.nodes, batch.buffer, start, end, key)
    return int(workspace.nodes[term])


@fused
def _among(starts: Table, members: Words, node: int, wanted: int) -> bool:
    """Binary search in one node's sorted list."""
    if node < 0 or wanted < 0:
        return False
    low, high = starts[node], starts[node + 1]
    while low < high:
        middle = (low + high) >> 1
        if members[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return bool(low < starts[node + 1] and members[low] == wanted)


@fused
def class_holds(
    batch: EventBatch,
    segment: SegmentArrays,
    lineage: Lineage,
    workspace: Workspace,
    base: int,
    term: int,
    cls: int,
    relation: int,
) -> bool:
    """Whether a term stands to the class in the relation. Literals never do."""
    origin = batch.origins[base + term]
    if origin & 3 == _OBJECT and batch.quads[origin >> 2, columns.OBJECT_KIND] > columns.BLANK:
        return False
    class_node = lineage.of_constant[cls]
    if relation == layout.ANCESTOR_OF:
        return _is_descendant_of_term(batch, lineage, workspace, base, cls, class_node, term)
    node = node_of(batch, lineage, workspace, base, term)
    if relation == layout.IS_A:
        if _among(lineage.ancestor_starts, lineage.ancestors, node, class_node):
            return True
        return _typed_below(batch, lineage, workspace, base, term, cls, class_node)
    if relation == layout.DIRECT_OR_SAME and (class_node < 0 or not lineage.known[class_node]):
        return bool(workspace.constants[term] == cls)
    if _among(lineage.parent_starts, lineage.parents, node, class_node):
        return True
    return _typed_as(batch, lineage, workspace, base, term, cls)


@fused
def first_type(batch: EventBatch, lineage: Lineage, workspace: Workspace, base: int) -> int:
    """The first quad of the event whose predicate is rdf:type, or NOBODY; the others follow by `nexts`."""
    constant = lineage.type_constant[0]
    if constant < 0 or workspace.stamps[constant] != workspace.serial[0]:
        return NOBODY
    return int(batch.heads[base + workspace.places[constant]])


@fused
def _typed_as(batch: EventBatch, lineage: Lineage, workspace: Workspace, base: int, term: int, cls: int) -> bool:
    quad = first_type(batch, lineage, workspace, base)
    while quad >= 0:
        if batch.terms[3 * quad] == term and workspace.constants[batch.terms[3 * quad + _OBJECT]] == cls:
            return True
        quad = batch.nexts[quad]
    return False


@fused
def _typed_below(
    batch: EventBatch, lineage: Lineage, workspace: Workspace, base: int, term: int, cls: int, class_node: int
) -> bool:
    quad = first_type(batch, lineage, workspace, base)
    while quad >= 0:
        if batch.terms[3 * quad] == term:
            kind = batch.terms[3 * quad + _OBJECT]
            if workspace.constants[kind] == cls:
                return True
            if _among(lineage.super_starts, lineage.supers, node_of(batch, lineage, workspace, base, kind), class_node):
                return True
        quad = batch.nexts[quad]
    return False


@fused
def _is_descendant_of_term(
    batch: EventBatch, lineage: Lineage, workspace: Workspace, base: int, cls: int, class_node: int, term: int
) -> bool:
    """isA(cls, term): the class is a constant, which the event may type too."""
    node = node_of(batch, lineage, workspace, base, term)
    if _among(lineage.ancestor_starts, lineage.ancestors, class_node, node):
        return True
    quad = first_type(batch, lineage, workspace, base)
    while quad >= 0:
        if workspace.constants[batch.terms[3 * quad]] == cls:
            kind = batch.terms[3 * quad + _OBJECT]
            if kind == term:
                return True
            if _among(lineage.super_starts, lineage.supers, node_of(batch, lineage, workspace, base, kind), node):
                return True
        quad = batch.nexts[quad]
    return False
