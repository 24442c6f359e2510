"""From an anchor to candidates: its groups, and the entries in them whose guards the event meets."""

from __future__ import annotations

import numpy as np

from triplewire.matching.kernels import columns, layout
from triplewire.matching.kernels.columns import EVENT_FIRST, EVENT_LAST
from triplewire.matching.kernels.index.anchor_keys import key_slot
from triplewire.matching.kernels.layout import NOBODY
from triplewire.matching.kernels.machine import fused
from triplewire.matching.kernels.scan.datatypes import FLOAT
from triplewire.matching.kernels.structures import AnchorIndex, EventBatch, Workspace

LARGE_DIRECTORY = 32
_SINGLE_STEP = 1e-6


@fused
def anchor_of(index: AnchorIndex, key: int) -> int:
    mask = index.slots.size - 1
    at = key_slot(key, mask)
    while index.slots[at] != 0:
        if index.keys[index.slots[at] - 1] == key:
            return int(index.slots[at] - 1)
        at = (at + 1) & mask
    return NOBODY


@fused
def enter_anchor(
    batch: EventBatch, index: AnchorIndex, workspace: Workspace, event: int, base: int, anchor: int, count: int
) -> int:
    """Add the entries of an anchor whose guards the event meets."""
    first, last = index.group_starts[anchor], index.group_starts[anchor + 1]
    if last - first > LARGE_DIRECTORY:
        groups = _groups_of_event(batch, index, workspace, event, base, first, last)
    else:
        groups = last - first
        for place in range(groups):
            workspace.groups[place] = first + place
    for place in range(groups):
        count = _enter_group(batch, index, workspace, event, base, workspace.groups[place], count)
    return count


@fused
def _groups_of_event(
    batch: EventBatch, index: AnchorIndex, workspace: Workspace, event: int, base: int, first: int, last: int
) -> int:
    """In a large directory, list only the groups of predicates that the event has: groups lie sorted by predicate."""
    groups = 0
    while first < last and index.group_predicates[first] < 0:
        workspace.groups[groups] = first
        groups += 1
        first += 1
    for term in range(batch.first_term[event + 1] - base):
        predicate = workspace.constants[term]
        if predicate < 0 or batch.heads[base + term] < 0:
            continue
        group = _first_at_least(index, first, last, predicate)
        while group < last and index.group_predicates[group] == predicate:
            workspace.groups[groups] = group
            groups += 1
            group += 1
    return groups


@fused
def _first_at_least(index: AnchorIndex, low: int, high: int, predicate: int) -> int:
    while low < high:
        middle = (low + high) >> 1
        if index.group_predicates[middle] < predicate:
            low = middle + 1
        else:
            high = middle
    return low


@fused
def _enter_group(
    batch: EventBatch, index: AnchorIndex, workspace: Workspace, event: int, base: int, group: int, count: int
) -> int:
    guard, predicate = index.group_guards[group], index.group_predicates[group]
    if guard == layout.UNGUARDED:
        for entry in range(index.entry_starts[group], index.entry_starts[group + 1]):
            count = _nominate(workspace, index.entries[entry], count)
        return count
    if predicate != layout.EVERY_PREDICATE and workspace.stamps[predicate] != workspace.serial[0]:
        return count
    chained = predicate != layout.EVERY_PREDICATE
    quad = batch.heads[base + workspace.places[predicate]] if chained else batch.events[event, EVENT_FIRST]
    while quad >= 0:
        if guard != layout.HAS_OBJECT:
            count = _with_value(batch, index, workspace, group, quad, count)
        else:
            count = _with_object(index, workspace, group, workspace.constants[batch.terms[3 * quad + 2]], count)
        quad = batch.nexts[quad] if chained else _next_row(batch, event, quad)
    return count


@fused
def _next_row(batch: EventBatch, event: int, quad: int) -> int:
    return quad + 1 if quad + 1 < batch.events[event, EVENT_LAST] else NOBODY


@fused
def _with_object(index: AnchorIndex, workspace: Workspace, group: int, thing: int, count: int) -> int:
    """Entries of a group lie sorted by object: find the run of this one."""
    if thing < 0:
        return count
    low, end = index.entry_starts[group], index.entry_starts[group + 1]
    shift = index.value_starts[group] - low
    high = end
    while low < high:
        middle = (low + high) >> 1
        if index.objects[middle + shift] < thing:
            low = middle + 1
        else:
            high = middle
    while low < end and index.objects[low + shift] == thing:
        count = _nominate(workspace, index.entries[low], count)
        low += 1
    return count


@fused
def _with_value(batch: EventBatch, index: AnchorIndex, workspace: Workspace, group: int, quad: int, count: int) -> int:
    """Entries whose interval touches the quad's value, by descent through the implicit tree of `intervals`."""
    value_low, value_high = _reach(batch, quad, index.group_guards[group])
    start = index.entry_starts[group]
    shift = index.value_starts[group] - start
    stack = workspace.stack
    stack[0], stack[1] = start, index.entry_starts[group + 1]
    depth = 2
    while depth > 0:
        depth -= 2
        low, high = stack[depth], stack[depth + 1]
        if low >= high:
            continue
        middle = (low + high) >> 1
        if index.tops[middle + shift] < value_low:
            continue
        stack[depth], stack[depth + 1] = low, middle
        depth += 2
        if index.lows[middle + shift] <= value_high:
            if index.highs[middle + shift] >= value_low:
                count = _nominate(workspace, index.entries[middle], count)
            stack[depth], stack[depth + 1] = middle + 1, high
            depth += 2
    return count


@fused
def _reach(batch: EventBatch, quad: int, guard: int) -> tuple[float, float]:
    """The values that an object may have: none, a point, the neighbourhood of a single, or anything if undecided."""
    value, state = batch.numbers[quad], batch.quads[quad, columns.NUMBER_STATE]
    if guard == layout.HAS_MOMENT:
        return _reach_of_moment(batch, quad, state)
    if state == columns.NOT_A_NUMBER or state >= columns.MOMENT:
        return np.inf, -np.inf
    if state == columns.UNDECIDED:
        return -np.inf, np.inf
    if batch.quads[quad, columns.DATATYPE] == FLOAT and np.isfinite(value):
        width = abs(value) * _SINGLE_STEP
        return value - width, value + width
    return value, value


@fused
def _reach_of_moment(batch: EventBatch, quad: int, state: int) -> tuple[float, float]:
    """A point for a date that was read; anything for a literal that may be a date in an odd spelling."""
    value = batch.numbers[quad]
    if state >= columns.MOMENT:
        return value, value
    odd = batch.quads[quad, columns.OBJECT_KIND] == columns.TYPED and state == columns.NOT_A_NUMBER
    return (-np.inf, np.inf) if odd else (np.inf, -np.inf)


@fused
def _nominate(workspace: Workspace, program: int, count: int) -> int:
    if workspace.seen[program, 0] == workspace.serial[0]:
        return count
    workspace.seen[program, 0] = workspace.serial[0]
    workspace.candidates[count] = program
    return count + 1
