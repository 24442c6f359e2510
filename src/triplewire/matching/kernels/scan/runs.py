"""From rows to events: a run of rows with one graph is an event, and in it a quad counts once.

A graph that comes again after another one is a new run, and so an event of its own.
"""

from __future__ import annotations

import numpy as np

from triplewire.matching.kernels.columns import (
    BROKEN,
    DUPLICATE,
    END,
    EVENT_FIRST,
    EVENT_GRAPH,
    EVENT_LAST,
    EVENT_LINE,
    EVENT_REJECTED,
    FRESH,
    HASH,
    QUAD_EVENT,
    QUAD_LINE,
    QUAD_STATE,
    START,
    G,
    O,
    P,
    S,
)
from triplewire.matching.kernels.hashing import same_bytes
from triplewire.matching.kernels.machine import Bytes, Table, inner, kernel

# Up to here, comparing every pair of rows is faster than a hash table.
_FEW = 24


@kernel
def group_runs(buffer: Bytes, quads: Table, rows: int, events: Table) -> int:
    """Fill a row for each event and mark duplicate quads; how many events there are."""
    count = 0
    for row in range(rows):
        count = add_row(buffer, quads, row, events, count)
    close_event(buffer, quads, events, count)
    return count


@inner
def add_row(buffer: Bytes, quads: Table, row: int, events: Table, count: int) -> int:
    """Put one more row into the last event, or into a new one; how many events there are now."""
    if row == 0 or not _same_graph(buffer, quads, row - 1, row):
        close_event(buffer, quads, events, count)
        _open_event(quads, row, events, count)
        count += 1
    quads[row, QUAD_EVENT] = count - 1
    events[count - 1, EVENT_LAST] = row + 1
    if quads[row, QUAD_STATE] == BROKEN:
        events[count - 1, EVENT_REJECTED] = 1
    return count


@inner
def close_event(buffer: Bytes, quads: Table, events: Table, count: int) -> None:
    """Mark duplicates in the last of `count` events, while its rows are still in the processor's cache."""
    if count > 0:
        _mark_duplicates(buffer, quads, events[count - 1, EVENT_FIRST], events[count - 1, EVENT_LAST])


@inner
def _open_event(quads: Table, row: int, events: Table, event: int) -> None:
    events[event, EVENT_GRAPH + START] = quads[row, G + START]
    events[event, EVENT_GRAPH + END] = quads[row, G + END]
    events[event, EVENT_GRAPH + HASH] = quads[row, G + HASH]
    events[event, EVENT_FIRST] = row
    events[event, EVENT_LINE] = quads[row, QUAD_LINE]
    events[event, EVENT_REJECTED] = 0


@inner
def _same_graph(buffer: Bytes, quads: Table, a: int, b: int) -> bool:
    """A broken line without a graph has an empty span, and is no event's."""
    return quads[a, G + END] > quads[a, G + START] and _same_term(buffer, quads, a, b, G)


@inner
def _same_term(buffer: Bytes, quads: Table, a: int, b: int, term: int) -> bool:
    """Whether two rows have one term in a position; hashes only save the comparison where they differ."""
    start, other = quads[a, term + START], quads[b, term + START]
    length = quads[a, term + END] - start
    if quads[a, term + HASH] != quads[b, term + HASH] or quads[b, term + END] - other != length:
        return False
    return same_bytes(buffer, start, buffer, other, length)


@inner
def _same_triple(buffer: Bytes, quads: Table, a: int, b: int) -> bool:
    if not _same_term(buffer, quads, a, b, O):
        return False
    return _same_term(buffer, quads, a, b, P) and _same_term(buffer, quads, a, b, S)


@inner
def _mark_duplicates(buffer: Bytes, quads: Table, first: int, last: int) -> None:
    """Mark every row of one event that repeats an earlier one."""
    if last - first > _FEW:
        _mark_duplicates_of_many(buffer, quads, first, last)
        return
    for row in range(first + 1, last):
        for earlier in range(first, row):
            if _repeats(buffer, quads, earlier, row):
                quads[row, QUAD_STATE] = DUPLICATE
                break


@inner
def _repeats(buffer: Bytes, quads: Table, earlier: int, row: int) -> bool:
    # The object tells most rows apart.
    return (
        quads[row, O + HASH] == quads[earlier, O + HASH]
        and quads[row, QUAD_STATE] == FRESH
        and quads[earlier, QUAD_STATE] == FRESH
        and _same_triple(buffer, quads, earlier, row)
    )


@inner
def _mark_duplicates_of_many(buffer: Bytes, quads: Table, first: int, last: int) -> None:
    size = 64
    while size < 2 * (last - first):
        size *= 2
    slots = np.full(size, -1, np.int64)
    for row in range(first, last):
        if quads[row, QUAD_STATE] == FRESH:
            _enter(buffer, quads, row, slots)


@inner
def _enter(buffer: Bytes, quads: Table, row: int, slots: Table) -> None:
    """Open addressing by a mix of the three hashes; the hashes are seeded, so nobody can aim at one slot."""
    mask = len(slots) - 1
    slot = (quads[row, S + HASH] ^ (quads[row, P + HASH] >> 7) ^ (quads[row, O + HASH] >> 15)) & mask
    while slots[slot] >= 0:
        if _same_triple(buffer, quads, slots[slot], row):
            quads[row, QUAD_STATE] = DUPLICATE
            return
        slot = (slot + 1) & mask
    slots[slot] = row
