"""Number the terms of each event: equal terms, equal numbers, so that a join compares integers.

Term 0 is the event's own IRI. Quads of one predicate are chained, so that a pattern with a constant predicate visits
only those.
"""

from __future__ import annotations

import numpy as np

from triplewire.matching.kernels.bytetable import slot_count
from triplewire.matching.kernels.columns import (
    END,
    EVENT_FIRST,
    EVENT_LAST,
    EVENT_REJECTED,
    FRESH,
    HASH,
    QUAD_STATE,
    START,
    G,
    O,
    P,
    S,
)
from triplewire.matching.kernels.hashing import same_bytes
from triplewire.matching.kernels.machine import Bytes, Floats, Table, fused, lean
from triplewire.matching.kernels.structures import EventBatch

_TERM_BITS = 32
_TERM_MASK = (1 << _TERM_BITS) - 1


def localise(buffer: Bytes, quads: Table, numbers: Floats, events: Table) -> EventBatch:
    """Number the terms of a scanned batch."""
    most = most_quads(events)
    batch = EventBatch(
        buffer,
        quads,
        numbers,
        events,
        terms=np.empty(3 * len(quads), np.int32),
        first_term=np.zeros(len(events) + 1, np.int64),
        origins=np.empty(3 * len(quads) + len(events), np.int64),
        heads=np.empty(3 * len(quads) + len(events), np.int32),
        nexts=np.empty(len(quads), np.int32),
    )
    _localise(batch, np.zeros(slot_count(3 * most + 1), np.int64))
    return batch


def most_quads(events: Table) -> int:
    """The number of quads of the largest event."""
    if len(events) == 1:
        return int(events[0, EVENT_LAST] - events[0, EVENT_FIRST])
    return int((events[:, EVENT_LAST] - events[:, EVENT_FIRST]).max(initial=0))


@fused
def term_span(batch: EventBatch, origin: int) -> tuple[int, int, int]:
    """Start, end and hash of the term that stands at an origin."""
    quad, column = origin >> 2, 3 * (origin & 3)
    return batch.quads[quad, column + START], batch.quads[quad, column + END], batch.quads[quad, column + HASH]


@lean
def _localise(batch: EventBatch, slots: Table) -> None:
    total = 0
    for event in range(len(batch.events)):
        batch.first_term[event] = total
        if not batch.events[event, EVENT_REJECTED]:
            total += _number_event(batch, event, total, slots)
    batch.first_term[len(batch.events)] = total


@fused
def _number_event(batch: EventBatch, event: int, base: int, slots: Table) -> int:
    first = batch.events[event, EVENT_FIRST]
    count = _number_at(batch, event, base, 0, slots, first, G)[1]
    subject = -1
    for quad in range(first, batch.events[event, EVENT_LAST]):
        if batch.quads[quad, QUAD_STATE] != FRESH:
            continue
        # Events are mostly about one thing: its term is the one just seen.
        if subject < 0 or not _same_term(batch, quad, S, first, S):
            subject, count = _number_at(batch, event, base, count, slots, quad, S)
        predicate, count = _number_at(batch, event, base, count, slots, quad, P)
        thing, count = _number_at(batch, event, base, count, slots, quad, O)
        batch.terms[3 * quad], batch.terms[3 * quad + 1], batch.terms[3 * quad + 2] = subject, predicate, thing
        batch.nexts[quad] = batch.heads[base + predicate]
        batch.heads[base + predicate] = quad
        first = quad
    return count


@fused
def _same_term(batch: EventBatch, quad: int, column: int, other: int, other_column: int) -> bool:
    if batch.quads[quad, column + HASH] != batch.quads[other, other_column + HASH]:
        return False
    start, other_start = batch.quads[quad, column + START], batch.quads[other, other_column + START]
    length = batch.quads[quad, column + END] - start
    if length != batch.quads[other, other_column + END] - other_start:
        return False
    return same_bytes(batch.buffer, start, batch.buffer, other_start, length)


@fused
def _number_at(
    batch: EventBatch, event: int, base: int, count: int, slots: Table, quad: int, column: int
) -> tuple[int, int]:
    """The number of the term in a column of a quad, and how many terms there are now."""
    start, end, key = batch.quads[quad, column], batch.quads[quad, column + END], batch.quads[quad, column + HASH]
    mask = slots.size - 1
    at = key & mask
    stamp = event + 1
    while slots[at] >> _TERM_BITS == stamp:
        term = slots[at] & _TERM_MASK
        other_start, other_end, other_key = term_span(batch, batch.origins[base + term])
        alike = other_key == key and other_end - other_start == end - start
        if alike and same_bytes(batch.buffer, start, batch.buffer, other_start, end - start):
            return term, count
        at = (at + 1) & mask
    slots[at] = (stamp << _TERM_BITS) | count
    batch.origins[base + count] = (quad << 2) | (column // 3)
    batch.heads[base + count] = -1
    return count, count + 1
